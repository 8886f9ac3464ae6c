import { type JsonObject, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { linesOf } from "../../base/markdown.ts";
import { instantOf, isoSecond, millisecondsOf } from "../../base/time.ts";
import { isAgentName } from "./board-names.ts";

/** What `meta.md` says of a board. */
export interface BoardSettings extends JsonObject {
  /** 0 when it is not known. */
  expectedAgents: number;
  timeoutSeconds: number;
  pollIntervalSeconds: number;
  /** ISO time; "" when there is none yet. */
  deadline: string;
  /** What the agents tell each other about; "" when nobody said. */
  about: string;
  /** Why nobody can work with them; "" when all is well. */
  fault: string;
}

export interface NewBoard {
  readonly expectedAgents: number;
  readonly timeoutSeconds: number;
  readonly about: string;
  readonly createdAt: string;
}

/** What the seed says where `meta.md` does not; nothing of ours polls. */
const defaultPollIntervalSeconds = 5;

/** Reads the text of `meta.md`, undefined where there is none; `fault` tells what is wrong. */
export function readMeta(text: string | undefined): BoardSettings {
  const lines = linesOf(text ?? "");
  const values = valuesIn(lines);
  const expected = wholeNumber(values.get("expected_agents") ?? []);
  const timeout = wholeNumber(
    values.get("timeout_seconds") ?? [String(limits.boardTimeoutSeconds)],
  );
  const deadline = deadlineIn(lines);
  const fault =
    text === undefined
      ? "meta.md is missing: it says how many agents the board is for; restore it, or make " +
        "another board with init DIR N"
      : (rangeFault("expected_agents", values, expected, 1, limits.boardAgents) ??
        rangeFault("timeout_seconds", values, timeout, 0, limits.boardTimeoutSecondsMax) ??
        deadlineFault(values.get("deadline") ?? [], deadline) ??
        "");
  return {
    expectedAgents: expected ?? 0,
    timeoutSeconds: timeout ?? limits.boardTimeoutSeconds,
    pollIntervalSeconds:
      wholeNumber(values.get("poll_interval_seconds") ?? []) ?? defaultPollIntervalSeconds,
    deadline: instantOf(deadline) === undefined ? "" : deadline,
    about: shown(values.get("about")?.[0] ?? ""),
    fault,
  };
}

/** What a new board's `meta.md` says. */
export function metaText({ expectedAgents, timeoutSeconds, about, createdAt }: NewBoard): string {
  const topic = hidden(about.replace(/\s+/g, " ").trim());
  const lines = [
    lineOf("expected_agents", String(expectedAgents)),
    lineOf("timeout_seconds", String(timeoutSeconds)),
    lineOf("poll_interval_seconds", String(defaultPollIntervalSeconds)),
    lineOf("created", isoSecond(millisecondsOf(createdAt))),
    ...(topic === "" ? [] : [lineOf("about", topic)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The line that the first registration adds, without its line end; whole seconds, as originals read. */
export function deadlineLine(isoTime: string): string {
  return lineOf("deadline", isoSecond(millisecondsOf(isoTime)));
}

function lineOf(key: string, value: string): string {
  return `- **${key}:** ${value}`;
}

/**
 * The originals look for `deadline:` and the other keys anywhere in the file: said in what the
 * board is about, such a word would set a deadline or break their count.
 */
function hidden(about: string): string {
  return about
    .replace(/&#/g, "&#38;#")
    .replace(/(expected_agents|timeout_seconds|poll_interval_seconds|deadline):/g, "$1&#58;");
}

function shown(about: string): string {
  return about.replace(/&#(38|58);/g, (_, code) => (code === "38" ? "&" : ":"));
}

/** The values of every `- **key:** value` line by key; people may leave out bullets and stars. */
function valuesIn(lines: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const [, key, value = ""] = /^\s*(?:[-*+]\s+)?\**([a-z_]+):\**(.*)$/s.exec(line) ?? [];
    if (key === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value.trim()]);
    else known.push(value.trim());
  }
  return values;
}

/** The number that all lines of one key agree on. */
function wholeNumber(values: readonly string[]): number | undefined {
  const [first = "", ...others] = new Set(values);
  return others.length === 0 && /^\d{1,9}$/.test(first) ? Number(first) : undefined;
}

function rangeFault(
  key: string,
  values: ReadonlyMap<string, readonly string[]>,
  number: number | undefined,
  min: number,
  max: number,
): string | undefined {
  if (number !== undefined && number >= min && number <= max) return undefined;
  const came = values.get(key) ?? [];
  const says = came.length === 0 ? "is missing" : `is ${came.slice(0, 3).map(quote).join(" and ")}`;
  return (
    `invalid meta.md: ${key} ${says}, expected one whole number from ${min} to ${max}; ` +
    `correct its line: ${lineOf(key, number === undefined ? "N" : String(Math.min(max, number)))} ` +
    "(the first line of events.jsonl, where there is one, tells what it was)"
  );
}

/** The first time in a line about a deadline: the originals' poll compares it before all others. */
function deadlineIn(lines: readonly string[]): string {
  for (const line of lines) {
    const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/.exec(line)?.[0];
    if (time !== undefined && line.includes("deadline:")) return time;
  }
  return "";
}

function deadlineFault(values: readonly string[], deadline: string): string | undefined {
  if (instantOf(deadline) !== undefined) return undefined;
  if (deadline === "" && values.length === 0) return undefined;
  const came = deadline === "" ? (values[0] ?? "") : deadline;
  return (
    `invalid meta.md: deadline is ${quote(came)}, expected a time; ` +
    "correct its line, such as: - **deadline:** 2026-04-22T14:35:00Z"
  );
}

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
