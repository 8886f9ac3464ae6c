import { quote } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Inspection } from "../../protocol/protocol.ts";
import { agentLine, agentsIn } from "./agents-file.ts";
import { pathOf } from "./files-wanted.ts";
import { readFinding } from "./finding-text.ts";
import { knownNames } from "./known-findings.ts";
import type { BoardState } from "./state.ts";

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

function findingFaults({ findings }: BoardState, files: Files): string[] {
  return knownNames(findings).flatMap((finding) => {
    const fact = files.get(pathOf(finding));
    if (fact === undefined) return [`${pathOf(finding)} is gone`];
    if (fact.text === undefined) return [`${pathOf(finding)} ${fact.fault ?? "cannot be read"}`];
    const { faults } = readFinding(fact.text);
    return faults.length === 0 ? [] : [`${pathOf(finding)}: ${faults.join("; ")}`];
  });
}
