import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { isRecord, type JsonObject } from "../../base/json.ts";
import { shortLine } from "../../clis/output-line.ts";
import type { AllowedCheck } from "../../evidence/consent.ts";
import { diskFailure, realpathSync } from "../../files/disk.ts";
import { removeTree } from "../../files/safe-open.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import { appendEvent } from "../../session/append-event.ts";
import { createSession } from "../../session/create-session.ts";
import { type MadeEvidence, makeEvidence } from "../../session/make-evidence.ts";
import type { Place } from "../../session/place.ts";
import { openWorkspace } from "../../session/workspace/workspace.ts";
import { doneFor } from "../make-evidence-for-participant.ts";
import type { RecordedStep, Recording } from "./read-recording.ts";

/**
 * Plays a recorded session in a copy of its files: each message is sent as it was recorded and judged
 * by today's rules; each check is run again. Returns the session, which has ended.
 * @throws ConsultaError REFUSED when today's rules or files no longer allow a step.
 */
export async function playRecording(
  recording: Recording,
  clock: Clock,
  tell: (line: string) => void,
): Promise<Place> {
  const copy = copyOf(recording);
  try {
    return await playIn(copy, recording, { allowed: recording.commands, clock, tell });
  } catch (cause) {
    removeTree(copy);
    throw cause;
  }
}

async function playIn(
  copy: string,
  recording: Recording,
  { allowed, clock, tell }: Pick<Replay, "allowed" | "clock" | "tell">,
): Promise<Place> {
  const workspace = await openWorkspace(copy, true);
  const { topic, mode, name, participants, steps } = recording;
  const { place } = await createSession(workspace, {
    topic,
    mode,
    id: name,
    participants: [...participants],
    at: clock.now(),
    eventId: clock.newId(),
  });
  const names = new Map<string, number>();
  const replay: Replay = { place, names, allowed, clock, tell };
  for (const [index, step] of steps.entries()) {
    const seq = await playStep(step, replay).catch((cause: unknown) => {
      if (!(cause instanceof ConsultaError)) throw cause;
      const reason = `step ${index + 1} of ${name} is no longer possible: ${cause.message}`;
      throw new ConsultaError(cause.code, reason, { cause });
    });
    if (step.name !== undefined) names.set(step.name, seq);
  }
  return place;
}

interface Replay {
  readonly place: Place;
  /** The seqs of the events so far, by the names of their steps. */
  readonly names: ReadonlyMap<string, number>;
  readonly allowed: readonly AllowedCheck[];
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

/** Returns the seq of the event that the step made. */
async function playStep(step: RecordedStep, replay: Replay): Promise<number> {
  const { by } = step;
  const { place, names, allowed, clock, tell } = replay;
  const cli = doneFor(by);
  if ("message" in step) {
    const message = filled(step.message, names);
    const { seq, evidence, session } = await appendEvent(place, by, { message }, clock, { cli });
    for (const line of replayLines(seq, by, message)) tell(line);
    const claims = session.kind.claims?.(session.state) ?? [];
    // Those about claims of others were recorded before.
    const own = evidence.filter(({ claim }) => typeof claim === "number");
    for (const [index, { claim, record }] of own.entries()) {
      const about = claims.find(({ id }) => id === `C${seq}.${Number(claim) + 1}`);
      tell(checkLine(by, { seq: seq + 1 + index, record, claim: about }));
    }
    return seq;
  }
  const { check } = step;
  const wanted =
    "claim" in check
      ? { claim: String(filled({ claim: check.claim }, names)["claim"]) }
      : { spec: check.spec, expect: undefined };
  const made = await makeEvidence(place, by, wanted, { allowed, cli }, clock);
  tell(checkLine(by, made));
  return made.seq;
}

/** Copies the project's files into a new temporary folder that only this user can read. */
function copyOf({ project, name }: Recording): string {
  try {
    const copy = realpathSync(mkdtempSync(join(tmpdir(), `consulta-${name}-`)));
    // Otherwise a project above the temporary folder would be taken as the workspace.
    ensureFolder(copy, ".consulta");
    cpSync(project, copy, { recursive: true });
    return copy;
  } catch (error) {
    throw diskFailure(error, `copy ${project}`);
  }
}

/**
 * A message with the seqs of steps in place of their names: `{name}` is that step's, and a text that is
 * nothing else becomes a number. As JSON text it holds such words in its strings only.
 */
function filled(message: JsonObject, names: ReadonlyMap<string, number>): JsonObject {
  const fill = (whole: string, name: string) => String(names.get(name) ?? whole);
  const numbered = JSON.stringify(message).replace(/"\{([a-z][a-z0-9]*)\}"/g, fill);
  return JSON.parse(numbered.replace(/\{([a-z][a-z0-9]*)\}/g, fill));
}

const shownCharacters = 140;

/** One message as a reader follows the argument: who holds what, and why. */
function replayLines(seq: number, by: string, message: JsonObject): string[] {
  const { type, position, question_or_proposal, because, claims, accepts } = message;
  const proposal = isRecord(question_or_proposal) ? question_or_proposal : {};
  const said = position ?? (type === "AGREE" ? undefined : proposal["content"]);
  const verb =
    type === "REQUEST" ? "asks" : type === "AGREE" ? `agrees to message ${accepts}` : "says";
  return [
    `${seq}. ${by} ${verb}${said === undefined ? "" : `: ${shown(said)}`}`,
    ...(because === undefined ? [] : [`     because ${shown(because)}`]),
    ...(Array.isArray(claims) ? claims : []).flatMap((claim) =>
      isRecord(claim) ? [`     claims: ${shown(claim["text"])} [${shown(claim["check"])}]`] : [],
    ),
  ];
}

/** One check, made just now. */
function checkLine(by: string, { seq, record, claim }: MadeEvidence): string {
  const { kind, exit, met, spec } = record;
  const did = `${kind === "run" ? "runs" : "reads"} ${shown(spec)}`;
  const outcome = claim === undefined ? `exit ${exit ?? 0}` : met ? "holds" : "DOES NOT HOLD";
  const about = claim === undefined ? "" : `${claim.id} `;
  return `${seq}. ${by} ${did}: ${about}${outcome}`;
}

function shown(text: unknown): string {
  return shortLine(String(text), shownCharacters);
}
