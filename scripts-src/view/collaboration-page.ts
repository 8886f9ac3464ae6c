import { isRecord } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { lineDiff } from "../base/line-diff.ts";
import { proposalVersion } from "../collaboration/rules/decide.ts";
import { isOfSchema } from "../collaboration/rules/machine.ts";
import { gateStatuses } from "../collaboration/rules/report.ts";
import { reviewEntry } from "../collaboration/rules/reviews.ts";
import { awaited, phaseShown } from "../collaboration/rules/session-status.ts";
import { phases } from "../collaboration/rules/settings.ts";
import type { CollaborationState } from "../collaboration/rules/state.ts";
import { transitions } from "../collaboration/rules/transitions.ts";
import { textIfSound } from "../files/atomic-file.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { Files } from "../protocol/protocol.ts";
import { kindState } from "../protocol/session-state.ts";
import { readFiles } from "../session/read-files.ts";
import type { KindPage } from "./kind-page.ts";
import type { CollaborationPart, RevisionModel } from "./page/model.ts";
import { charactersMax, readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A collaboration: where it stands, whose duty it is, and how its proposal changed. */
export const collaborationPage: KindPage = { part: partOf };

/** `initialState` made it: its settings and who is waited for tell it from others. */
function isCollaborationState(value: unknown): value is CollaborationState {
  return isRecord(value) && isRecord(value["settings"]) && Array.isArray(value["waitingFor"]);
}

async function partOf(point: StoryPoint): Promise<CollaborationPart> {
  const { session, isNow } = point;
  const state = kindState(session, "collaboration", isCollaborationState);
  const wanted = session.kind.filesWanted(session.state, { for: "inspection" });
  const files = await readFiles(session.place.folder, wanted);
  return {
    of: "collaboration",
    phases: phasesOf(state),
    blocked: state.blocked === null ? "" : `${state.blocked.by}: ${state.blocked.reason}`,
    next: nextEvents(state),
    // Documents say what they say now; what they said then is kept of the proposal alone.
    gates: isNow ? gateStatuses(state, files) : [],
    documents: isNow ? documentsIn(files) : [],
    revisions: revisionsOf(point, files.get("review.md")?.text ?? ""),
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
  const waiting = awaited(state).join(", ");
  return transitions
    .filter((it) => isOfSchema(state, it) && it.from.includes(phase) && it.role !== "supporting")
    .filter(({ event }) => event !== "blocked" && event !== "initialized")
    .map(({ event, who, to, last }) => {
      const names = who === "the owner" ? owner : who === "any participant" ? who : waiting;
      const goal = last?.to ?? (to === "same" ? phase : to === "before" ? "the phase before" : to);
      return { event, who: names || who, to: goal };
    });
}

function documentsIn(files: Files): CollaborationPart["documents"] {
  return [...files]
    .filter(([name, { text, fault }]) => name.endsWith(".md") && (text ?? fault) !== undefined)
    .map(([name, { text = "", bytes, fault = "" }]) => ({
      ...{ name, bytes, fault },
      text: readMarkdown(text.slice(0, charactersMax).toWellFormed()),
    }));
}

/** Each later version of the proposal that was kept, with the reviews that came before it. */
function revisionsOf({ session, events }: StoryPoint, reviews: string): RevisionModel[] {
  const found: RevisionModel[] = [];
  let [before, since, version]: [string | undefined, number, number] = [undefined, 0, 0];
  for (const event of events) {
    const path = proposalVersion(event);
    const kept =
      path && textIfSound(safeJoin(session.place.folder, ...path.split("/")), limits.messageBytes);
    if (kept === undefined || kept === before) continue;
    version += 1;
    const between = events.filter(({ seq }) => seq > since && seq < event.seq);
    const told = between.filter((it) => it.event === "review_submitted");
    if (before !== undefined)
      found.push({
        ...{ version, seq: event.seq, lines: changedLines(before, kept) },
        reviews: told.map(({ from: by, seq, summary }) => {
          const text = reviewEntry(reviews, by, seq).join("\n").trim() || summary;
          return { by, seq, text: readMarkdown(text) };
        }),
      });
    [before, since] = [kept, event.seq];
  }
  return found;
}

const linesMax = 2_000;

function changedLines(before: string, now: string): string[] {
  // Without the names of the file before and after.
  return lineDiff("proposal.md", before, now).trimEnd().split("\n").slice(2, linesMax);
}
