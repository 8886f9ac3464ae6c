import { quote } from "../../base/json.ts";
import { sectionsIn, textsAfter } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files } from "../../protocol/protocol.ts";
import {
  type Deliverable,
  type Deliverables,
  deliverablesIn,
  foldersUpOf,
  pathInDeliverables,
  referenceOf,
  sectionsOf,
} from "./deliverables.ts";
import { isInside } from "./draft.ts";
import { type Fault, fault, faultAt, textsOf } from "./faults.ts";
import type { Settings } from "./settings.ts";
import { type Attempt, attemptOf } from "./transitions.ts";

/** Whether the event is about a deliverable; only schema 2 has such events. */
export function isDeliverableEvent({ schema }: Settings, event: string): boolean {
  return schema === 2 && /^deliverable_(?:drafted|revised|frozen)$/.test(event);
}

/** The declared deliverable that the attempt is about; undefined when it names none. */
export function deliverableOf(settings: Settings, attempt: Attempt): Deliverable | undefined {
  const { deliverables } = settings;
  if (deliverables === null || attempt.doc === undefined || !hasRole(attempt)) return undefined;
  const declared = attempt.role === "supporting" ? deliverables.supporting : [deliverables.primary];
  return declared.find((it) => referenceOf(deliverables, it) === attempt.doc);
}

function hasRole({ role }: Attempt): boolean {
  return role === "primary" || role === "supporting";
}

/** What is wrong with the fields of a deliverable event, files aside; undefined when nothing is. */
export function deliverableFault(settings: Settings, attempt: Attempt): Fault | undefined {
  if (!isDeliverableEvent(settings, attempt.event)) return undefined;
  if (!hasRole(attempt)) return fault("no role");
  if (attempt.doc === undefined) return fault("no doc");
  if (deliverableOf(settings, attempt) === undefined) {
    return fault(attempt.role === "primary" ? "not the primary" : "not a supporting one");
  }
  const isHash = /^[0-9a-f]{64}$/.test(attempt.sha256 ?? "");
  return attempt.event === "deliverable_frozen" && !isHash ? fault("no hash") : undefined;
}

/** What is wrong with the file of a deliverable event; undefined when nothing is. */
export function deliverableFileFault(
  settings: Settings,
  attempt: Attempt,
  files: Files,
): string | undefined {
  const { deliverables } = settings;
  const { event, doc, sha256 } = attempt;
  const deliverable = deliverableOf(settings, attempt);
  if (!isDeliverableEvent(settings, event) || !deliverable || deliverables === null)
    return undefined;
  const { path } = deliverable;
  if (deliverables.mode === "external" && deliverables.repoRoot.trim() === "") {
    return `${fault("no root").text}: correct it in protocol.json`;
  }
  if (foldersUpOf(deliverables) === undefined || !isInside(path)) {
    return (
      `${quote(doc)} is declared at a place where it cannot be: correct repoRoot, ` +
      "deliverables.dir and the file in protocol.json; validate names what is wrong"
    );
  }
  const fact = files.get(path);
  if (fact === undefined) return `${fault("no file", event).text}: write ${path} first`;
  if (fact.fault !== undefined) return `${path} ${fact.fault}`;
  if (event !== "deliverable_frozen" || fact.sha256 === sha256) return undefined;
  return `${fault("hash differs").text}: ${path} has ${fact.sha256}; give that when the file is final`;
}

/** The first status that a deliverable declares, in a line `Status: Draft`; "" without any. */
export function declaredStatus(document: string): string {
  const declared = textsAfter(document, /^Status:/);
  return declared.find((said) => ["Draft", "In Review", "Frozen"].includes(said)) ?? "";
}

/** Which sections a deliverable lacks, and what is wrong with its status; once it is frozen no section is empty. */
export function contentFaults(
  deliverable: Deliverable,
  text: string,
  isFrozen: boolean,
  name = "",
  choice = "",
): { status: Fault[]; sections: Fault[] } {
  const declared = declaredStatus(text);
  const filled = filledSections(text);
  return {
    status: [
      // Of one that is to be frozen the other fault tells what to do.
      ...(declared === "" ? [faultAt("no status", [name, choice], ...(isFrozen ? [] : [[]]))] : []),
      ...(isFrozen && declared !== "Frozen"
        ? [faultAt("status not frozen", [name], [declared])]
        : []),
    ],
    sections: sectionsOf(deliverable).flatMap((section) => {
      if (!filled.has(section)) return [faultAt("section missing", [name, section], [section])];
      const isEmpty = isFrozen && filled.get(section) === false;
      return isEmpty ? [faultAt("section empty", [name, section], [section])] : [];
    }),
  };
}

/** Whether each `## ` section of a document holds anything; of several with one name the first counts. */
function filledSections(text: string): Map<string, boolean> {
  const sections = sectionsIn(text).slice(1).reverse();
  return new Map(
    sections.map(({ heading, lines }) => [heading, lines.some((line) => line.trim() !== "")]),
  );
}

