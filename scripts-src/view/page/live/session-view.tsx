import { useEffect, useState } from "preact/hooks";
import { defined } from "../../../base/omit-undefined.ts";
import { oneLine } from "../../../base/visible-text.ts";
import type { Shown } from "../display-format.ts";
import type { FetchBody } from "../message.tsx";
import { itemsShown, type SessionFault, type SessionModel, type Words } from "../model.ts";
import { SessionBody } from "../session.tsx";
import { FaultText, SessionHead } from "../session-parts.tsx";
import { type DoAct, StepInForm, Wanted } from "../step-in.tsx";
import { Replay } from "../timeline-scrubber.tsx";
import { get, postJson, serverFailure } from "./api-client.ts";
import type { Live } from "./stream.ts";

/** Another look at the session than the newest: as of an event, or at older items. */
interface Look {
  readonly at?: number;
  readonly before?: number;
}

/** One session, live, or as it was. */
export function SessionView({
  sessionKey: key,
  live,
  now,
}: {
  sessionKey: string;
  live: Live;
  now: number;
}) {
  const [look, setLook] = useState<Look>({});
  const [bodies, setBodies] = useState<ReadonlyMap<number, Words>>(new Map());
  const other = useOther(key, look, live.session !== undefined);
  const drawnMax = useDrawnMax(live.session !== undefined);
  useSeen(key, live.session);
  if (live.fault !== undefined) return <Faulty fault={live.fault} />;
  if (live.session === undefined)
    return (
      <main>
        <p class="lead">Reading the log…</p>
      </main>
    );
  const model = isLive(look) ? live.session : (other.model ?? live.session);
  const shown: Shown = {
    now,
    names: model.participants.map(({ name }) => name),
    isUnproven: model.isUnproven,
    drawnMax,
  };
  const fetchBody: FetchBody = async (seq) => {
    try {
      const { words } = await get<{ words: Words }>("body", { key, seq: String(seq) });
      setBodies((known) => new Map([...known, [seq, words]]));
      return "";
    } catch (cause) {
      return serverFailure(cause);
    }
  };
  const doAct: DoAct = (wish) => tell({ key, ...wish });
  const isThere = isLive(look) || other.look === look;
  return (
    <main class={`session ${look.at === undefined ? "" : "as-of"}`}>
      <SessionHead model={model} shown={shown} />
      {look.at === undefined ? <Wanted model={live.session} doAct={doAct} /> : null}
      <Older model={model} look={look} onLook={setLook} />
      <FaultText text={other.fault} />
      <div class={isThere ? "" : "leaving"} aria-busy={!isThere}>
        <SessionBody model={withBodies(model, bodies)} shown={shown} fetchBody={fetchBody} />
      </div>
      {look.at === undefined ? <StepInForm model={live.session} doAct={doAct} /> : null}
      <Replay
        model={{ ...model, lastSeq: live.session.lastSeq, moments: live.session.moments }}
        at={look.at}
        isThere={isThere}
        folded={other.folded}
        onMove={(at) => setLook(defined({ at }))}
      />
    </main>
  );
}

/** More than a screen holds. */
const drawnFirst = 30;

/** What a screen shows is there sooner without the rest of long lists, which follows paint by paint. */
function useDrawnMax(isThere: boolean): number | undefined {
  const [max, setMax] = useState(drawnFirst);
  useEffect(() => {
    if (isThere && max < itemsShown) setMax(2 * max);
  }, [isThere, max]);
  return max < itemsShown ? max : undefined;
}

function isLive({ at, before }: Look): boolean {
  return at === undefined && before === undefined;
}

async function tell(act: object): Promise<string> {
  try {
    await postJson("/api/act", act);
    return "";
  } catch (cause) {
    return `not stored: ${serverFailure(cause)}`;
  }
}

/** What another look than the live one has come to: the model is of `look`, which may not be the present one. */
interface Other {
  readonly look: Look | undefined;
  readonly model: SessionModel | undefined;
  /** Why the present look cannot be shown; "" where it can. */
  readonly fault: string;
  /** How far the log has been folded for the present look. */
  readonly folded: number;
}

const nothing: Other = { look: undefined, model: undefined, fault: "", folded: 0 };
const [foldingMs, retryMs] = [300, 2_000];

function useOther(key: string, look: Look, isReady: boolean): Other {
  const [other, setOther] = useState(nothing);
  useEffect(() => {
    if (isLive(look)) setOther(nothing);
    if (isLive(look) || !isReady) return undefined;
    let isWanted = true;
    setOther((known) => ({ ...known, fault: "", folded: 0 }));
    const ask = async () => {
      const found = await lookAt(key, look);
      if (!isWanted) return;
      setOther((known) => ({ ...known, fault: "", ...found }));
      if (found.model === undefined) timer = setTimeout(ask, found.fault ? retryMs : foldingMs);
    };
    // A scrubber that is dragged asks for the last place only.
    let timer = setTimeout(ask, 30);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, look, isReady]);
  return other;
}

async function lookAt(key: string, look: Look): Promise<Partial<Other>> {
  const fields = Object.entries(look).map(([name, value]) => [name, String(value)]);
  try {
    const found = await get<SessionModel | SessionFault | { folded: number }>("session", {
      key,
      ...Object.fromEntries(fields),
    });
    if ("folded" in found) return { folded: found.folded };
    return "fault" in found ? { fault: found.fault } : { look, model: found };
  } catch (cause) {
    return { fault: serverFailure(cause) };
  }
}

/** Who looks at a session that has ended has seen its end. */
function useSeen(key: string, session: SessionModel | undefined): void {
  const ended = session?.ended === true ? session.seq : undefined;
  useEffect(() => {
    if (ended !== undefined) postJson("/api/act", { key, verb: "seen" }).catch(() => undefined);
  }, [key, ended]);
}

function withBodies(model: SessionModel, bodies: ReadonlyMap<number, Words>): SessionModel {
  if (bodies.size === 0) return model;
  const items = model.items.map((item) => {
    const body = item.as === "message" ? bodies.get(item.seq) : undefined;
    return body === undefined ? item : { ...item, body, more: 0 };
  });
  return { ...model, items };
}

function Older({
  model,
  look,
  onLook,
}: {
  model: SessionModel;
  look: Look;
  onLook: (look: Look) => void;
}) {
  const [first] = model.items;
  if (model.earlier === 0 && look.before === undefined) return null;
  return (
    <p class="older">
      {model.earlier > 0 && first !== undefined ? (
        <button type="button" onClick={() => onLook({ ...look, before: first.seq })}>
          {`Older: ${model.earlier} before these`}
        </button>
      ) : null}
      {look.before === undefined ? null : (
        <button type="button" onClick={() => onLook(defined({ at: look.at }))}>
          Newest
        </button>
      )}
    </p>
  );
}

function Faulty({ fault }: { fault: SessionFault }) {
  return (
    <main class="session">
      <h1>This session cannot be read</h1>
      <p class="warning">{oneLine(fault.fault)}</p>
      <p>
        In a terminal: <code>{fault.command}</code>
      </p>
    </main>
  );
}
