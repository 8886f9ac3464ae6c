import { ConsultaError } from "../base/errors.ts";
import { defined } from "../base/omit-undefined.ts";
import { cliPidAbove } from "../clis/detect-parent-cli.ts";
import { lookAtProcesses } from "../clis/is-running.ts";
import { type CheckSpec, citedPaths } from "../protocol/check-spec.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";
import type { EvidenceNeeded } from "../protocol/protocol.ts";
import { gitState } from "./git-state.ts";
import { recheck } from "./recheck.ts";
import { type Checker, emptyRecord, readCheck } from "./record-reading.ts";

/** What was seen for a claim: its place in the draft, or the id of an older one. */
export interface ClaimEvidence {
  readonly claim: number | string;
  readonly record: EvidenceRecord;
}

/** Who looks at a project now, and for which checks; `cli` where the AI CLI that it is done for runs elsewhere. */
export async function checkerAt(
  project: string,
  specs: readonly CheckSpec[],
  cli?: EvidenceProcess,
): Promise<Checker> {
  const isForRun = specs.some(({ kind }) => kind === "run");
  const git = await gitState(project, process.env, isForRun ? "all" : specs.flatMap(citedPaths));
  return { project, process: await processOfRecord(cli), git };
}

/**
 * Reads what claims rest on, in their order.
 * @throws ConsultaError REFUSED naming the claim, where a new one cites what cannot be read or is not there.
 */
export async function claimEvidence(
  project: string,
  needed: readonly EvidenceNeeded[],
  cli?: EvidenceProcess,
): Promise<ClaimEvidence[]> {
  const checker = await checkerAt(
    project,
    needed.map(({ spec }) => spec),
    cli,
  );
  return needed.flatMap((it) => {
    const record = typeof it.claim === "number" ? seenAnew(it, checker) : seenAgain(it, checker);
    return record === undefined ? [] : [{ claim: it.claim, record }];
  });
}

function seenAnew({ claim, spec, expect, text = "" }: EvidenceNeeded, checker: Checker) {
  if (spec.kind === "run") return undefined;
  try {
    return readCheck(spec, expect, { ...checker, said: text });
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    throw new ConsultaError(cause.code, `claims[${claim}].check: ${cause.message}`, { cause });
  }
}

/** Where the same lines stand elsewhere now, they are seen there; what is gone is not met. */
function seenAgain({ spec, expect, sha256 }: EvidenceNeeded, checker: Checker) {
  if (spec.kind === "run") return undefined;
  const found = tryLook(spec, expect, checker);
  if (sha256 === undefined || found.sha256 === sha256) return found;
  const since = recheck({ ...found, sha256, met: true }, checker.project);
  return since?.now === "moved" ? { ...found, met: true, sha256 } : found;
}

function tryLook(
  spec: Parameters<typeof readCheck>[0],
  expect: string | undefined,
  checker: Checker,
) {
  try {
    return readCheck(spec, expect, checker, "recorded");
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    return emptyRecord(spec, expect, checker);
  }
}

/**
 * The `process` field of an evidence record: pid and start time of this script and of its AI CLI. `cli` is the
 * CLI that the check is made for, where that runs elsewhere; without it the nearest above is taken.
 */
async function processOfRecord(cli?: EvidenceProcess): Promise<EvidenceRecord["process"]> {
  const look = await lookAtProcesses();
  const named = (pid: number) => ({ pid, started: look(pid)?.started ?? "" });
  const above = cli === undefined ? cliPidAbove() : undefined;
  const running = cli ?? (above === undefined ? undefined : named(above));
  return { ...named(process.pid), ...defined({ cli: running }) };
}
