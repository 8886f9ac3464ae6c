import { linesOf } from "../../base/markdown.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import { isAgentName } from "./board-names.ts";

/** One line of `agents.md`. */
export interface ListedAgent {
  readonly name: string;
  /** As the line says it; "" when it does not. */
  readonly registeredAt: string;
}

export interface AgentsFile {
  /** Each once, in the order of their first lines. */
  readonly agents: readonly ListedAgent[];
  /** Lines that name no agent, as they stand there; headings and blank lines are not among them. */
  readonly strange: readonly string[];
}

/** What `agents.md` says before anybody registered. */
export const agentsFileStart = "# Registered Agents\n";

/** The line that registers an agent, without its line end. */
export function agentLine(name: string, isoTime: string): string {
  return `- ${name} (registered: ${isoSecond(millisecondsOf(isoTime))})`;
}

/** Reads `agents.md`; who wrote a line by hand may have left out the time. */
export function agentsIn(text: string): AgentsFile {
  const agents = new Map<string, ListedAgent>();
  const strange: string[] = [];
  for (const line of linesOf(text)) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const agent = agentOn(line.trimEnd());
    if (agent === undefined) strange.push(line);
    else if (!agents.has(agent.name)) agents.set(agent.name, agent);
  }
  return { agents: [...agents.values()], strange };
}

/** Whether a line registers an agent and says nothing else. */
export function isAgentLine(line: string): boolean {
  return (
    /^- \S+(?: +\(registered: *[^\s()]+\))? *$/.test(line) && agentOn(line.trimEnd()) !== undefined
  );
}

/** The original counts the lines that begin with a dash and a blank. */
function agentOn(line: string): ListedAgent | undefined {
  const [, name = "", note = ""] = /^- (\S+)(.*)$/s.exec(line) ?? [];
  if (!isAgentName(name)) return undefined;
  const [, registeredAt = ""] = /^\s+\(registered:\s*([^\s()]+)\)$/.exec(note) ?? [];
  return { name, registeredAt };
}
