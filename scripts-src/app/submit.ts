import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import { limits } from "../core/limits.ts";
import type { Machine } from "../core/machine.ts";
import type { Delivery, FileFact, Submission, View } from "../core/protocol.ts";
import { readFileIfPresent, writeFileAtomically } from "../store/atomic-file.ts";
import { ensureFolder, resolveProjectFile } from "../store/safe-path.ts";
import { deliverMail, mailOf } from "./deliver.ts";
import { catchUp, type Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/** What became of a submission: `seq` is its event's place; `repeated` when it stood there before. */
export interface Submitted {
  readonly session: Session;
  /** The session that it was decided on. */
  readonly before: Session;
  readonly seq: number;
  readonly repeated: boolean;
}

/**
 * Decides on a submission, appends its event and refreshes what follows from it. When another
 * writer is faster it decides again on the new state.
 * @throws ConsultaError REFUSED with the protocol's reason; UNAVAILABLE when the event may or may
 * not be stored: the same submission again is safe.
 */
export async function submit(
  session: Session,
  draft: Omit<Submission, "files">,
): Promise<Submitted> {
  const files = await factsAbout(session.workspace, session.machine.filesNamed(draft));
  let current = session;
  for (let tries = 0; tries < limits.appendTries; tries += 1) {
    const decision = current.machine.decide({ ...draft, files });
    if (!decision.ok) {
      // A foreign colleague cannot send again: what came too early waits in the inbox.
      const waits = decision.later && draft.origin === "inbox";
      throw new ConsultaError(waits ? "UNAVAILABLE" : "REFUSED", decision.reason);
    }
    if ("already" in decision) {
      await deliverMail(current, mailOf(current));
      return { session: current, before: current, seq: decision.already, repeated: true };
    }
    const cursor = await current.log.append(current.cursor, decision.event);
    if (cursor !== undefined) {
      const machine = current.machine.evolve(decision.event);
      const after = { ...current, cursor, machine };
      await refresh(after, decision.event, mailOf(current));
      return { session: after, before: current, seq: decision.event.seq, repeated: false };
    }
    current = (await catchUp(current)) ?? current;
  }
  throw new ConsultaError(
    "UNAVAILABLE",
    `session ${session.id} is busy: ${limits.appendTries} others wrote first; run the same command again`,
  );
}

/**
 * Writes what follows from the newest event: deliveries beside the known ones, views, checkpoint.
 * @throws ConsultaError UNAVAILABLE when the disk refuses; the event itself is stored.
 */
export async function refresh(
  session: Session,
  event: LogEvent,
  known: readonly Delivery[],
): Promise<void> {
  const { workspace, machine, cursor, log } = session;
  try {
    const before = new Set(known.map(({ to, file }) => `${to}/${file}`));
    const fresh = mailOf(session).filter(({ to, file }) => !before.has(`${to}/${file}`));
    await deliverMail(session, fresh, event);
    writeViews(workspace, machine, event);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const stored = `seq ${event.seq} is stored, but what follows from it is not written`;
    throw new ConsultaError(
      "UNAVAILABLE",
      `${stored}: ${cause.message}; then run the same command again`,
      { cause },
    );
  }
  await log.saveCheckpoint({ cursor, value: machine.snapshot() });
}

export function writeViews(workspace: Workspace, machine: Machine, event: LogEvent): void {
  for (const view of machine.views(event)) {
    const place = placeOf(workspace, view);
    const path = join(ensureFolder(workspace.root, ...place), view.name);
    // Reading is cheaper than replacing, and most events change no view.
    if (readFileIfPresent(path, 2 * limits.messageBytes) !== view.text) {
      writeFileAtomically(path, view.text);
    }
  }
}

/** The folder of a view below the workspace, by its components. */
export function placeOf({ config }: Workspace, { folder }: View): string[] {
  const [first = "", ...rest] = folder;
  return first === "artifacts" ? [config.artifacts_dir, ...rest] : [...folder];
}

/** Facts about the project's files that a submission names; what is no regular file has none. */
async function factsAbout(workspace: Workspace, paths: string[]): Promise<Map<string, FileFact>> {
  const facts = new Map<string, FileFact>();
  for (const path of paths) {
    const file = resolveProjectFile(workspace.project, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    facts.set(path, { sha256: await sha256Of(file), bytes: found.size });
  }
  return facts;
}

async function sha256Of(file: string): Promise<string> {
  // Loading node:crypto takes 4 ms, which only a message with artifacts should pay.
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
