import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { visibleText } from "../base/visible-text.ts";
import type { LogEvent } from "../log/event.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { type EvidenceRecord, holdsWords, parseEvidence } from "../protocol/evidence.ts";
import type { Claim, Flip, Trust } from "./evidence-state.ts";
import { asPart } from "./report-formatting.ts";
import type { ToldMessage } from "./report-story.ts";
import { readBecause } from "./stance.ts";

/** What was seen, by the seq of its event: the state keeps no lines. */
export type Records = ReadonlyMap<number, EvidenceRecord>;

export function recordsIn(events: readonly LogEvent[]): Records {
  const found = new Map<number, EvidenceRecord>();
  for (const { event, seq, record } of events) {
    const read = event === "evidence" ? parseEvidence(record) : undefined;
    if (read !== undefined) found.set(seq, read);
  }
  return found;
}

const [linesShown, lineCharacters] = [5, 160];

/** The first lines of what a claim rests on, for anyone who compares them with its words. */
export function linesSeen(claim: Claim, records: Records): string[] {
  const record = metOf(claim, records).at(-1);
  if (record?.kind === "run") return lineExpected(record);
  if (record === undefined) return [];
  const lines = record.first.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, linesShown).map((line) => `  > ${cut(line)}`.trimEnd());
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `  > (${plural(more, "more line")})`] : shown;
}

/** Of what a command printed, the line that was expected. */
function lineExpected({ expect = "", first, last }: EvidenceRecord): string[] {
  if (expect === "") return [];
  const line = `${first}\n${last}`.split("\n").find((it) => holdsWords(it, expect));
  return line === undefined ? [] : [`  > ${cut(line)}`.trimEnd()];
}

function cut(line: string): string {
  const plain = visibleText(line);
  return plain.length > lineCharacters
    ? `${plain.slice(0, lineCharacters).toWellFormed()}...`
    : plain;
}

function metOf({ records: own }: Claim, records: Records): EvidenceRecord[] {
  return own.flatMap(({ seq, met }) => (met ? (records.get(seq) ?? []) : []));
}

const namesShown = 5;

/** Which files that no commit holds it rests on; "" where none is known. */
export function notCommitted(claim: Claim, records: Records): string {
  const met = metOf(claim, records);
  const names = [...new Set(met.flatMap(ownChanges))];
  if (names.length === 0) return "";
  const shown = names.slice(0, namesShown).map((name) => inline(name, lineCharacters));
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  const what = met.some(({ kind }) => kind === "run") ? "ran on files that were" : "rests on files";
  return `${what} not committed: ${shown.join(", ")}${more}`;
}

/** A command may read anything; lines and searches have read what they name. */
function ownChanges({ kind, spec, dirty = [], first, last }: EvidenceRecord): readonly string[] {
  if (kind === "run") return dirty;
  const parsed = parseCheckSpec(spec);
  if ("fault" in parsed || parsed.kind === "run") return [];
  if (parsed.kind === "lines") return dirty.filter((name) => isPath(name, parsed.path));
  const found = `${first}\n${last}`.split("\n");
  return dirty.filter((name) =>
    found.some((line) => isPath(name, /^(.+?):\d+: /.exec(line)?.[1] ?? "")),
  );
}

/** Names of changed files begin at the repository, which a project may be a folder of. */
function isPath(name: string, path: string): boolean {
  const plain = path.replace(/^(?:\.\/)+/, "");
  return plain !== "" && (name === plain || name.endsWith(`/${plain}`));
}

/** Why a side changed its position: what the evidence looked at, and the words beside it. */
export function causeText(
  { seq, evidence, judgement }: Flip,
  trust: Trust,
  said: readonly ToldMessage[],
): string {
  if (evidence.length === 0)
    return judgement === "" ? "by a synthesis of both" : `on judgement: ${asPart(judgement)}`;
  const looks = evidence.map((id) => {
    const spec = trust.evidence.find((it) => `E${it.seq}` === id)?.spec;
    return spec === undefined ? id : `${id} (${asPart(spec)})`;
  });
  const because = said.find((it) => it.seq === seq)?.message.because ?? [];
  const words = becauseWords(typeof because === "string" ? [because] : because);
  return `because of ${looks.join(", ")}${words === "" ? "" : `: ${inline(words)}`}`;
}

/** What stands beside the ids. */
function becauseWords(entries: readonly string[]): string {
  const { judgement } = readBecause(entries);
  const beside = entries.flatMap((it) => {
    const [, words = ""] = /^\s*(?:E\d{1,15}[\s,;:.]*)+(.*)$/s.exec(it) ?? [];
    return words.trim() === "" ? [] : [words.trim()];
  });
  return [...beside, ...(judgement === "" ? [] : [judgement])].join("; ");
}
