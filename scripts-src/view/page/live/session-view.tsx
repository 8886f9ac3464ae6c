import { useEffect, useState } from "preact/hooks";
import type { SessionFault, SessionModel, Words } from "../model.ts";
import { Replay } from "../replay.tsx";
import { SessionBody } from "../session.tsx";
import { SessionHead } from "../session-parts.tsx";
import { type DoAct, StepIn, Wanted } from "../step-in.tsx";
import { line, type Shown } from "../words.ts";
import { get, post, reasonOf } from "./server.ts";
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
  const past = usePast(key, look, live.session?.lastSeq);
  useSeen(key, live.session);
  if (live.fault !== undefined) return <Faulty fault={live.fault} />;
  if (live.session === undefined)
    return (
      <main>
        <p class="lead">Reading the log…</p>
      </main>
    );
  const isPast = look.at !== undefined || look.before !== undefined;
  const model =
    isPast && past !== undefined ? { ...past, lastSeq: live.session.lastSeq } : live.session;
  const shown: Shown = { now, names: model.participants.map(({ name }) => name) };
  const fetchBody = async (seq: number) => {
    const { words } = await get<{ words: Words }>("body", { key, seq: String(seq) });
    setBodies((known) => new Map([...known, [seq, words]]));
  };
  const doAct: DoAct = (wish) => tell({ key, ...wish });
  return (
    <main class={`session ${look.at === undefined ? "" : "as-of"}`}>
      <SessionHead model={model} shown={shown} />
      {look.at === undefined ? <Wanted model={live.session} doAct={doAct} /> : null}
      <Older model={model} look={look} onLook={setLook} />
      <SessionBody
        model={withBodies(model, bodies)}
        shown={shown}
        fetchBody={(seq) => void fetchBody(seq)}
      />
      {look.at === undefined ? <StepIn model={live.session} doAct={doAct} /> : null}
      <Replay model={model} at={look.at} onMove={(at) => setLook(at === undefined ? {} : { at })} />
    </main>
  );
}

async function tell(act: object): Promise<string> {
  try {
    await post("/api/act", act);
    return "";
  } catch (cause) {
    return `not stored: ${reasonOf(cause)}`;
  }
}

function usePast(
  key: string,
  { at, before }: Look,
  lastSeq: number | undefined,
): SessionModel | undefined {
  const [past, setPast] = useState<SessionModel>();
  useEffect(() => {
    if (at === undefined && before === undefined) return undefined;
    let isWanted = true;
    const fields = {
      key,
      ...(at === undefined ? {} : { at: String(at) }),
      ...(before === undefined ? {} : { before: String(before) }),
    };
    // A scrubber that is dragged asks for the last place only.
    const timer = setTimeout(async () => {
      const found = await get<SessionModel | SessionFault>("session", fields);
      if (isWanted && !("fault" in found)) setPast(found);
    }, 30);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, at, before, lastSeq === undefined]);
  return past;
}

/** Who looks at a session that has ended has seen its end. */
function useSeen(key: string, session: SessionModel | undefined): void {
  const ended = session?.ended === true ? session.seq : undefined;
  useEffect(() => {
    if (ended !== undefined) post("/api/act", { key, verb: "seen" }).catch(() => undefined);
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
        <button type="button" onClick={() => onLook(look.at === undefined ? {} : { at: look.at })}>
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
      <p class="warning">{line(fault.fault)}</p>
      <p>
        In a terminal: <code>{fault.command}</code>
      </p>
    </main>
  );
}
