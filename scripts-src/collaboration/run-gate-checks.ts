import { join, relative, sep } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { requireConsent } from "../evidence/consent.ts";
import { type Looker, look } from "../evidence/record-reading.ts";
import { runCheck } from "../evidence/run-check.ts";
import { appendToFile } from "../files/atomic-file.ts";
import { type CheckSpec, specText } from "../protocol/check-spec.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import { lookerAt } from "../session/claim-evidence.ts";
import type { Place } from "../session/place.ts";
import { loadSession } from "../session/session.ts";
import { gateEvidenceFile, gateEvidenceLine, gatesOf } from "./rules/gate-checks.ts";
import { parseSettings } from "./rules/settings.ts";

/**
 * Runs the checks that gates carry when the owner is about to pass readiness or to complete, and keeps
 * the results beside the log. A command runs only when the user's own settings list it: protocol.json
 * permits nothing. Returns one line for each check that could not be run.
 * @throws ConsultaError REFUSED before `completed` over a check that fails.
 */
export async function runGateChecks(
  place: Place,
  participant: string,
  event: string,
  clock: Clock,
): Promise<string[]> {
  const session = await loadSession(place);
  if (session.kind.name !== "collaboration") return [];
  const { phase, waitingFor } = session.machine.standing();
  const gates = gatesOf(parseSettings(session.settings.text));
  const isDue = phase === "readiness_check" && waitingFor.includes(participant);
  if (!isDue || gates.every(({ spec }) => spec === undefined)) return [];
  const looker = await lookerAt(
    place,
    gates.flatMap(({ spec }) => spec ?? []),
  );
  const notes: string[] = [];
  const failed: string[] = [];
  for (const { text, spec } of gates) {
    if (spec === undefined) continue;
    const seen = withoutOwnDocuments(
      await tryCheck(spec, looker),
      relative(looker.project, place.folder),
    );
    if ("fault" in seen)
      notes.push(`gate ${inline(text, 200)}: its check was not made: ${seen.fault}`);
    else {
      const evidence = { gate: text, by: participant, at: clock.now(), record: seen };
      appendToFile(join(place.folder, gateEvidenceFile), gateEvidenceLine(evidence));
      if (!seen.met) failed.push(`${inline(text, 200)} (${inline(specText(spec), 300)})`);
    }
  }
  if (event !== "completed" || failed.length === 0) return notes;
  throw new ConsultaError(
    "REFUSED",
    `the check of a completion gate fails: ${failed.join(", ")}; meet the gate and append completed again, or append blocked`,
  );
}

/** A check that only documents of this collaboration meet proves nothing. */
function withoutOwnDocuments(seen: EvidenceRecord | { fault: string }, folder: string) {
  if ("fault" in seen || seen.kind === "run" || !seen.met) return seen;
  const own = folder.split(sep).join("/");
  const paths = seen.kind === "lines" ? [seen.spec] : wholeLines(seen);
  const isOwn = own !== "" && paths.length > 0 && paths.every((it) => it.startsWith(`${own}/`));
  return isOwn ? { fault: `only documents of this collaboration, in ${own}, meet it` } : seen;
}

/** The lines of a record. A long one is kept as two parts: the lines at their cut ends are not whole. */
function wholeLines({ first, last }: EvidenceRecord): string[] {
  const lines = first.split("\n");
  if (last === "") return lines.filter((line) => line !== "");
  return [...lines.slice(0, -1), ...last.split("\n").slice(1)].filter((line) => line !== "");
}

async function tryCheck(spec: CheckSpec, looker: Looker) {
  try {
    if (spec.kind !== "run") return look(spec, undefined, looker, "recorded");
    await requireConsent(spec.argv, looker.project, undefined);
    return await runCheck(spec, undefined, looker);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: cause.message };
  }
}
