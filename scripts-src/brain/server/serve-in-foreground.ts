import { dirname } from "node:path";
import { ConsultaError, exitCodes } from "../../base/errors.ts";
import type { Arguments } from "../../script/arguments.ts";
import { systemClock } from "../../script/clock.ts";
import { catchInterruption } from "../../script/interruption.ts";
import { print, printErrorLines } from "../../script/output.ts";
import { workspaceMade } from "../../session/session-options.ts";
import type { BrainKey } from "../brain-key.ts";
import { refuseBrainOff, refuseForeignOptions } from "../client/brain-options.ts";
import { printWhereToRun } from "../client/sandbox-error.ts";
import { loadSqlite } from "../store/load-sqlite.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
import { serveBrain } from "./serve-brain.ts";
import { readUserSettings } from "./user-settings.ts";

const idleMinutes = 30;

/** Runs the brain of a project here, until it is stopped or nobody has needed it for long. */
export async function serveHere(args: Arguments): Promise<number> {
  refuseForeignOptions(args);
  refuseBrainOff(args);
  // Before anything is written: an older Node has no database to keep it in.
  await loadSqlite();
  const { root } = await workspaceMade(args);
  const adopts = args.has("adopt");
  const interruption = catchInterruption();
  const options = {
    root,
    project: dirname(root),
    settings: () => readUserSettings(process.env),
    environment: process.env,
    idleMs: idleMsOf(args),
    now: systemClock.now,
    openStore: (folder: string, key: BrainKey) =>
      openSqliteStore(folder, { owner: { key, adopts } }),
    ready: ({ port }: { port: number }) => print(`${JSON.stringify({ port, pid: process.pid })}\n`),
  };
  const reason = await serveBrain(options, interruption.signal).catch(printWhereToRun);
  interruption.release();
  printErrorLines(
    reason === undefined ? "another brain serves this project" : `stopped: ${reason}`,
  );
  return interruption.exitCode() ?? exitCodes.OK;
}

function idleMsOf(args: Arguments): number {
  const minutes = Number(args.one("idle-minutes") ?? idleMinutes);
  if (minutes > 0 && minutes <= 10_080) return minutes * 60_000;
  throw new ConsultaError(
    "REFUSED",
    `--idle-minutes is ${args.one("idle-minutes")}, expected a number above 0, at most 10080`,
  );
}
