import { isRecord, type JsonObject } from "../../base/json.ts";
import { instantOf } from "../../base/time.ts";
import { singleLine } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { SessionState, SessionStatus } from "../../protocol/protocol.ts";
import { kindState } from "../../protocol/session-state.ts";
import { higherNumber, isAgentName, isFindingFile, numberOf } from "./board-names.ts";
import { contentOf } from "./finding-content.ts";
import type { BoardSettings } from "./meta-and-agents.ts";

/** What the log knows of a report's content. */
export interface KnownFinding extends JsonObject {
  /** The event that recorded the content. */
  seq: number;
  sha256: string;
  /** Its author recorded it, with the lines that it rests on. */
  watched: boolean;
}

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
  /** Its reports by file, in the order in which they were first recorded. */
  findings: Record<string, KnownFinding>;
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
}

export function initialState(settings: JsonObject): BoardState {
  if (!isSettings(settings)) throw new TypeError("not the settings of a board");
  return { settings, seq: 0, startedAt: "", lastAt: "", deadline: "", agents: [] };
}

/** `readMeta` made these settings; the session hands them on as plain JSON. */
function isSettings(value: JsonObject): value is BoardSettings {
  return typeof value["expectedAgents"] === "number" && typeof value["fault"] === "string";
}

/** The state of a board, for the verbs that only boards have. */
export function boardStateOf(session: SessionState): BoardState {
  return kindState(session, "findings", isBoardState);
}

function isBoardState(value: unknown): value is BoardState {
  return isRecord(value) && Array.isArray(value["agents"]) && isRecord(value["settings"]);
}

/** Folds one event; what means nothing at its place changes nothing, and `eventFaults` tells it. */
export function evolve(state: BoardState, event: LogEvent): BoardState {
  const { seq, at } = event;
  const startedAt = state.seq === 0 ? at : state.startedAt;
  return { ...fold(state, event), seq, startedAt, lastAt: at };
}

function fold(state: BoardState, event: LogEvent): BoardState {
  const { from: name, file } = event;
  switch (event.event) {
    case "registered":
      return withNewAgent(state, event);
    case "deadline_set":
      return { ...state, deadline: String(event["deadline"] ?? "") };
    case "numbered":
      return withAgent(state, name, (agent) => withNumber(agent, file));
    case "posted": {
      const content = contentOf(event);
      if (content === undefined || !isFindingFile(file)) return state;
      const { sha256, watched } = content;
      const known = { seq: event.seq, sha256, watched };
      return withAgent(state, name, (agent) => {
        return { ...withNumber(agent, file), findings: { ...agent.findings, [file]: known } };
      });
    }
    case "readied":
    case "withdrawn":
      return withAgent(state, name, (agent) => ({ ...agent, ready: event.event === "readied" }));
    default:
      return state;
  }
}

function withNewAgent(state: BoardState, event: LogEvent): BoardState {
  const { from: name, at, registered_at: since } = event;
  if (agentOf(state, name) !== undefined || !isAgentName(name)) return state;
  const agent = {
    name,
    since: typeof since === "string" && instantOf(since) !== undefined ? since : at,
    ours: event["noticed"] !== true,
    ready: false,
    late: isAllReady(state),
    lastNumber: 0,
    findings: {},
  };
  return { ...state, agents: [...state.agents, agent] };
}

function withAgent(
  state: BoardState,
  name: string,
  change: (agent: BoardAgent) => BoardAgent,
): BoardState {
  return { ...state, agents: state.agents.map((it) => (it.name === name ? change(it) : it)) };
}

function withNumber(agent: BoardAgent, file: unknown): BoardAgent {
  const number = typeof file === "string" ? numberOf(file) : undefined;
  return { ...agent, lastNumber: higherNumber(agent.lastNumber, number) };
}

export function agentOf({ agents }: BoardState, name: string): BoardAgent | undefined {
  return agents.find((agent) => agent.name === name);
}

/** What is known of a report. */
export function findingOf(
  state: BoardState,
  agent: string,
  file: string,
): KnownFinding | undefined {
  const findings = agentOf(state, agent)?.findings ?? {};
  return Object.hasOwn(findings, file) ? findings[file] : undefined;
}

/** Whether the log does not know a report as it is, or its author enters what a reader has entered. */
export function isNewContent(
  state: BoardState,
  agent: string,
  file: string,
  { sha256, isAuthors }: { readonly sha256: string; readonly isAuthors: boolean },
): boolean {
  const known = findingOf(state, agent, file);
  return known?.sha256 !== sha256 || (isAuthors && !known.watched);
}

/** All reports that were recorded, as `agent/NN-topic.md`. */
export function findingNames({ agents }: BoardState): string[] {
  return agents.flatMap(({ name, findings }) =>
    Object.keys(findings).map((file) => `${name}/${file}`),
  );
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

/** How many are ready, in words. */
export function readyCount(state: BoardState): string {
  return `${readyAgents(state).length} of ${neededAgents(state)} agents`;
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
  const until = deadline === "" ? "" : `, deadline ${deadline}`;
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
    summary: `${readyCount(state)} ready, ${findingNames(state).length} findings${until}`,
  };
}

/** An agent that has posted is not new, and where all are ready the reports are what counts. */
export function isNewTo(state: BoardState, participant: string): boolean {
  return (agentOf(state, participant)?.lastNumber ?? 0) === 0 && !isAllReady(state);
}
