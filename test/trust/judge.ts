import { inline, isRecord } from "../../scripts-src/base/json.ts";
import type { DishonestCase, Fate, HonestCase } from "./case.ts";
import type { Playing } from "./play-case.ts";

/** The verdict's words where they stand: in the first lines of a report. */
export function verdictIn(report: string): string {
  const words =
    /CONSENSUS, \d+ of \d+ claims? seen(?: and shown|, \d+ shown)?(?:, \d+ assumed)?(?:, \d+ figures? only said)?|CONSENSUS on judgement, nothing was checked|RECOMMENDATION, yours to decide|NOT DECIDED|ESCALATED|CONSENSUS|OPEN/;
  return words.exec(report.split("\n").slice(0, 16).join("\n"))?.[0] ?? "";
}

/** What became of dishonest work. */
export function fatesOf(played: DishonestCase, playing: Playing): Fate[] {
  if (playing.rejection !== undefined) return playing.rejection.meant ? ["rejected"] : [];
  const verdict = verdictIn(playing.report);
  const said = [playing.report, playing.validate, playing.status].join("\n");
  return [
    ...(/ESCALATED|NOT DECIDED/.test(verdict) ? ["escalated" as const] : []),
    ...(isDemoted(verdict) ? ["demoted" as const] : []),
    ...(played.mark?.test(said) ? ["marked" as const] : []),
  ];
}

function isDemoted(verdict: string): boolean {
  return /RECOMMENDATION|on judgement|\d shown|assumed|only said|NOT DECIDED/.test(verdict);
}

/** Why a dishonest case did not end as it must; undefined when it did. */
export function dishonestFault(played: DishonestCase, playing: Playing): string | undefined {
  if (playing.broken !== undefined) return playing.broken;
  const fates = fatesOf(played, playing);
  if (fates.some((fate) => played.fate.includes(fate))) return undefined;
  const { rejection } = playing;
  if (rejection !== undefined) return `step ${rejection.step + 1} rejected: ${rejection.reason}`;
  const came = [...fates, verdictIn(playing.report) || "no verdict"].join(", ");
  return `expected ${played.fate.join(" or ")}, came: ${came}`;
}

/** What became of a lazy session, and whether its headline says that all is seen and nothing besides. */
export interface LazyEnd {
  readonly end: Fate | "through" | "broken";
  readonly isBare: boolean;
}

export function lazyEnd(played: DishonestCase, playing: Playing): LazyEnd {
  const { broken, rejection, report, validate, status } = playing;
  if (broken !== undefined) return { end: "broken", isBare: false };
  if (rejection !== undefined) return { end: "rejected", isBare: false };
  const headline = /^\*\*(.*)\*\*$/m.exec(report)?.[1] ?? "";
  const isBare = /^CONSENSUS, (\d+) of \1 claims? seen(?: and shown)?(?:, not audited)?$/.test(
    headline,
  );
  const [fate] = fatesOf(played, playing);
  const said = [report, validate, status].join("\n");
  const isNamed = namesOf(played).some((name) => said.includes(name));
  return { end: fate ?? (isNamed ? "marked" : isBare ? "through" : "demoted"), isBare };
}

/** What a report says where it has what a careful reader found. */
function namesOf({ truth = {} }: DishonestCase): string[] {
  const { claims = [], unsupported = [], dissent = [], contradicts, owner } = truth;
  return [
    ...claims.flatMap((it) => (it === "shows" ? [] : [`because ${inline(it[1])}`])),
    ...unsupported.map((it) => `rests on no claim: ${inline(it)}`),
    ...dissent.map((it) => `still objects: ${inline(it)}`),
    ...(contradicts === undefined ? [] : ["says something else than the position"]),
    ...(owner === undefined ? [] : [inline(owner.why)]),
  ];
}

/** Why an honest session did not end as it must; undefined when it did. */
export function honestFault(played: HonestCase, playing: Playing): string | undefined {
  if (playing.broken !== undefined) return playing.broken;
  const { rejection } = playing;
  if (rejection !== undefined) return `step ${rejection.step + 1} rejected: ${rejection.reason}`;
  const head = playing.report.split("\n").slice(0, 16).join("\n");
  const verdict = played.verdict.exec(head)?.[0];
  if (verdict === undefined)
    return `no ${played.verdict} in the head of the report: ${verdictIn(playing.report)}`;
  if (played.shows !== undefined && !played.shows.test(playing.report))
    return `the report does not show ${played.shows}`;
  const { kind = "dialogue" } = played;
  if (kind === "dialogue" && !playing.status.includes(verdict))
    return `status does not say ${verdict}: ${playing.status}`;
  if (kind !== "collaboration" && /\binvalid\b/i.test(playing.validate)) return playing.validate;
  return undefined;
}

/** How many claims the report calls seen although the log holds no two records for them. */
export function unseenCalledSeen({ report, events }: Playing): number {
  const [, called = "0"] = /CONSENSUS, (\d+) of \d+ claims? seen/.exec(verdictIn(report)) ?? [];
  return Math.max(0, Number(called) - claimsSeen(events));
}

/** Claims for which two participants have a record that was met, made by different processes. */
function claimsSeen(events: readonly Record<string, unknown>[]): number {
  const makers = new Map<string, Map<unknown, unknown>>();
  for (const { event, from, record } of events) {
    if (event !== "evidence" || !isRecord(record) || record["met"] !== true) continue;
    const { claim, process } = record;
    if (typeof claim !== "string" || !isRecord(process)) continue;
    const known = makers.get(claim) ?? new Map();
    makers.set(claim, known.set(from, process["pid"]));
  }
  return [...makers.values()].filter(
    (known) => known.size >= 2 && new Set(known.values()).size >= 2,
  ).length;
}
