import assert from "node:assert/strict";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { textsOf } from "../../scripts-src/collaboration/rules/faults.ts";
import { marker } from "../../scripts-src/collaboration/rules/files.ts";
import { evolve, transitionFaults } from "../../scripts-src/collaboration/rules/machine.ts";
import { parseSettings, type Settings } from "../../scripts-src/collaboration/rules/settings.ts";
import {
  type CollaborationState,
  initialState,
} from "../../scripts-src/collaboration/rules/state.ts";
import { attemptOf } from "../../scripts-src/collaboration/rules/transitions.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { FileFact } from "../../scripts-src/protocol/protocol.ts";
import { adr, conclusion, factOf, readiness } from "./written-documents.ts";

/** What somebody does, and the fields beside that the event carries. */
export type Act = readonly [from: string, event: string, fields?: JsonObject];

export const hash = "0123456789abcdef".repeat(4);
export const primary = { role: "primary", doc: "deliverables/adr.md" };
export const supporting = { role: "supporting", doc: "deliverables/test.md" };
export const frozen = { ...primary, sha256: hash };

/** The settings of a collaboration as its `protocol.json` holds them. */
export function settingsFor(schema: 1 | 2, names: readonly string[], keys: JsonObject = {}) {
  const common = { objective: "choose a store", createdAt: "2026-01-01T00:00:00Z" };
  const participants = names.map((id) => ({ id }));
  const file = { ...common, participants, ...(schema === 1 ? first : second), ...keys };
  const settings = parseSettings(JSON.stringify(file));
  assert.equal(settings.fault, "");
  return settings;
}

const first: JsonObject = { completionGates: ["the gate"] };
const second: JsonObject = {
  schemaVersion: 2,
  protocol: "acp",
  completionGates: [{ source: "objective", text: "the gate" }],
  deliverables: {
    mode: "internal",
    dir: "deliverables",
    primary: { type: "adr", file: "adr.md", checklist: [] },
    supporting: [{ type: "test-plan", file: "test.md" }],
    attachments: [],
  },
};

/** Every document as it has to be. */
export function goodFiles(schema: 1 | 2): Map<string, FileFact> {
  return new Map([
    ["proposal.md", factOf("it")],
    ["review.md", factOf("it")],
    ["decisions.md", factOf("it")],
    ["readiness.md", factOf(readiness(["the gate"]))],
    ["conclusion.md", factOf(conclusion(schema))],
    [primary.doc, { ...factOf(adr("Frozen")), sha256: hash }],
    [supporting.doc, { ...factOf(adr("Frozen", "test-plan")), sha256: hash }],
    [marker, factOf("{}")],
  ]);
}

/** The event that an act leaves in the log, one second after the one before. */
export function eventAt(seq: number, [from, event, fields = {}]: Act): LogEvent {
  const at = `2026-01-01T00:${pad(Math.floor(seq / 60))}:${pad(seq % 60)}Z`;
  const reply = seq === 1 ? {} : { reply_to: 1 };
  return { seq, from, event, at, summary: `${event} by ${from}`, ...reply, ...fields };
}

function pad(count: number): string {
  return String(count).padStart(2, "0");
}

/** The state after some acts, whether the rules allow them or not. */
export function folded(settings: Settings, ...acts: Act[]): CollaborationState {
  return acts.reduce(
    (state, act) => evolve(state, eventAt(state.seq + 1, act)),
    initialState(settings),
  );
}

/** The state after some acts, all of them allowed. */
export function given(settings: Settings, ...acts: Act[]): CollaborationState {
  const state = folded(settings, ...acts);
  assert.deepEqual(state.faults, []);
  return state;
}

export function stepped(state: CollaborationState, act: Act): CollaborationState | string {
  const next = evolve(state, eventAt(state.seq + 1, act));
  const told = next.faults.at(-1);
  return told?.seq === next.seq ? told.reason : next;
}

export function faults(state: CollaborationState, act: Act): string[] {
  return textsOf(transitionFaults(state, attemptOf(eventAt(state.seq + 1, act))));
}

/** A whole collaboration of ana, ben and cy; each place in it by the acts that lead there. */
export function placesOf(schema: 1 | 2): Record<string, Act[]> {
  const drafted: Act[] = schema === 1 ? [] : [["ana", "deliverable_drafted", primary]];
  const froze: Act[] = schema === 1 ? [] : [["ana", "deliverable_frozen", frozen]];
  const opened: Act[] = [["ana", "initialized"]];
  const written = [...opened, ...drafted];
  const reviewing: Act[] = [...written, ["ana", "proposal_submitted"]];
  const half: Act[] = [...reviewing, ["ben", "review_submitted"]];
  const revising: Act[] = [...half, ["cy", "review_submitted"]];
  const revised: Act[] = [...revising, ["ana", "proposal_revised"]];
  const classified: Act[] = [...revised, ["ana", "question_classified"]];
  const accepted: Act[] = [...classified, ["ana", "decision_accepted"]];
  const ready: Act[] = [...accepted, ["ben", "decision_accepted"], ["cy", "decision_accepted"]];
  const final = [...ready, ...froze];
  const passed: Act[] = [...final, ["ana", "readiness_passed"]];
  const completed: Act[] = [...passed, ["ana", "completed", { doc: "conclusion.md" }]];
  return {
    new: [],
    drafting: opened,
    written,
    reviewing,
    "reviewing, ben done": half,
    revising,
    revised,
    classified,
    "accepted by ana": accepted,
    "proposed anew": [...accepted, ["ana", "decision_proposed"]],
    ready,
    final,
    passed,
    completed,
    "blocked while reviewing": [...half, ["ben", "blocked"]],
    "blocked after the end": [...completed, ["cy", "blocked"]],
  };
}
