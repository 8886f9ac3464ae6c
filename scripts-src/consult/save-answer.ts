import { dirname, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { createFileExclusively, writeFileAtomically } from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { ensureFolder, fileNameOf } from "../files/safe-path.ts";
import { commandLine } from "../script/command-line.ts";
import type { Session } from "../session/session.ts";
import { sessionAt } from "../session/session-commands.ts";
import { draftFile } from "../session/text/draft-files.ts";
import { messageIn } from "./answer-blocks.ts";
import type { Turn, TurnResult } from "./driver.ts";

type SavedTurn = Pick<Turn, "place" | "participant" | "guidance">;

/** Saves the last words of a participant that could not go on: they may hold its work. Returns the file. */
export function saveAnswer(turn: SavedTurn, answer: string): string {
  const path = pathIn(turn, ".txt");
  writeFileAtomically(path, answer.slice(0, limits.messageBytes));
  return path;
}

/**
 * Saves an answer that was not stored, or may not have been: it was paid for. Returns the failure with where
 * the answer is, and the line that sends it.
 */
export async function saveUnsent(
  turn: SavedTurn,
  { answer, failure }: TurnResult,
  { kind }: Session,
  cause: unknown,
): Promise<unknown> {
  const isOut = cause instanceof ConsultaError && cause.code === "UNAVAILABLE";
  if (!isOut || answer.trim() === "") return cause;
  // Other kinds send more than a message; after a failure the answer may be cut off.
  const isWhole = kind.mail !== undefined && failure === undefined;
  const found = isWhole ? await messageIn(answer) : undefined;
  const message = found && "message" in found ? found.message : undefined;
  const file = message ? saveMessage(turn, message) : saveAnswer(turn, answer);
  const told = `${cause.fault ?? cause.message}; the answer of ${turn.participant} is kept in ${file}`;
  const line = message && `; before the session goes on, send it, once: ${lineToSend(turn, file)}`;
  return new ConsultaError(cause.code, `${told}${line ?? ""}`, { cause });
}

/** As its draft, which goes when it was sent; where there is one already, in a file of its own. */
function saveMessage(turn: SavedTurn, message: JsonValue): string {
  const { place, participant, guidance } = turn;
  const text = `${JSON.stringify(message)}\n`;
  const [draft] = guidance.moves.flatMap((move) => draftFile(place, participant, move) ?? []);
  if (draft !== undefined && isRealFolder(dirname(draft)) && createFileExclusively(draft, text))
    return draft;
  const file = pathIn(turn, `-${sha256(text).slice(0, 8)}.json`);
  writeFileAtomically(file, text);
  return file;
}

function pathIn({ place, participant }: SavedTurn, ending: string): string {
  const { workspace, config, id } = place;
  const folder = workspace ? ensureFolder(workspace.root, config.artifacts_dir, id) : place.folder;
  return join(folder, `unsent-${fileNameOf(participant)}${ending}`);
}

function lineToSend({ place, participant }: SavedTurn, path: string): string {
  return commandLine("append-event", { ...sessionAt(place), participant, message: { path } });
}
