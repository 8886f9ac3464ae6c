import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import type { Place } from "../app/place.ts";
import { lookAtProcesses } from "../app/processes.ts";
import { type CliProcess, leaveSeats, takeSeat } from "../app/seats.ts";
import type { Standing } from "../core/protocol.ts";
import { realpathSync } from "../store/disk.ts";
import { homeFolder } from "../store/home-folder.ts";
import { cliProcess, isInCli } from "./cli-process.ts";
import { systemClock } from "./clock.ts";

/**
 * Notes that the CLI which runs this script plays the participant, so that its hooks know for whom
 * to wait. Nothing to note outside a CLI, and in a turn of `consult`, which wakes its participants
 * itself. Never fails: without a seat only the hooks are quiet.
 */
export async function takeSeatHere(
  { folder }: Place,
  participant: string,
  { seq }: Pick<Standing, "seq">,
): Promise<void> {
  if (!isInCli()) return;
  try {
    const cli = await cliProcess();
    if (cli === undefined) return;
    takeSeat(homeFolder(), cli, seatIn(folder, participant, seq));
  } catch {
    return;
  }
}

/**
 * Notes that this run of `consult` plays all participants, so that no window is woken for them
 * meanwhile; gives what takes that back. Never fails.
 */
export async function takeAllSeats(
  { folder }: Place,
  { participants, seq }: Standing,
): Promise<() => void> {
  try {
    const started = (await lookAtProcesses())(process.pid)?.started ?? "";
    const own: CliProcess = { pid: process.pid, host: hostname(), started, cli: "consult" };
    for (const name of participants) takeSeat(homeFolder(), own, seatIn(folder, name, seq));
    return () => leaveSeats(homeFolder(), own);
  } catch {
    return () => undefined;
  }
}

function seatIn(folder: string, participant: string, seq: number) {
  return {
    folder: realpathSync.native(folder),
    participant,
    at: systemClock.now(),
    seq,
    scripts: resolve(dirname(process.argv[1] ?? ".")),
  };
}
