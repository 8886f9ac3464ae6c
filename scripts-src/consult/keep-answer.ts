import { dirname, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { fileNameOf } from "../files/file-name-of.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { commandLine } from "../session/command-line.ts";
import { draftFile } from "../session/text/draft-files.ts";
import type { TurnKind } from "./consult-kind.ts";
import type { Turn, TurnResult } from "./driver.ts";

type KeptTurn = Pick<Turn, "place" | "participant" | "guidance">;

/** Keeps the last words of a participant that could not go on: they may hold its work. Returns the file. */
export function keepAnswer(turn: KeptTurn, answer: string): string {
  const path = pathIn(turn, "txt");
  writeFileAtomically(path, answer.slice(0, limits.messageBytes));
  return path;
}

/**
 * Keeps an answer that was not stored, or may not have been: it was paid for. Returns the failure with where
 * the answer is, and the line that sends it.
 */
export async function keepUnsent(
  kind: TurnKind,
  turn: KeptTurn,
  { answer, failure }: TurnResult,
  cause: unknown,
): Promise<unknown> {
  const isOut = cause instanceof ConsultaError && cause.code === "UNAVAILABLE";
  if (!isOut || answer.trim() === "") return cause;
  const message = failure === undefined ? await kind.messageIn?.(answer) : undefined;
  const file = message === undefined ? keepAnswer(turn, answer) : messageFile(turn);
  if (message !== undefined) writeFileAtomically(file, `${JSON.stringify(message)}\n`);
  const told = `${cause.fault ?? cause.message}; the answer of ${turn.participant} is kept in ${file}`;
  const line =
    message === undefined ? "" : `; later this sends it, once: ${lineToSend(turn, file)}`;
  return new ConsultaError(cause.code, `${told}${line}`, { cause });
}

/** Where the draft of a message is, which goes when it was sent. */
function messageFile(turn: KeptTurn): string {
  const { place, participant, guidance } = turn;
  const [draft] = guidance.moves.flatMap((move) => draftFile(place, participant, move) ?? []);
  return draft !== undefined && isRealFolder(dirname(draft)) ? draft : pathIn(turn, "json");
}

function pathIn({ place, participant }: KeptTurn, extension: "txt" | "json"): string {
  const { workspace, config, id } = place;
  const folder = workspace ? ensureFolder(workspace.root, config.artifacts_dir, id) : place.folder;
  return join(folder, `unsent-${fileNameOf(participant)}.${extension}`);
}

function lineToSend({ place, participant }: KeptTurn, message: string): string {
  const { workspace, folder, id } = place;
  const where =
    workspace === undefined ? { folder } : { workspace: workspace.project, session: id };
  return commandLine("append-event", { ...where, participant, message });
}
