import type { JsonObject } from "../../base/json.ts";

/** What the log knows of a finding's content. */
export interface KnownFinding extends JsonObject {
  /** The event that recorded the content. */
  seq: number;
  sha256: string;
}

/**
 * By `agent/NN-topic.md`, in the order in which they were first recorded. In pages, because each event
 * makes a new state: what a page of limited size costs to copy does not grow with the board.
 */
export type KnownFindings = Record<string, KnownFinding>[];

const pageSize = 256;

/** What is known of one finding. */
export function findingIn(findings: KnownFindings, key: string): KnownFinding | undefined {
  return pageOf(findings, key)?.[key];
}

/** The names of all. */
export function knownNames(findings: KnownFindings): string[] {
  return findings.flatMap((page) => Object.keys(page));
}

/** The same with one more, or with a newer content of one. */
export function withFinding(
  findings: KnownFindings,
  key: string,
  known: KnownFinding,
): KnownFindings {
  const page = pageOf(findings, key);
  if (page !== undefined)
    return findings.map((it) => (it === page ? { ...page, [key]: known } : it));
  const last = findings.at(-1);
  if (last === undefined || Object.keys(last).length >= pageSize)
    return [...findings, { [key]: known }];
  return [...findings.slice(0, -1), { ...last, [key]: known }];
}

function pageOf(findings: KnownFindings, key: string): Record<string, KnownFinding> | undefined {
  return findings.find((page) => Object.hasOwn(page, key));
}
