import { cpSync, lstatSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { inline, isRecord, type JsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { shortLine } from "../../clis/output-line.ts";
import type { AllowedCheck } from "../../evidence/allowed-checks.ts";
import { realpathSync } from "../../files/disk.ts";
import { diskFailure } from "../../files/errno.ts";
import { removeTree } from "../../files/remove-tree.ts";
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
  allowed: readonly AllowedCheck[],
  clock: Clock,
  tell: (line: string) => void,
): Promise<Place> {
  const copy = copyOf(recording);
  try {
    return await playIn(copy, recording, { allowed, clock, tell });
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
    const claims = session.machine.claims() ?? [];
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

/**
 * Copies the project's files into a new temporary folder that only this user can read.
 * @throws ConsultaError REFUSED for what is no file or folder, and for too much of it.
 */
function copyOf({ project, name }: Recording): string {
  let copy: string | undefined;
  try {
    copy = realpathSync(mkdtempSync(join(tmpdir(), `consulta-${name}-`)));
    // Otherwise a project above the temporary folder would be taken as the workspace.
    ensureFolder(copy, ".consulta");
    cpSync(project, copy, { recursive: true, filter: copiedFiles(project) });
    return copy;
  } catch (error) {
    if (copy !== undefined) removeTree(copy);
    throw diskFailure(error, `copy ${project}`);
  }
}

/** Whether to copy a path: each is looked at before it is opened, for a FIFO or a device has no end. */
function copiedFiles(project: string): (path: string) => boolean {
  let files = 0;
  let bytes = 0;
  return (path) => {
    const status = lstatSync(path);
    // A link could lead out of the recording's files.
    if (status.isSymbolicLink()) return false;
    const isFolder = status.isDirectory();
    if (!isFolder && !status.isFile())
      throw notCopied(
        `${inline(relative(dirname(project), path))} is no file and no folder`,
        "remove it from the recording",
      );
    files += 1;
    bytes += isFolder ? 0 : status.size;
    if (files > limits.recordedFiles || bytes > limits.recordedBytes)
      throw notCopied(
        `its files are more than ${limits.recordedFiles}, or have more than ${limits.recordedBytes} bytes`,
        "leave out what the session is not about",
      );
    return true;
  };
}

function notCopied(reason: string, way: string): ConsultaError {
  return new ConsultaError("REFUSED", `the recorded session cannot be played: ${reason}; ${way}`);
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
