import { sectionsIn } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import type { FileFact, Files, FileWanted } from "../../protocol/protocol.ts";
import { deliverableOf } from "./deliverable-events.ts";
import { sectionGaps } from "./deliverable-sections.ts";
import {
  type Deliverable,
  type Deliverables,
  declaredStatus,
  foldersUpOf,
  pathInDeliverables,
  referenceOf,
} from "./deliverables.ts";
import { attemptOf } from "./evolve.ts";
import { type Fault, fault, faultAt, textsOf } from "./faults.ts";
import type { Settings } from "./settings.ts";

/**
 * The declared files: deliverables with their text and hash; of attachments the text, which no rule
 * here looks at, but the task of a turn quotes (consult/collaboration/collaboration-task.ts).
 */
export function deliverableFiles(deliverables: Deliverables): FileWanted[] {
  const foldersUp = foldersUpOf(deliverables);
  if (foldersUp === undefined) return [];
  const { primary, supporting, attachments } = deliverables;
  return [
    ...[primary, ...supporting].flatMap(({ path }) => [
      { path, foldersUp, as: "text" } as const,
      { path, foldersUp, as: "sha256" } as const,
    ]),
    ...attachments.map((file) => {
      return { path: pathInDeliverables(deliverables, file), foldersUp, as: "text" } as const;
    }),
  ];
}

/** Whether what was frozen is still what it was, and marked as it should be. */
export function freezeFaults(
  settings: Settings,
  events: readonly LogEvent[],
  files: Files,
): string[] {
  const { deliverables } = settings;
  if (deliverables === null) return [];
  const frozen = frozenIn(settings, events, files);
  return [
    ...freezesIn(settings, events).flatMap(({ event, path }) => hashFaults(event, files.get(path))),
    ...deliverables.supporting.flatMap((entry) =>
      flagFaults(entry, frozen.has(entry.path), referenceOf(deliverables, entry)),
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
  const { primary, supporting, attachments } = deliverables;
  const frozen = frozenIn(settings, events, files);
  const named = (deliverable: Deliverable) => referenceOf(deliverables, deliverable);
  const decisions = files.get("decisions.md")?.text;
  return [
    ...contentFaults(primary, { role: "primary", reference: named(primary) }, frozen, files),
    ...supporting.flatMap((entry) =>
      contentFaults(entry, { role: "supporting", reference: named(entry) }, frozen, files),
    ),
    ...(decisions === undefined
      ? []
      : decisionsFaults(decisions, [primary, ...supporting].map(named))),
    ...attachments
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
function frozenIn(settings: Settings, events: readonly LogEvent[], files: Files): Set<string> {
  const paths = freezesIn(settings, events).map(({ path }) => path);
  return new Set(paths.filter((path) => files.has(path)));
}

function hashFaults({ seq, sha256 }: LogEvent, fact: FileFact | undefined): string[] {
  if (fact === undefined) return [`seq ${seq}: ${fault("no file", "deliverable_frozen").text}`];
  // A hash that is none is the event's own fault, which `audit` tells.
  const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
  if (!isHash || fact.sha256 === undefined || fact.sha256 === sha256) return [];
  return [`seq ${seq}: ${fault("hash differs").text}`];
}

function flagFaults({ frozen }: Deliverable, isFrozen: boolean, reference: string): string[] {
  if (frozen === isFrozen) return [];
  return frozen
    ? [`supporting deliverable requires deliverable_frozen: ${reference}`]
    : [`supporting deliverable has freeze event but is not marked frozen: ${reference}`];
}

/** How messages name a deliverable: the primary one by its role alone. */
interface Naming {
  role: "primary" | "supporting";
  reference: string;
}

function contentFaults(
  deliverable: Deliverable,
  { role, reference }: Naming,
  frozen: ReadonlySet<string>,
  files: Files,
): string[] {
  const fact = files.get(deliverable.path);
  if (fact === undefined) return [`${role} deliverable missing: ${reference}`];
  const { text, fault = "has no text" } = fact;
  if (text === undefined) return [`${role} deliverable ${reference} ${fault}`];
  const name = role === "primary" ? "primary deliverable" : `supporting deliverable ${reference}`;
  const isFrozen = deliverable.frozen || frozen.has(deliverable.path);
  return textsOf([
    ...statusFaults(text, isFrozen, name, role === "primary" ? statusChoice : ""),
    ...sectionFaults(deliverable, text, isFrozen, name),
  ]);
}

const statusChoice = ": Draft, In Review, or Frozen";

/** What is wrong with the status that a deliverable declares. */
export function statusFaults(text: string, isFrozen: boolean, name = "", choice = ""): Fault[] {
  const status = declaredStatus(text);
  return [
    // Of one that is to be frozen the other fault tells what to do.
    ...(status === "" ? [faultAt("no status", [name, choice], ...(isFrozen ? [] : [[]]))] : []),
    ...(isFrozen && status !== "Frozen" ? [faultAt("status not frozen", [name], [status])] : []),
  ];
}

/** Which of its sections a deliverable lacks; once it is frozen also those that are empty. */
export function sectionFaults(
  deliverable: Deliverable,
  text: string,
  isFrozen: boolean,
  name = "",
): Fault[] {
  return sectionGaps(deliverable, text).flatMap(({ section, gap }) => {
    if (gap === "missing") return [faultAt("section missing", [name, section], [section])];
    return isFrozen ? [faultAt("section empty", [name, section], [section])] : [];
  });
}

/**
 * Whether the decisions of schema 2 are numbered one by one and point to what was delivered. The
 * original looks for a reference anywhere below a decision's heading, so this does as well.
 */
export function decisionsFaults(text: string, references: readonly string[]): string[] {
  const seen = new Set<string>();
  const decisions = sectionsIn(text, 3).filter(({ heading }) => heading !== "");
  return decisions.flatMap(({ heading, lines }, index) => {
    const expected = `D${index + 1}`;
    const id = /^(D\d+)\.\s./u.exec(heading)?.[1];
    const faults: string[] = [];
    if (id === undefined) faults.push("accepted decision headings must use D<number>");
    else if (seen.has(id)) faults.push(`duplicate accepted decision id ${id}`);
    if (id !== undefined && id !== expected) {
      faults.push("accepted decision ids must be sequential");
    }
    if (id !== undefined) seen.add(id);
    return [...faults, ...bodyFaults(id ?? expected, lines.join("\n"), references)];
  });
}

function bodyFaults(id: string, body: string, references: readonly string[]): string[] {
  const faults: string[] = [];
  if (!body.includes("- Decision:")) faults.push(`accepted decision ${id} requires Decision`);
  if (!body.includes("- Reflected in:")) {
    faults.push(`accepted decision ${id} requires Reflected in`);
  } else if (!references.some((reference) => body.includes(reference))) {
    faults.push(`accepted decision ${id} Reflected in must point to declared deliverable`);
  }
  return faults;
}
