import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { commandText, isAllowed } from "../evidence/consent.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { type EvidenceProcess, lookedFor } from "../protocol/evidence.ts";
import type { ClaimMade } from "../protocol/protocol.ts";
import { makeEvidence } from "../session/make-evidence.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import { evidenceOf } from "../session/recorded-evidence.ts";
import type { Run } from "./run-context.ts";
import { quoted } from "./turn-prompt.ts";

/**
 * Makes the records that a participant's CLI cannot make because it has no shell: of each claim that it has
 * not looked at. Lines and searches are read; a command runs where the user allowed it.
 */
export async function lookForParticipant(
  run: Run,
  participant: string,
  signal: AbortSignal,
): Promise<void> {
  for (const claim of await unlookedClaims(run, participant)) {
    if (signal.aborted) return;
    run.progress.checking(`${claim.id} for ${participant}: ${inline(claim.check, 120)}`);
    const fault = await lookAt(run, participant, claim, signal);
    run.progress.checking("");
    if (fault === undefined || run.unlooked.has(`${participant} ${claim.id}`)) continue;
    run.unlooked.add(`${participant} ${claim.id}`);
    run.progress.note(`${claim.id} is not looked at for ${participant}: ${fault}`);
  }
}

async function unlookedClaims({ place }: Run, participant: string): Promise<ClaimMade[]> {
  const { kind, state } = await openSession(place);
  if (kind.standing(state).ended) return [];
  const claims = kind.claims?.(state) ?? [];
  // A disputed fact has no check before somebody has looked.
  return claims.filter(
    (it) => !it.withdrawn && it.check !== "" && !it.lookedAtBy.includes(participant),
  );
}

/** Why there is no record; undefined when there is one. */
async function lookAt(
  { place, clock, allowedChecks }: Run,
  participant: string,
  { id, check }: ClaimMade,
  signal: AbortSignal,
): Promise<string | undefined> {
  const spec = parseCheckSpec(check);
  if ("fault" in spec) return spec.fault;
  if (spec.kind === "run" && !isAllowed(spec.argv, allowedChecks)) {
    const shown = inline(commandText(spec.argv), 120);
    return `${shown} runs only if you allow it: --allow-check, or checks: in ~/.consulta/config.yaml`;
  }
  try {
    const means = { allowed: allowedChecks, cli: doneFor(participant), signal };
    await makeEvidence(place, participant, { claim: id }, means, clock);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return cause.message;
  }
}

/** Names what is done for one participant: of each side's records each counts as a process of its own. */
export function doneFor(participant: string): EvidenceProcess {
  return { pid: process.pid, started: lookedFor(participant) };
}

/** What is put before a participant of its own records, one by one. */
const shownMax = 12;

/** What scripts saw for a participant of the others' claims, framed as data. */
export async function seenForParticipant(place: Place, participant: string): Promise<string[]> {
  const { kind, state } = await openSession(place);
  const others = (kind.claims?.(state) ?? []).filter(
    (it) => it.by !== participant && !it.withdrawn,
  );
  if (others.length === 0) return [];
  const own = (await evidenceOf(place)).filter(({ by }) => by === participant);
  const shown = others.flatMap(({ id }) => {
    const newest = own.findLast(({ record }) => record.claim === id);
    if (newest === undefined) return [];
    const { seq, record } = newest;
    const says = record.met ? "holds" : "fails";
    const text = [record.first, record.last].filter((part) => part !== "").join("\n...\n");
    return [quoted(`E${seq}: ${id} ${says} (${record.kind} ${inline(record.spec, 120)})`, text)];
  });
  if (shown.length === 0) return [];
  const head =
    "Looked at for you by a script; these records are yours, and you may point at them in checks:";
  return [head, ...shown.slice(-shownMax), ""];
}
