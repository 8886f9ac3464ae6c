import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { namesIn } from "./atomic-file.ts";
import { lstatSync } from "./disk.ts";
import { orNothing } from "./errno.ts";

export interface SharingFault {
  readonly reason: string;
  readonly remedy: string;
}

/** Set by `--allow-shared` and inherited by what a script starts; hooks have no options at all. */
export const sharedVariable = "CONSULTA_ALLOW_SHARED";

export function isSharingAllowed(): boolean {
  return process.env[sharedVariable] === "1";
}

export function allowSharing(): void {
  process.env[sharedVariable] = "1";
}

/**
 * Checks that nobody else can put anything into a workspace. What is below counts where others may
 * enter: what is directly in it, and the session that is `named`.
 * @throws ConsultaError REFUSED with the line that makes it the caller's own; never with
 * `--allow-shared`.
 */
export function checkOwnWorkspace(root: string, named?: string): void {
  const fault = sharingFault(root, named);
  if (fault === undefined) return;
  const { reason, remedy } = fault;
  const unless = "if it is shared on purpose: --allow-shared";
  throw new ConsultaError("REFUSED", `${reason}: ${remedy}; ${unless}`);
}

/** What lets others put something into a workspace, and what ends that; undefined with `--allow-shared`. */
export function sharingFault(root: string, session?: string): SharingFault | undefined {
  // Windows has neither owner nor mode.
  if (process.geteuid === undefined || isSharingAllowed()) return undefined;
  const status = statusOf(root);
  // Who opens what is no folder says what is wrong with it.
  if (status?.isDirectory() !== true) return undefined;
  const fault = faultOf(root, root, status) ?? replacing(root);
  const mayOthersEnter = (status.mode & 0o011) !== 0;
  if (fault !== undefined || !mayOthersEnter) return fault;
  const places = [join("sessions", session ?? ""), join("sessions", session ?? "", "events.jsonl")];
  for (const path of (session === undefined ? namesIn(root) : places).map((it) => join(root, it))) {
    const below = statusOf(path);
    const found = below && faultOf(path, root, below);
    if (found !== undefined) return found;
  }
  return undefined;
}

function faultOf(path: string, root: string, { uid, mode }: Stats): SharingFault | undefined {
  if (!isMine(uid)) {
    const reason = `${shellWord(path)} belongs to user ${uid}, you are ${process.geteuid?.()}`;
    return {
      reason: `${reason}; in your project make one of your own`,
      remedy: "mkdir -m 700 .consulta",
    };
  }
  if ((mode & 0o022) === 0) return undefined;
  const rights = (mode & 0o777).toString(8);
  const reason = `${shellWord(path)} can be written by others (mode ${rights})`;
  return { reason, remedy: `chmod -R go-w ${shellWord(root)}` };
}

/** Whether something is the caller's, and nobody else may write to it; so on Windows, which cannot tell. */
export function isOwnAlone({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return process.geteuid === undefined || (isMine(uid) && (mode & 0o022) === 0);
}

/** Whether a folder is the caller's, with `name` in it; each is with `--allow-shared`. */
export function isOwnWith(folder: string, name: string): boolean {
  if (process.geteuid === undefined || isSharingAllowed()) return true;
  return [folder, join(folder, name)].every((path) => isMine(statusOf(path)?.uid ?? -1));
}

/** Whether anybody may put something into a folder, as into the one for temporary files. */
export function isOpenToAll(folder: string): boolean {
  if (process.geteuid === undefined || isSharingAllowed()) return false;
  return ((statusOf(folder)?.mode ?? 0) & 0o002) !== 0;
}

/** Anyone who may rename a folder puts another in its place; a sticky folder keeps them from it. */
function replacing(folder: string): SharingFault | undefined {
  const parent = dirname(folder);
  const { mode = 0 } = statusOf(parent) ?? {};
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return undefined;
  return {
    reason: `anybody can replace ${shellWord(folder)}`,
    remedy: `chmod o-w ${shellWord(parent)}`,
  };
}

/** With sudo one works in one's own files, as git sees it as well. */
function isMine(uid: number): boolean {
  const user = process.geteuid?.();
  return uid === user || (user === 0 && String(uid) === process.env["SUDO_UID"]);
}

function statusOf(path: string): Stats | undefined {
  // Who opens it says what is wrong with it.
  return orNothing(() => lstatSync(path));
}
