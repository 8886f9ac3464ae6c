import { quote } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Inspection } from "../../protocol/protocol.ts";
import { isAgentName, isFindingFile, numberOf, pathOf } from "./board-names.ts";
import { contentOf } from "./finding-content.ts";
import { readFinding } from "./finding-text.ts";
import { agentLine, agentsIn } from "./meta-and-agents.ts";
import { agentOf, type BoardState, findingNames } from "./state.ts";

/** What is wrong with a board: its log is broken, or its files do not say what the log says. */
export function inspect(
  state: BoardState,
  _events: readonly LogEvent[],
  files: Files,
  logFaults: readonly string[],
): Inspection {
  return {
    errors: [...logFaults],
    warnings: [...agentFaults(state, files), ...findingFaults(state, files)],
  };
}

function agentFaults({ agents }: BoardState, files: Files): string[] {
  const fact = files.get("agents.md");
  if (fact?.text === undefined) return [`agents.md ${fact?.fault ?? "is missing"}`];
  const found = agentsIn(fact.text);
  const listed = new Set(found.agents.map(({ name }) => name));
  const known = new Set(agents.map(({ name }) => name));
  return [
    ...agents
      .filter(({ name }) => !listed.has(name))
      .map(
        ({ name, since }) =>
          `agents.md has no line of ${name}, which is registered; add: ${agentLine(name, since)}`,
      ),
    ...found.agents
      .filter(({ name }) => !known.has(name))
      .map(
        ({ name }) => `${quote(name)} in agents.md is not in the log yet; next-action enters it`,
      ),
    ...found.strange.map((line) => `agents.md holds ${quote(line)}, which registers nobody`),
  ];
}

function findingFaults(state: BoardState, files: Files): string[] {
  return findingNames(state).flatMap((finding) => {
    const path = pathOf(finding);
    const fact = files.get(path);
    if (fact?.text === undefined) return [`${path} ${fact?.fault ?? "is gone"}`];
    const { faults } = readFinding(fact.text);
    return faults.length === 0 ? [] : [`${path}: ${faults.join("; ")}`];
  });
}

/** Which rules a stored event breaks at its place in the log; empty when none. */
export function eventFaults(state: BoardState, event: LogEvent): string[] {
  const late = event.at < state.lastAt ? [`at ${event.at} is earlier than the event before`] : [];
  const fault = intakeFault(state, event);
  return fault === undefined ? late : [...late, fault];
}

/** See `Protocol.intakeFault`. Such a fault also is one of `eventFaults`, which looks at the time beside it. */
export function intakeFault(state: BoardState, event: LogEvent): string | undefined {
  const { from } = event;
  const isFirst = state.seq === 0;
  switch (event.event) {
    case "board_opened":
      return isFirst ? undefined : "board_opened a second time";
    case "registered":
      if (isFirst) return "registered before board_opened";
      if (!isAgentName(from)) return `${quote(from)} cannot name an agent`;
      return agentOf(state, from) ? `${quote(from)} registered a second time` : undefined;
    case "deadline_set":
      return state.deadline === "" ? undefined : "a second deadline_set";
    case "numbered":
    case "posted":
    case "readied":
    case "withdrawn":
      if (agentOf(state, from) === undefined) return `${quote(from)} is not registered`;
      return fileFault(state, event);
    default:
      return `${quote(event.event)} is no event of a board`;
  }
}

function fileFault(state: BoardState, event: LogEvent): string | undefined {
  const { file } = event;
  if (typeof file === "string" && !isFindingFile(file))
    return `${quote(file)} cannot name a finding`;
  if (event.event === "posted" && contentOf(event) === undefined) return "posted without content";
  if (event.event !== "numbered") return undefined;
  const number = typeof file === "string" ? numberOf(file) : undefined;
  if (number === undefined) return `${quote(file)} has no number`;
  const last = agentOf(state, event.from)?.lastNumber ?? 0;
  return number > last ? undefined : `number ${number} was given before`;
}
