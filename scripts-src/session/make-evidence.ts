import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { inline, quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { checkerAt } from "../evidence/claim-evidence.ts";
import { type AllowedCheck, type Ask, requireConsent } from "../evidence/consent.ts";
import { type Checker, readCheck } from "../evidence/record-reading.ts";
import { runCheck } from "../evidence/run-check.ts";
import { type CheckSpec, parseCheckSpec, specText } from "../protocol/check-spec.ts";
import {
  type EvidenceProcess,
  type EvidenceRecord,
  expectFault,
  isClaimId,
} from "../protocol/evidence.ts";
import type { ClaimMade } from "../protocol/protocol.ts";
import { addEvidence } from "./append-event.ts";
import { openSession } from "./open.ts";
import { type Place, readersProject } from "./place.ts";
import type { Session } from "./session.ts";

/** What is to be looked at: a claim's own check, or a free observation. */
export type EvidenceAsked =
  | { readonly claim: string }
  | { readonly spec: CheckSpec; readonly expect: string | undefined };

/** Who may be asked, what is allowed beside the user's settings, and for which AI CLI it is done. */
interface Means {
  readonly ask?: Ask | undefined;
  readonly allowed?: readonly AllowedCheck[];
  readonly cli?: EvidenceProcess;
  readonly signal?: AbortSignal;
}

/** A record that is in the log, as `E<seq>`. */
export interface MadeEvidence {
  readonly seq: number;
  readonly record: EvidenceRecord;
  readonly claim: ClaimMade | undefined;
}

/**
 * Looks, or runs what the user allows, and enters what came out for a participant. A crash before that
 * leaves nothing: the same command again looks again.
 * @throws ConsultaError REFUSED in one line; then nothing is recorded.
 */
export async function makeEvidence(
  place: Place,
  participant: string,
  wanted: EvidenceAsked,
  means: Means,
  clock: Clock,
): Promise<MadeEvidence> {
  const session = await openSession(place, {
    ...{ fetch: "must", changes: "enter" },
    ...{ participant, clock },
  });
  const claims = openClaims(session);
  const claim = "claim" in wanted ? claimNamed(wanted.claim, claims) : undefined;
  const { spec, expect } = "claim" in wanted ? checkOf(claimNamed(wanted.claim, claims)) : wanted;
  requireReadable(spec, expect);
  const known = await checkerAt(readersProject(place), [spec], means.cli);
  const checker = claim === undefined ? known : { ...known, said: claim.text };
  const absent = claim === undefined ? "refused" : "recorded";
  const seen = await seenBy(spec, expect, checker, means, absent);
  const record = claim === undefined ? seen : { claim: claim.id, ...seen };
  const { seq } = await addEvidence(session, participant, record, clock);
  return { seq, record, claim };
}

/** @throws ConsultaError REFUSED where evidence has no place: nothing is run for nothing. */
function openClaims({ kind, state, place }: Session): ClaimMade[] {
  const claims = kind.claims?.(state);
  const { ended, phase } = kind.standing(state);
  if (claims === undefined) {
    const reason = `session ${place.id} is a ${kind.name}, which keeps no evidence`;
    throw refused(`${reason}; check belongs to dialogues`);
  }
  if (!ended) return claims;
  const way = "check --replay repeats what was recorded";
  throw refused(`session ${place.id} has ended (${phase}); ${way}`);
}

function claimNamed(id: string, claims: readonly ClaimMade[]): ClaimMade {
  const found = isClaimId(id) ? claims.find((it) => it.id === id) : undefined;
  if (found !== undefined && !found.withdrawn) return found;
  if (found !== undefined) throw refused(`${id} was withdrawn by its author`);
  const known = claims.filter(({ withdrawn }) => !withdrawn).map((it) => it.id);
  const hint = nameHint(id, known, "there are:");
  throw refused(`there is no claim ${quote(id)}; ${hint}`);
}

function checkOf({ id, check, expect }: ClaimMade) {
  if (check === "") {
    const way = "run check with --cite, --find or --run, and name that record in checks";
    throw refused(`${id} is a disputed fact that names no check; ${way}`);
  }
  const spec = parseCheckSpec(check);
  if ("fault" in spec) {
    const way = "say not_run with the reason";
    throw refused(`the check of ${id} cannot be made: ${spec.fault}; ${way}`);
  }
  return { spec, expect: expect === "" ? undefined : expect };
}

function requireReadable(spec: CheckSpec, expect: string | undefined): void {
  const fault = expect === undefined ? undefined : expectFault(expect);
  if (fault !== undefined) throw refused(fault);
  const again = parseCheckSpec(specText(spec));
  if (!("fault" in again) && again.kind === spec.kind) return;
  const what = "fault" in again ? again.fault : `it is read as ${again.kind}`;
  throw refused(`${inline(specText(spec))} cannot be recorded: ${what}`);
}

async function seenBy(
  spec: CheckSpec,
  expect: string | undefined,
  checker: Checker,
  { ask, allowed, signal }: Means,
  absent: "refused" | "recorded",
): Promise<EvidenceRecord> {
  if (spec.kind !== "run") return readCheck(spec, expect, checker, absent);
  await requireConsent(spec.argv, checker.project, ask, allowed);
  return runCheck(spec, expect, checker, signal);
}
