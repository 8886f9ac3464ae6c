import { defined } from "../base/omit-undefined.ts";
import { cliPidAbove } from "../clis/detect-parent-cli.ts";
import { lookAtProcesses } from "../clis/process-table.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";

/**
 * The `process` field of an evidence record: pid and start time of this script and of its AI CLI. `cli` is the
 * CLI that the check is made for, where that runs elsewhere; without it the nearest above is taken.
 */
export async function processOfRecord(cli?: EvidenceProcess): Promise<EvidenceRecord["process"]> {
  const look = await lookAtProcesses();
  const named = (pid: number) => ({ pid, started: look(pid)?.started ?? "" });
  const above = cli === undefined ? cliPidAbove() : undefined;
  const running = cli ?? (above === undefined ? undefined : named(above));
  return { ...named(process.pid), ...defined({ cli: running }) };
}
