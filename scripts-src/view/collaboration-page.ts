import { isRecord } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { lineChanges } from "../base/line-changes.ts";
import { proposalVersion } from "../collaboration/rules/decide.ts";
import { gateLine, gateStatuses } from "../collaboration/rules/gate-checks.ts";
import { isOfSchema } from "../collaboration/rules/machine.ts";
import { reviewEntry } from "../collaboration/rules/review-entries.ts";
import { awaited, phaseShown } from "../collaboration/rules/session-status.ts";
import { type CollaborationState, phases } from "../collaboration/rules/state.ts";
import { transitions } from "../collaboration/rules/transitions.ts";
import { textIfSound } from "../files/atomic-file.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { kindState } from "../protocol/kind-state.ts";
import type { Machine } from "../protocol/machine.ts";
import type { FileFact, Files } from "../protocol/protocol.ts";
import { readFiles } from "../session/read-files.ts";
import { bodyCharacters, type KindPage } from "./kind-page.ts";
import type { CollaborationPart, DiffLine, DocumentModel, RevisionModel } from "./page/model.ts";
import { stepOf } from "./plain-page.ts";
import { readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A collaboration: where it stands, whose duty it is, and how its proposal changed. */
export const collaborationPage: KindPage = {
  happenings: ({ events }) =>
    events.map((it) => stepOf(it, `${it.from}: ${it.event.replaceAll("_", " ")}`)),
  confidence: () => [],
  body: () => undefined,
  part: partOf,
};

function stateOf(machine: Machine): CollaborationState {
  return kindState(machine, "collaboration", isCollaborationState);
}

/** `initialState` made it: its settings and who is waited for tell it from others. */
function isCollaborationState(value: unknown): value is CollaborationState {
  return isRecord(value) && isRecord(value["settings"]) && Array.isArray(value["waitingFor"]);
}

async function partOf(point: StoryPoint): Promise<CollaborationPart> {
  const { session, machine, seq } = point;
  const state = stateOf(machine);
  const { folder } = session.place;
  const files = await readFiles(folder, machine.filesWanted({ for: "inspection" }));
  // Documents say what they say now; what they said then is kept of the proposal alone.
  const isNow = seq >= session.cursor.seq;
  const gates = isNow ? gateStatuses(state.settings, files) : [];
  return {
    of: "collaboration",
    owner: state.owner,
    phases: phasesOf(state),
    blocked: state.blocked === null ? "" : `${state.blocked.by}: ${state.blocked.reason}`,
    next: nextEvents(state),
    gates: gates.map((gate) => ({
      met: gate.ticked && gate.evidence?.record.met !== false,
      line: gateLine(state, gate),
    })),
    documents: isNow ? [...files].flatMap(documentOf) : [],
    revisions: revisionsOf(point, files),
  };
}

const road: readonly string[] = phases.filter((name) => name !== "blocked");

function phasesOf(state: CollaborationState): CollaborationPart["phases"] {
  const shown = state.blocked?.phase ?? phaseShown(state);
  const now = road.indexOf(shown);
  return road.map((name, index) => ({
    name,
    state: index < now || shown === "completed" ? "done" : index === now ? "now" : "ahead",
  }));
}

function nextEvents(state: CollaborationState): CollaborationPart["next"] {
  const { phase, owner } = state;
  const waiting = awaited(state);
  return transitions
    .filter((it) => isOfSchema(state, it) && it.from.includes(phase) && it.role !== "supporting")
    .filter(({ event }) => event !== "blocked" && event !== "initialized")
    .map(({ event, who, to, last }) => {
      const names =
        who === "the owner" ? owner : who === "any participant" ? who : waiting.join(", ");
      const goal = last?.to ?? (to === "same" ? phase : to === "before" ? "the phase before" : to);
      return { event, who: names || who, to: goal };
    });
}

function documentOf([name, { text, bytes, fault = "" }]: [string, FileFact]): DocumentModel[] {
  if (!name.endsWith(".md") || (text === undefined && fault === "")) return [];
  return [
    {
      name,
      text: readMarkdown((text ?? "").slice(0, 4 * bodyCharacters).toWellFormed()),
      bytes,
      fault,
    },
  ];
}

/** Each version of the proposal that was kept, with the reviews that came before it. */
function revisionsOf({ session, events }: StoryPoint, files: Files): RevisionModel[] {
  const reviews = files.get("review.md")?.text ?? "";
  const found: RevisionModel[] = [];
  let [before, since] = ["", 0];
  for (const event of events) {
    const version = proposalVersion(event);
    if (version === undefined) continue;
    const path = safeJoin(session.place.folder, ...version.split("/"));
    const lines = changesBetween(before, path);
    if (lines === undefined) continue;
    const between = events.filter(({ seq }) => seq > since && seq < event.seq);
    found.push({
      ...{ name: "proposal.md", version: found.length + 1, seq: event.seq, lines },
      reviews: between.flatMap((it) => reviewOf(it, reviews)),
    });
    [before, since] = [path, event.seq];
  }
  return found;
}

/** What changed between two kept files, none for the first; undefined where nothing did. Kept files stay as they are. */
function changesBetween(before: string, path: string): readonly DiffLine[] | undefined {
  const key = `${before}\n${path}`;
  const known = compared.get(key);
  if (known !== undefined) return known === "same" ? undefined : known;
  const [old, text] = [textOf(before), textOf(path)];
  if (text === undefined) return undefined;
  const lines = old === undefined ? [] : old === text ? "same" : shortened(lineChanges(old, text));
  const [oldest] = compared.keys();
  if (compared.size >= comparedMax && oldest !== undefined) compared.delete(oldest);
  compared.set(key, lines);
  return lines === "same" ? undefined : lines;
}

const compared = new Map<string, readonly DiffLine[] | "same">();
const comparedMax = 200;

function textOf(path: string): string | undefined {
  return path === "" ? undefined : textIfSound(path, limits.messageBytes);
}

function reviewOf({ event, from: by, seq, summary }: LogEvent, reviews: string) {
  if (event !== "review_submitted") return [];
  const text = reviewEntry(reviews, by, seq).join("\n").trim();
  const shown = text === "" ? summary : text.slice(0, bodyCharacters).toWellFormed();
  return [{ by, seq, text: readMarkdown(shown) }];
}

/** Equal lines far from a change say nothing here. */
const around = 3;
const linesMax = 2_000;

function shortened(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ as }) => as !== "same");
  const shown: DiffLine[] = [];
  let skipped = 0;
  const tell = () => {
    if (skipped > 0) shown.push({ as: "left out", text: `${skipped} equal lines` });
    skipped = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!isNear(index)) skipped += 1;
    else {
      tell();
      shown.push(line);
    }
  }
  tell();
  return shown.slice(0, linesMax);
}
