import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonObject } from "../scripts-src/base/json.ts";
import { fileStamp, isoSecond, millisecondsOf } from "../scripts-src/base/time.ts";
import { decide } from "../scripts-src/dialogue/decide.ts";
import { dialogue } from "../scripts-src/dialogue/dialogue.ts";
import { evolve } from "../scripts-src/dialogue/fold.ts";
import { hashOf } from "../scripts-src/dialogue/prose.ts";
import { type DialogueState, initialState } from "../scripts-src/dialogue/state.ts";
import type { LogEvent } from "../scripts-src/log/event.ts";
import { type Config, defaultConfig, type Mode } from "../scripts-src/protocol/config.ts";
import { initialPerson } from "../scripts-src/protocol/person-step.ts";
import { withPerson } from "../scripts-src/protocol/with-person.ts";
import { createSession } from "../scripts-src/session/create-session.ts";
import type { Session } from "../scripts-src/session/session.ts";
import { refresh } from "../scripts-src/session/submit.ts";
import { findWorkspace } from "../scripts-src/session/workspace/workspace.ts";
import { moveHome } from "./own-home.ts";

export const sessionId = "bench";
/** In the order of the session: `claude` opened it. */
export const participants = ["claude", "gemini"] as const;

/** Who writes event `seq` of a built session: the two take turns. */
export function writerOf(seq: number): string {
  return participants[seq % 2 === 0 ? 0 : 1];
}

/** A message that no other has the words of; `copyOf` makes its progress count. */
export function draftFor(name: string): JsonObject {
  return {
    type: "RESPONSE",
    question_or_proposal: { content: `Step ${name}: the measurement agrees with the one before.` },
    position: "The log is fast enough.",
    confidence: 0.5,
    progress: [{ kind: "tool", tool: "node bench.mjs", result: `run ${name} took 12 ms` }],
  };
}

/**
 * Makes a project whose workspace holds one session of `eventsCount` events in mode `parallelo`,
 * as the scripts would have left it: the last message delivered and not yet taken. The first and
 * the last events come from the decider, those between are copies of them that differ where the
 * decider's would; all are folded.
 */
export async function buildSession(project: string, eventsCount: number): Promise<void> {
  // So few need no limits of the user's own.
  const asUsual = eventsCount < defaultConfig.max_rounds;
  const first = await openBenchSession(project, "parallelo", asUsual ? {} : endless);
  const path = join(first.place.folder, "events.jsonl");
  const opened = (await first.log.read(first.log.start)).events;
  const log = openSync(path, "a");
  let lines = "";
  let state = opened.reduce(evolve, initialState());
  let event: LogEvent | undefined;
  const models: LogEvent[] = [];
  for (let seq = 2; seq <= eventsCount; seq += 1) {
    const model = seq < eventsCount - 2 ? models[seq % 2] : undefined;
    event = model === undefined ? decideNext(state, seq) : copyOf(model, state, seq);
    if (seq > 3) models[seq % 2] ??= event;
    state = evolve(state, event);
    lines += `${JSON.stringify(event)}\n`;
    if (lines.length < 4_000_000 && seq < eventsCount) continue;
    writeSync(log, lines);
    lines = "";
  }
  closeSync(log);
  const cursor = { seq: eventsCount, mark: { offset: statSync(path).size } };
  const folded = { kind: withPerson(dialogue), state: { ...state, user: initialPerson() } };
  if (event !== undefined) await refresh({ ...first, cursor, ...folded }, event, []);
}

const endless = { max_rounds: 10_000_000 };

/** A fresh session, as a rule without an end of rounds, in a project that asks for nothing unusual. */
export async function openBenchSession(
  project: string,
  mode: Mode,
  asked: Partial<Config> = endless,
): Promise<Session> {
  await moveHome();
  const root = join(project, ".consulta");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const setConfig = (config: Config) =>
    writeFileSync(join(root, "config.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  setConfig({ ...defaultConfig, ...asked });
  const session = await createSession(findWorkspace(project), {
    topic: "How fast is the log?",
    participants: [...participants],
    mode,
    id: sessionId,
    at: new Date(0).toISOString(),
    eventId: "bench-1",
  });
  // A config that loosens sends each start to the user's own settings.
  setConfig(defaultConfig);
  return session;
}

function decideNext(state: DialogueState, seq: number): LogEvent {
  const message = draftFor(String(seq));
  const decision = decide(state, {
    participant: writerOf(seq),
    origin: "script",
    fields: { message: seq === 2 ? { ...message, type: "REQUEST" } : message },
    at: timeAfter(state),
    id: `bench-${seq}`,
    files: new Map(),
  });
  if (decision.ok && "event" in decision) return decision.event;
  throw new Error(`event ${seq}: ${decision.ok ? "already there" : decision.reason}`);
}

/** The event that the decider would give for `draftFor(seq)`: it takes five times as long. */
function copyOf(model: LogEvent, state: DialogueState, seq: number): LogEvent {
  const stamp = isoSecond(millisecondsOf(state.lastStamp) + 1_000);
  const id = `${sessionId}-${fileStamp(stamp)}`;
  const said = isRecord(model["message"]) ? model["message"] : {};
  const message = { ...said, ...draftFor(String(seq)), id, timestamp: stamp };
  const round = Math.floor(seq / 2);
  return {
    ...model,
    seq,
    at: timeAfter(state),
    id: `bench-${seq}`,
    message: { ...message, round },
    file: `${id}-${model.from}-response.json`,
    draft: hashOf(id),
    assessment: {
      progress: [`tool:${hashOf(`node bench mjs run ${seq} took 12 ms`)}`],
      objects: false,
      onlyObjects: false,
      accepts: false,
    },
  };
}

function timeAfter(state: DialogueState): string {
  return new Date(millisecondsOf(state.lastAt) + 1).toISOString();
}
