import { firstOf } from "../../base/first-of.ts";
import { inline } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import type { Files } from "../../protocol/protocol.ts";
import { conclusionFaults } from "./conclusion.ts";
import { contentFaults, decisionsFaults } from "./deliverable-rules.ts";
import { type Fault, hasFault, tasksOf } from "./faults.ts";
import { acceptanceFaults, gateFaults, readinessFaults } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import { type CollaborationState, named, type ParticipantView } from "./state.ts";

/** Work on a document that has to be done before an event. */
export interface Obligation {
  readonly path: string;
  /** The file, what is missing, and how the line must look. */
  readonly text: string;
  /** The event is rejected while it is left. What does not block, readers need and no rule demands. */
  readonly blocks: boolean;
}

type RuledEvent = "decision_accepted" | "readiness_passed" | "completed";
type DocumentRules = Readonly<Record<string, (text: string, settings: Settings) => Fault[]>>;

/** What must be so in a document before an event, and for the validator ever after. */
export const documentRules: Readonly<Record<RuledEvent, DocumentRules>> = {
  decision_accepted: { "readiness.md": acceptanceFaults },
  readiness_passed: { "readiness.md": readinessFaults },
  completed: {
    "readiness.md": (text, { gates }) => [...readinessFaults(text), ...gateFaults(text, gates)],
    "conclusion.md": conclusionFaults,
  },
};

/** What has to be done before an event: `decide` rejects it for what blocks, `next-action` tells all. */
export function obligationsBefore(
  { files, state }: ParticipantView,
  event: string,
  deliverable = state.settings.deliverables?.primary,
): Obligation[] {
  const { settings } = state;
  const before = (path: string, find: (text: string) => Fault[], asTask = asBlocking) =>
    inDocument(path, files, (text) => tasksOf(find(text)).map(asTask));
  const ruled = (name: RuledEvent) =>
    Object.entries(documentRules[name]).flatMap(([path, find]) =>
      before(path, (text) => find(text, settings)),
    );
  switch (event) {
    case "proposal_submitted":
    case "proposal_revised":
      return blanksOwed(settings, files, "proposal.md");
    case "question_classified":
      return [
        ...inDocument("readiness.md", files, questionsOwed),
        ...blanksOwed(settings, files, "decisions.md"),
        ...decisionsOwed(settings, files),
      ];
    case "decision_accepted":
      return [...ruled(event), ...decisionsOwed(settings, files)];
    case "deliverable_drafted":
    case "deliverable_frozen": {
      if (deliverable === undefined) return [];
      // Nothing in it can be changed once it is frozen.
      const isLast = event === "deliverable_frozen";
      const find = (text: string) => {
        const { sections, status } = contentFaults(deliverable, text, isLast);
        return [...sections, ...status];
      };
      return before(deliverable.path, find, isLast ? asBlocking : asAdvised);
    }
    case "readiness_passed":
    case "completed":
      return [...ruled(event), ...frozenOwed(state, files)];
    default:
      return [];
  }
}

/** One line for each, so many of a document; a participant that accepts must not edit the owner's. */
export function obligationLines(
  { state, participant }: ParticipantView,
  obligations: readonly Obligation[],
): string[] {
  const paths = [...new Set(obligations.map(({ path }) => path))];
  return paths.flatMap((path) => {
    const texts = obligations.filter((it) => it.path === path).map(({ text }) => text);
    const isOthers = participant !== state.owner && ownersDocuments.includes(path);
    const whose = isOthers ? ` (for ${named([state.owner])} to write)` : "";
    const shown = firstOf(texts, linesMax, (more) => `${path}: ${more} more like these`);
    return shown.map((text) => `${text}${whose}`);
  });
}

const linesMax = 20;
const ownersDocuments = ["decisions.md", "readiness.md"];

type Task = readonly [text: string, blocks: boolean];

function asBlocking(task: string): Task {
  return [task, true];
}

function asAdvised(task: string): Task {
  return [task, false];
}

/** What is owed in a document; that it can be read at all comes first. */
function inDocument(path: string, files: Files, find: (text: string) => Task[]): Obligation[] {
  const fact = files.get(path);
  if (fact === undefined) return [{ path, text: `${path}: is missing; write it`, blocks: true }];
  const { text, fault = "cannot be read" } = fact;
  if (text === undefined) return [{ path, text: `${path} ${fault}`, blocks: true }];
  return find(text).map(([task, blocks]) => ({ path, text: `${path}: ${task}`, blocks }));
}

/**
 * Before the others are asked nobody need have settled a question, but have said what it is: a blocker that is
 * called one is classified. The template's own line asks nothing: the originals classify over it, and so may
 * whoever shares a folder with them.
 */
function questionsOwed(readiness: string): Task[] {
  const faults = acceptanceFaults(readiness);
  const unclassified = new Set(tasksOf(faults.filter((it) => hasFault([it], "unresolved"))));
  const isTemplates = (task: string) => /^line "- \[unresolved\] (?:TBD\.|<TBD\b)/.test(task);
  return tasksOf(faults).map((task) => [task, unclassified.has(task) && !isTemplates(task)]);
}

/** The places of a template that nobody has filled in; the rules ask for nothing here, readers do. */
function blanksOwed({ objective }: Settings, files: Files, path: string): Obligation[] {
  const given = new Set(linesOf(objective));
  const text = files.get(path)?.text ?? "";
  const open = linesOf(text).filter((line) => isToBeWritten(line));
  const [first, ...more] = open.filter((line) => !given.has(line));
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` and ${more.length} more such lines`;
  const task = `fill in or cut ${inline(first.trim(), 80)}${others}`;
  return [{ path, text: `${path}: ${task}`, blocks: false }];
}

/** Whether a line is a place to fill in of our templates, or of the original's. */
export function isToBeWritten(line: string): boolean {
  return /^\s*(?:[-*]\s+)?(?:<TBD\b.*>|TBD(?::.*|\.?))\s*$/.test(line);
}

/** How decisions are numbered and tied to the deliverable, which the validator wants of schema 2. */
function decisionsOwed({ deliverables }: Settings, files: Files): Obligation[] {
  const path = "decisions.md";
  if (deliverables === null || files.get(path)?.text === undefined) return [];
  return inDocument(path, files, (text) => decisionsFaults(text, deliverables).map(asAdvised));
}

/** Whether the frozen file is still what it was. */
function frozenOwed({ settings, frozen }: CollaborationState, files: Files): Obligation[] {
  const { deliverables } = settings;
  if (deliverables === null || frozen === null) return [];
  const { path } = deliverables.primary;
  if (files.get(path)?.sha256 === frozen.sha256) return [];
  const was = `seq ${frozen.seq} froze it as SHA-256 ${frozen.sha256}`;
  return [{ path, text: `${path}: is not what was frozen; restore it: ${was}`, blocks: true }];
}