/** What is wrong with frozen files: with their hashes, and with what `protocol.json` says of the supporting ones. */
export function freezeFaults(
  settings: Settings,
  events: readonly LogEvent[],
  files: Files,
): string[] {
  const { deliverables } = settings;
  if (deliverables === null) return [];
  const freezes = freezesIn(settings, events);
  const frozen = frozenIn(freezes, files);
  return [
    ...freezes.flatMap(({ event: { seq, sha256 }, path }) => {
      const fact = files.get(path);
      if (fact === undefined) return [`seq ${seq}: ${fault("no file", "deliverable_frozen").text}`];
      // A hash that is none is the event's own fault, which `eventFaults` tells.
      const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
      if (!isHash || fact.sha256 === undefined || fact.sha256 === sha256) return [];
      return [`seq ${seq}: ${fault("hash differs").text}`];
    }),
    ...deliverables.supporting
      .filter((it) => it.frozen !== frozen.has(it.path))
      .map((it) =>
        it.frozen
          ? `supporting deliverable requires deliverable_frozen: ${referenceOf(deliverables, it)}`
          : `supporting deliverable has freeze event but is not marked frozen: ${referenceOf(deliverables, it)}`,
      ),
  ];
}

/** What is wrong with the deliverables' files, the decisions that point to them, the attachments. */
export function deliverableFaults(
  settings: Settings,
  events: readonly LogEvent[],
  files: Files,
): string[] {
  const { deliverables } = settings;
  if (deliverables === null) return [];
  const frozen = frozenIn(freezesIn(settings, events), files);
  const decisions = files.get("decisions.md")?.text;
  return [
    ...deliverablesIn(deliverables).flatMap((deliverable, index) => {
      const { path } = deliverable;
      const reference = referenceOf(deliverables, deliverable);
      const role = index === 0 ? "primary" : "supporting";
      const fact = files.get(path);
      if (fact === undefined) return [`${role} deliverable missing: ${reference}`];
      const { text, fault: unread = "has no text" } = fact;
      if (text === undefined) return [`${role} deliverable ${reference} ${unread}`];
      const name = `${role} deliverable${index === 0 ? "" : ` ${reference}`}`;
      const choice = index === 0 ? ": Draft, In Review, or Frozen" : "";
      const isFrozen = deliverable.frozen || frozen.has(path);
      const { status, sections } = contentFaults(deliverable, text, isFrozen, name, choice);
      return textsOf([...status, ...sections]);
    }),
    ...(decisions === undefined ? [] : decisionsFaults(decisions, deliverables)),
    ...deliverables.attachments
      .filter((file) => !files.has(pathInDeliverables(deliverables, file)))
      .map((file) => `attachment missing: ${file}`),
  ];
}

/** The freezes of declared deliverables, and the paths of these. */
function freezesIn(settings: Settings, events: readonly LogEvent[]) {
  return events.flatMap((event) => {
    const path = deliverableOf(settings, attemptOf(event))?.path;
    return event.event === "deliverable_frozen" && path !== undefined ? [{ event, path }] : [];
  });
}

/** The paths of the deliverables that were frozen and are still there. */
function frozenIn(freezes: readonly { path: string }[], files: Files): Set<string> {
  return new Set(freezes.map(({ path }) => path).filter((path) => files.has(path)));
}

/**
 * Whether the decisions of schema 2 are numbered one by one and point to what was delivered. As in the original, a
 * reference anywhere below a decision's heading counts.
 */
export function decisionsFaults(text: string, deliverables: Deliverables): string[] {
  const references = deliverablesIn(deliverables).map((it) => referenceOf(deliverables, it));
  const seen = new Set<string>();
  const decisions = sectionsIn(text, 3).filter(({ heading }) => heading !== "");
  return decisions.flatMap(({ heading, lines }, index) => {
    const expected = `D${index + 1}`;
    const id = /^(D\d+)\.\s./u.exec(heading)?.[1];
    const isAgain = id !== undefined && seen.has(id);
    if (id !== undefined) seen.add(id);
    const body = lines.join("\n");
    const entry = `accepted decision ${id ?? expected}`;
    const reflected = body.includes("- Reflected in:");
    const rules: [broken: boolean, text: string][] = [
      [id === undefined, "accepted decision headings must use D<number>"],
      [isAgain, `duplicate accepted decision id ${id}`],
      [id !== undefined && id !== expected, "accepted decision ids must be sequential"],
      [!body.includes("- Decision:"), `${entry} requires Decision`],
      [!reflected, `${entry} requires Reflected in`],
      [
        reflected && !references.some((reference) => body.includes(reference)),
        `${entry} Reflected in must point to declared deliverable`,
      ],
    ];
    return rules.filter(([broken]) => broken).map(([, told]) => told);
  });
}
