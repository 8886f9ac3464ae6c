import type { ResultOf } from "../core/brain/open-rpc.ts";
import { escapeControls, isRecord, type JsonValue } from "../core/json.ts";
import { quoteText } from "./quotation.ts";

type Found = ResultOf<"memory.retrieve">;
type Listed = ResultOf<"memory.list">["memories"][number];
type Status = ResultOf<"brain.status">;

/** A memory as quoted data: whoever stored it may have been told to by anybody. */
export function memoryText(memory: Listed, nonce: string): string {
  const { key, version, updated, source, link, score, value } = memory;
  const parts = [
    `memory ${JSON.stringify(key)}`,
    `version ${version} of ${updated}`,
    `from ${source}`,
    ...(link === undefined ? [] : [`session ${link}`]),
    ...(score === undefined ? [] : [`score ${score.toFixed(1)}`]),
  ];
  return quoteText(escapeControls(parts.join(", ")), valueText(value), nonce);
}

/** What was found under a key or for a query; undefined when it was nothing. */
export function foundText(found: Found, nonce: string): string | undefined {
  if (!found.found) return undefined;
  const { matches, key, value, version, updated, source } = found;
  if (matches !== undefined) return matches.map((it) => memoryText(it, nonce)).join("");
  if (key === undefined || value === undefined || version === undefined) return undefined;
  const { found: _, ...memory } = found;
  const known = { key, value, version, updated: updated ?? "", source: source ?? "" };
  return memoryText({ ...memory, ...known }, nonce);
}

/** One line for each memory. */
export function listText({ memories, next }: ResultOf<"memory.list">): string {
  const lines = memories.map(({ key, version, updated, source, value }) => {
    const said = valueText(value).replace(/\s+/g, " ").trim();
    const shown = said.length > 80 ? `${said.slice(0, 77)}...` : said;
    return oneLine(`${key}  (${updated}, ${source}, version ${version})  ${shown}`);
  });
  const more = next === undefined ? [] : [`more: list --after ${JSON.stringify(next)}`];
  return `${[...lines, ...more, `${counted(memories.length, "memory", "memories")} shown`].join("\n")}\n`;
}

export function forgottenText(gone: ResultOf<"memory.forget">): string {
  const parts = [
    counted(gone.memories, "memory", "memories"),
    counted(gone.snapshots, "snapshot"),
    counted(gone.events, "event"),
  ];
  return `forgot ${parts.join(", ")}\n`;
}

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Whatever names and keys hold: they make no line of their own. */
function oneLine(line: string): string {
  return escapeControls(line.replace(/\s*[\r\n]\s*/g, " "));
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** Sessions with their usage, what is kept, what was put where and why. */
export function statusText(status: Status): string {
  const { sessions, snapshots, injections, store, delegate, started, pid } = status;
  const lines = [
    `brain: process ${pid}, since ${started}`,
    `kept: ${countsIn(store)}`,
    delegateLine(delegate),
    `sessions: ${sessions.length}`,
    ...sessions.map(sessionLine),
    `saved, for the next session: ${snapshots.length}`,
    ...snapshots.map(
      ({ session, cli, at, holds }) => `  ${session} (${cli}): ${holds.join(", ")} of ${at}`,
    ),
    `put into contexts last: ${injections.length}`,
    ...injections.map(injectionLine),
  ];
  return `${lines.map(oneLine).join("\n")}\n`;
}

function countsIn(store: JsonValue): string {
  const fields = isRecord(store) ? store : {};
  const { memories, snapshots, eventsPending, bytes, setAside } = fields;
  const damaged = Array.isArray(setAside) && setAside.length > 0 ? `; damaged: ${setAside}` : "";
  const parts = [
    counted(memories, "memory", "memories"),
    counted(snapshots, "snapshot"),
    `${counted(eventsPending, "event")} pending`,
    counted(bytes, "byte"),
  ];
  return `${parts.join(", ")}${damaged}`;
}

function delegateLine(delegate: JsonValue): string {
  const fields = isRecord(delegate) ? delegate : {};
  if (fields["configured"] !== true) return "delegate: none";
  return `delegate: ${fields["provider"]}${fields["busy"] === true ? ", at work" : ""}`;
}

const barCharacters = 20;

function sessionLine(session: JsonValue): string {
  const fields = isRecord(session) ? session : {};
  const { session: id, cli, token_percentage: percent, raw_percentage: raw, alerts } = fields;
  const given = Object.entries(isRecord(alerts) ? alerts : {}).filter(([, is]) => is === true);
  const names = given.map(([name]) => name).join(" and ");
  const usage =
    typeof percent === "number"
      ? `${bar(percent)} ${percent} %${raw === undefined ? "" : ` (${raw} % of the window)`}`
      : "usage unknown";
  return `  ${id} (${cli ?? "unknown"}): ${usage}${names === "" ? "" : `; alerts given: ${names}`}`;
}

function bar(percent: number): string {
  const filled = Math.max(0, Math.min(barCharacters, Math.round((percent / 100) * barCharacters)));
  return `[${"#".repeat(filled)}${".".repeat(barCharacters - filled)}]`;
}

const reasons: Readonly<Record<string, string>> = {
  relevant: "it fitted the prompt",
  restore: "the session before it",
  event: "news",
  own: "it was stored there",
};

function injectionLine(injection: JsonValue): string {
  const fields = isRecord(injection) ? injection : {};
  const { session, reason, subject, at, score } = fields;
  const why = reasons[String(reason)] ?? String(reason);
  const how = typeof score === "number" ? `, score ${score.toFixed(1)}` : "";
  return `  ${at} ${subject} -> ${session}: ${why}${how}`;
}
