import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { NextAction } from "../app/next-action.ts";
import type { Place } from "../app/place.ts";
import { workspaceRoot } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { slugOf } from "../core/names.ts";
import type { Move } from "../core/protocol.ts";
import { createFileExclusively, namesIn } from "../store/atomic-file.ts";
import { checksum } from "../store/checksum.ts";
import { errnoOf } from "../store/errno.ts";
import { fileNameOf } from "../store/file-name-of.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";

/**
 * The file that a participant writes the filled draft of a move to; undefined without a draft. It
 * lies below the folder where it works, wherever the session does: CLIs let it write there.
 */
export function draftFile(place: Place, participant: string, move: Move): string | undefined {
  if (move.draft === undefined) return undefined;
  const { root, stem } = draftsOf(place, participant);
  const extension = typeof move.input === "string" ? "md" : "json";
  return join(root, folderName, `${stem}${move.draft}.${extension}`);
}

/**
 * Makes the folder for the drafts that are offered and removes what the participant has sent: a
 * draft keeps its name until then, so nothing unsent is lost. What cannot be done here is left: the
 * line takes any other file.
 */
export function prepareDrafts({ place, participant, guidance }: NextAction): void {
  const { turn, moves } = guidance;
  const [current] = moves.flatMap(({ draft }) => draft ?? []);
  if (current === undefined && turn !== "ended") return;
  const { root, stem } = draftsOf(place, participant);
  asFarAsPossible(() => {
    const folder = current === undefined ? safeJoin(root, folderName) : makeDraftsFolder(root);
    for (const name of namesIn(folder)) {
      const number = name.startsWith(stem) ? numberOf(name.slice(stem.length)) : undefined;
      if (number === undefined || number >= (current ?? Number.POSITIVE_INFINITY)) continue;
      asFarAsPossible(() => rmSync(join(folder, name), { force: true }));
    }
  });
}

function asFarAsPossible(task: () => void): void {
  try {
    task();
  } catch (cause) {
    if (!(cause instanceof ConsultaError) && errnoOf(cause) === undefined) throw cause;
  }
}

const folderName = "drafts";

function draftsOf(place: Place, participant: string): { root: string; stem: string } {
  const root = place.workspace?.root ?? workspaceRoot(process.cwd()) ?? resolve(".consulta");
  return { root, stem: `${nameOf(place)}-${fileNameOf(participant)}-` };
}

/** Folders of one name may lie in several places. */
function nameOf({ workspace, id, folder }: Place): string {
  if (workspace !== undefined) return id;
  return `${slugOf(basename(folder))}-${checksum(Buffer.from(folder)).slice(0, 6)}`;
}

function makeDraftsFolder(root: string): string {
  const folder = ensureFolder(dirname(root), basename(root), folderName);
  // A workspace keeps drafts out of the project's history; where there is none, the folder does.
  if (!existsSync(join(root, ".gitignore"))) {
    createFileExclusively(join(folder, ".gitignore"), "*\n");
  }
  return folder;
}

function numberOf(rest: string): number | undefined {
  const [, digits] = /^(\d{1,15})\.(?:json|md)$/.exec(rest) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
