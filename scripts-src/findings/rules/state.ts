import { isRecord, type JsonObject } from "../../base/json.ts";
import { singleLine } from "../../base/visible-text.ts";
import { kindState } from "../../protocol/kind-state.ts";
import type { Machine } from "../../protocol/machine.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { type KnownFindings, knownNames } from "./known-findings.ts";
import type { BoardSettings } from "./meta-file.ts";

/** One registered agent, in the order of registration. */
export interface BoardAgent extends JsonObject {
  name: string;
  /** ISO time of its registration. */
  since: string;
  /** Registered by our scripts, not noticed in agents.md. */
  ours: boolean;
  ready: boolean;
  /** Came when all that were expected were ready: those may have read and gone on. */
  late: boolean;
  /** The highest number that one of its findings ever had; none is given twice. */
  lastNumber: number;
}

/**
 * A board: agents register, post and become ready, all at once and in any order.
 *
 *   gathering --readied (the last of all registered, and of those expected)--> ready to read
 *       ^----------------------- withdrawn -----------------------------------------|
 *
 * Who registers when all are ready is late: nobody is asked to wait again.
 */
export interface BoardState extends JsonObject {
  /** What meta.md says. */
  settings: BoardSettings;
  seq: number;
  startedAt: string;
  lastAt: string;
  /** The deadline that one of our scripts set; meta.md may say another. ISO time, "" when none. */
  deadline: string;
  agents: BoardAgent[];
  findings: KnownFindings;
}

export function initialState(settings: JsonObject): BoardState {
  return {
    settings: asSettings(settings),
    seq: 0,
    startedAt: "",
    lastAt: "",
    deadline: "",
    agents: [],
    findings: [],
  };
}

/** The state of a board's machine, for the verbs that only boards have. */
export function boardStateOf(machine: Machine): BoardState {
  return kindState(machine, "findings", isBoardState);
}

/** Two fields tell a board's state from others: `initialState` or a checkpoint made it, so no more is checked. */
function isBoardState(value: unknown): value is BoardState {
  return isRecord(value) && Array.isArray(value["agents"]) && isRecord(value["settings"]);
}

/** `readMeta` made these settings; the session hands them on as plain JSON, so their type is checked again. */
function asSettings(value: JsonObject): BoardSettings {
  if (isSettings(value)) return value;
  throw new TypeError("not the settings of a board");
}

function isSettings(value: JsonObject): value is BoardSettings {
  return typeof value["expectedAgents"] === "number" && typeof value["fault"] === "string";
}

export function agentOf({ agents }: BoardState, name: string): BoardAgent | undefined {
  return agents.find((agent) => agent.name === name);
}

export function readyAgents({ agents }: BoardState): BoardAgent[] {
  return agents.filter(({ ready }) => ready);
}

/** Whom the others wait for: everybody that is not ready and came in time. */
export function awaitedAgents({ agents }: BoardState): BoardAgent[] {
  return agents.filter(({ ready, late }) => !ready && !late);
}

/** How many must be ready: all that were expected, and those beyond them that came in time. */
export function neededAgents(state: BoardState): number {
  const present = readyAgents(state).length + awaitedAgents(state).length;
  return Math.max(present, state.settings.expectedAgents);
}

export function isAllReady(state: BoardState): boolean {
  return state.agents.length > 0 && readyAgents(state).length >= neededAgents(state);
}

/**
 * The deadline that counts: that of meta.md, where people may change it; where meta.md has none, that of the log.
 * ISO time, "" when there is none yet.
 */
export function deadlineOf({ settings, deadline }: BoardState): string {
  return settings.deadline === "" ? deadline : settings.deadline;
}

/** What lists and pages show of a board. */
export function standing(state: BoardState): SessionStatus {
  const { agents, settings, startedAt, lastAt, seq } = state;
  const ended = isAllReady(state);
  const deadline = deadlineOf(state);
  const ready = `${readyAgents(state).length} of ${neededAgents(state)} agents ready`;
  const count = knownNames(state.findings).length;
  return {
    id: undefined,
    kind: "findings",
    topic: singleLine(settings.about),
    participants: agents.map(({ name }) => name),
    initiator: agents[0]?.name ?? "",
    startedAt,
    lastAt,
    seq,
    phase: ended ? "all_ready" : "gathering",
    ended,
    waitingFor: awaitedAgents(state).map(({ name }) => name),
    hasTurns: false,
    waitSeconds: undefined,
    summary: `${ready}, ${count} findings${deadline === "" ? "" : `, deadline ${deadline}`}`,
  };
}

/** An agent that has posted is not new, and where all are ready the reports are what counts. */
export function isNewTo(state: BoardState, participant: string): boolean {
  return (agentOf(state, participant)?.lastNumber ?? 0) === 0 && !isAllReady(state);
}
