import { setTimeout } from "node:timers/promises";
import { ConsultaError, type ErrorCode } from "../base/errors.ts";
import { visibleText } from "../base/visible-text.ts";
import { existsSync, lstatSync } from "../files/disk.ts";
import { kindWithoutLog } from "../session/kinds.ts";
import { type Place, placeToMake } from "../session/place.ts";

/** An original makes the folder first and its files later: so long a young one is given. */
const patienceMs = 2_000;
const lookMs = 25;
const youngMs = 10_000;

/**
 * The board in a folder that the user named.
 * @throws ConsultaError `missing` when there is no such folder or it holds no board.
 */
export async function boardAt(path: string, missing: ErrorCode = "REFUSED"): Promise<Place> {
  requirePath(path);
  const place = placeToMake(path);
  if (await isWholeBoard(place.folder)) return place;
  if (existsSync(place.folder)) throw noBoard(path, missing);
  const named = visibleText(path);
  throw new ConsultaError(
    missing,
    `no board at ${named}: there is no such folder; make one with init ${named} N, N the number of agents`,
  );
}

/** @throws ConsultaError REFUSED for a path of nothing, which would mean the folder one is in. */
export function requirePath(path: string): void {
  if (path.trim() !== "") return;
  throw new ConsultaError("REFUSED", `"${path}" is no folder; give the path of the board's folder`);
}

export function noBoard(path: string, code: ErrorCode = "REFUSED"): ConsultaError {
  const named = visibleText(path);
  return new ConsultaError(
    code,
    `${named} is no board: meta.md or agents.md is missing; name another folder, or make a board in a new one with init`,
  );
}

/** Whether a board lies there; one that somebody is making right now is waited for. */
export async function isWholeBoard(folder: string): Promise<boolean> {
  for (let waited = 0; kindWithoutLog(folder) !== "findings"; waited += lookMs) {
    if (waited >= patienceMs || !isYoung(folder)) return false;
    await setTimeout(lookMs);
  }
  return true;
}

function isYoung(folder: string): boolean {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    return found?.isDirectory() === true && Date.now() - found.mtimeMs < youngMs;
  } catch {
    // Behind a file, too long to be a name: nothing is there, whatever the reason.
    return false;
  }
}
