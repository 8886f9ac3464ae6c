import { useEffect, useRef, useState } from "preact/hooks";
import { oneLine } from "../../../base/visible-text.ts";
import type { SessionFault, SessionModel } from "../model.ts";
import { FaultText } from "../parts.tsx";
import { Replay } from "../replay.tsx";
import { SessionPage } from "../session.tsx";
import { type DoAct, StepInForm, Wanted } from "../step-in.tsx";
import { get, postJson, serverFailure } from "./server.ts";

interface Props {
  readonly live: SessionModel | SessionFault;
  readonly now: number;
}

/** One session, live, or as it was. */
export function SessionView({ live, now }: Props) {
  const [at, setAt] = useState<number>();
  const { past, fault } = usePast(live.key, at);
  useSeen(live);
  if ("fault" in live) return <Faulty fault={live} />;
  const isPast = at !== undefined;
  const isThere = !isPast || past?.seq === at;
  const model = (isPast ? past : undefined) ?? live;
  const doAct: DoAct = (wish) => tell({ key: live.key, ...wish });
  const [first] = model.items;
  const before = (
    <>
      {isPast ? null : <Wanted model={live} doAct={doAct} />}
      {model.earlier > 0 && first !== undefined ? (
        <p>
          <button type="button" onClick={() => setAt(Math.ceil(first.seq) - 1)}>
            {`Older: ${model.earlier} before these`}
          </button>
        </p>
      ) : null}
      <FaultText text={fault} />
    </>
  );
  return (
    <SessionPage model={model} now={now} before={before} isLeaving={!isThere}>
      {isPast ? null : <StepInForm model={live} doAct={doAct} />}
      <Replay live={live} at={at} past={isThere ? past : undefined} onMove={setAt} />
    </SessionPage>
  );
}

async function tell(act: object): Promise<string> {
  try {
    await postJson("/api/act", act);
    return "";
  } catch (cause) {
    return `not stored: ${serverFailure(cause)}`;
  }
}

const retryMs = 2_000;

/** The session as of an event, as soon as it is there; it may be of another until then. */
function usePast(key: string, at: number | undefined) {
  const [past, setPast] = useState<SessionModel>();
  const [fault, setFault] = useState("");
  const asked = useRef(Promise.resolve());
  useEffect(() => {
    setFault("");
    if (at === undefined) return setPast(undefined);
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      // A scrubber that is dragged asks for the last place only.
      if (!isWanted) return;
      const found = await lookAt(key, at);
      if (!isWanted) return;
      if ("seq" in found) setPast(found);
      else timer = setTimeout(ask, retryMs);
      setFault("seq" in found ? "" : found.fault);
    };
    asked.current = asked.current.then(ask);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, at]);
  return { past, fault };
}

async function lookAt(key: string, at: number): Promise<SessionModel | { fault: string }> {
  try {
    return await get<SessionModel | SessionFault>("session", { key, at: String(at) });
  } catch (cause) {
    return { fault: serverFailure(cause) };
  }
}

/** Who looks at a session that has ended has seen its end. */
function useSeen(live: Props["live"]): void {
  const { key } = live;
  const ended = "status" in live && live.status.ended ? live.seq : undefined;
  useEffect(() => {
    if (ended !== undefined) postJson("/api/act", { key, verb: "seen" }).catch(() => undefined);
  }, [key, ended]);
}

function Faulty({ fault: { fault, command } }: { fault: SessionFault }) {
  return (
    <main class="session">
      <h1>This session cannot be read</h1>
      <p class="warning">{oneLine(fault)}</p>
      <p>
        In a terminal: <code>{command}</code>
      </p>
    </main>
  );
}
