import { ConsultaError } from "../base/errors.ts";
import { gitState } from "../evidence/git-state.ts";
import { processOfRecord } from "../evidence/process-of-record.ts";
import { lookAgain } from "../evidence/recheck.ts";
import { type Looker, look, unseen } from "../evidence/record-reading.ts";
import { type CheckSpec, citedPaths } from "../protocol/check-spec.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";
import type { EvidenceNeeded } from "../protocol/protocol.ts";
import { type Place, readersProject } from "./place.ts";

/** What was seen for a claim: its place in the draft, or the id of an older one. */
export interface SeenForClaim {
  readonly claim: number | string;
  readonly record: EvidenceRecord;
}

/**
 * Who looks at a session's project now, and for which checks; `cli` where the AI CLI that it is done for
 * runs elsewhere.
 */
export async function lookerAt(
  place: Place,
  specs: readonly CheckSpec[],
  cli?: EvidenceProcess,
): Promise<Looker> {
  const project = readersProject(place);
  const git = await gitState(project, process.env, specs.flatMap(citedPaths));
  return { project, process: await processOfRecord(cli), git };
}

/**
 * Reads what claims rest on, in their order.
 * @throws ConsultaError REFUSED naming the claim, where a new one cites what cannot be read or is not there.
 */
export async function seenFor(
  place: Place,
  needed: readonly EvidenceNeeded[],
  cli?: EvidenceProcess,
): Promise<SeenForClaim[]> {
  const looker = await lookerAt(
    place,
    needed.map(({ spec }) => spec),
    cli,
  );
  return needed.flatMap((it) => {
    const record = typeof it.claim === "number" ? seenAnew(it, looker) : seenAgain(it, looker);
    return record === undefined ? [] : [{ claim: it.claim, record }];
  });
}

function seenAnew({ claim, spec, expect }: EvidenceNeeded, looker: Looker) {
  if (spec.kind === "run") return undefined;
  try {
    return look(spec, expect, looker);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    throw new ConsultaError(cause.code, `claims[${claim}].check: ${cause.message}`, { cause });
  }
}

/** Where the same lines stand elsewhere now, they are seen there; what is gone is not met. */
function seenAgain({ spec, expect, sha256 }: EvidenceNeeded, looker: Looker) {
  if (spec.kind === "run") return undefined;
  const found = tryLook(spec, expect, looker);
  if (sha256 === undefined || found.sha256 === sha256) return found;
  const since = lookAgain({ ...found, sha256, met: true }, looker.project);
  return since?.now === "moved" ? { ...found, met: true, sha256 } : found;
}

function tryLook(spec: Parameters<typeof look>[0], expect: string | undefined, looker: Looker) {
  try {
    return look(spec, expect, looker, "recorded");
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    return unseen(spec, expect, looker);
  }
}
