import { basename, dirname, join, resolve } from "node:path";
import { refused } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson } from "../../base/json.ts";
import { slugOf } from "../../base/names.ts";
import { parseStrictYaml } from "../../base/strict-yaml.ts";
import { namesIn } from "../../files/atomic-file.ts";
import { lstatSync, orNothing } from "../../files/disk.ts";
import { sha256 } from "../../files/hash.ts";
import { discard } from "../../files/safe-open.ts";
import { fileNameOf, safeJoin } from "../../files/safe-path.ts";
import type { Move } from "../../protocol/protocol.ts";
import type { NextAction } from "../next-action.ts";
import { type Place, readersProject } from "../place.ts";
import { mainCheckout } from "../workspace/main-checkout.ts";
import { ensureUntracked } from "../workspace/workspace.ts";

/**
 * The file that a participant writes the filled draft of a move to; undefined without a draft. It
 * is below the folder where it works, wherever the session does: CLIs let it write there.
 */
export function draftFile(place: Place, participant: string, move: Move): string | undefined {
  const { draft, input } = move;
  if (draft === undefined) return undefined;
  return draftFileAt(place, participant, draft, typeof input === "string" ? "md" : "json");
}

/** The file of a draft, by its number among those of a participant. */
export function draftFileAt(
  place: Place,
  participant: string,
  draft: number,
  extension: "md" | "json",
): string {
  const { root, stem } = draftsOf(place, participant);
  // Anyone who writes there must not write to where a link leads.
  return safeJoin(root, folderName, `${stem}${draft}.${extension}`);
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
  orNothing(() => {
    const folder = safeJoin(root, folderName);
    // In a worktree only the agent itself makes files: its user removes the worktree one day.
    if (current !== undefined && mainCheckout(dirname(root)) === undefined)
      ensureUntracked(root, folderName);
    for (const name of namesIn(folder)) {
      const number = name.startsWith(stem) ? numberOf(name.slice(stem.length)) : undefined;
      const isSent = number !== undefined && number < (current ?? Number.POSITIVE_INFINITY);
      // CLIs let agents write to every name in here: none may lead elsewhere.
      if (isSent || isLink(join(folder, name))) discard(join(folder, name));
    }
  });
}

/** Removes a draft whose message must not lie about in the open, such as a sealed position. */
export function discardDraft(place: Place, participant: string, file: string): void {
  const { root, stem } = draftsOf(place, participant);
  const isDraft = dirname(resolve(file)) === join(root, folderName);
  if (isDraft && basename(file).startsWith(stem)) discard(resolve(file));
}

function isLink(path: string): boolean {
  return lstatSync(path)?.isSymbolicLink() === true;
}

const folderName = "drafts";

function draftsOf(place: Place, participant: string): { root: string; stem: string } {
  const { workspace, id, folder } = place;
  const root = join(readersProject(place), ".consulta");
  // Folders of one name may lie in several places.
  const session =
    workspace === undefined ? `${slugOf(basename(folder))}-${sha256(folder).slice(0, 6)}` : id;
  // No name holds a plus: nobody else's drafts begin so.
  return { root, stem: `${session}+${fileNameOf(participant)}-` };
}

function numberOf(rest: string): number | undefined {
  const [, digits] = /^(\d{1,15})\.(?:json|md)$/.exec(rest) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Reads a message that somebody wrote as JSON, or as YAML where it does not begin like JSON.
 * @throws ConsultaError REFUSED when it is neither.
 */
export async function parseDraftText(text: string): Promise<JsonValue> {
  if (text.trim() === "") {
    throw refused("the message is empty; pipe in the draft that next-action prints, filled in");
  }
  if (text.startsWith("```")) {
    throw refused("the message begins with a code fence; send bare JSON or YAML");
  }
  if (/^\s*[{[]/.test(text)) return parseStrictJson(text, "the message");
  return parseStrictYaml(text, "the message");
}
