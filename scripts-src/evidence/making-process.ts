import { defined } from "../base/defined.ts";
import { cliPidAbove } from "../clis/cli-above.ts";
import { lookAtProcesses } from "../clis/processes.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";

/**
 * The process that makes a record: this script, and the AI CLI that ran it, or that it is done for.
 */
export async function makingProcess(cli?: EvidenceProcess): Promise<EvidenceRecord["process"]> {
  const look = await lookAtProcesses();
  const named = (pid: number) => ({ pid, started: look(pid)?.started ?? "" });
  const above = cli === undefined ? cliPidAbove() : undefined;
  const running = cli ?? (above === undefined ? undefined : named(above));
  return { ...named(process.pid), ...defined({ cli: running }) };
}
