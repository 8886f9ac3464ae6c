import { basename } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import { givenText } from "../brain/brain-status-text.ts";
import { type BrainConnection, connectBrain } from "../brain/client/connect-brain.ts";
import { ensureBrainFolder } from "../brain/endpoint.ts";
import { type ResultOf, readResult } from "../brain/rules/methods.ts";
import { RpcFailure } from "../brain/rules/rpc-errors.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { BrainModel, BrainNote, MemoryModel } from "./page/model.ts";

const answerMs = 5_000;
const memoriesMax = 100;
const matchesMax = 20;

/** What a project's brain holds, asked as any client asks; none is started for a look. */
export async function brainModel(workspace: Workspace, query: string): Promise<BrainModel> {
  const lists = { head: [], memories: [], given: [], alerts: [], sessions: [] };
  const project = basename(workspace.project);
  const nothing = { project, query, fault: "", command: "", more: false, ...lists };
  const commandOf = (script: string, ...words: string[]) =>
    commandLine(script, {}, words, readerAnywhere());
  if (!workspace.config.brain)
    return { ...nothing, fault: "The brain is switched off for this project" };
  let line: BrainConnection | undefined;
  try {
    line = await connectBrain(ensureBrainFolder(workspace.root), { handlers: new Map() });
    if (line !== undefined) return { ...nothing, ...(await askBrain(line, query.trim())) };
    const command = commandOf("brain", "status");
    return { ...nothing, fault: "No brain runs for this project", command };
  } catch (cause) {
    if (!(cause instanceof ConsultaError || cause instanceof RpcFailure)) throw cause;
    return { ...nothing, fault: cause.message, command: commandOf("doctor") };
  } finally {
    line?.close();
  }
}

async function askBrain(line: BrainConnection, query: string): Promise<Partial<BrainModel>> {
  const status = await ask(line, "brain.status", {});
  const rows = status.injections.map(fieldsOf);
  const isAlert = ({ reason }: JsonObject) => reason === "alert";
  return {
    ...(await memoriesIn(line, query)),
    head: headOf(status),
    // What a session stored itself was put there by nobody.
    given: rows.filter((it) => !isAlert(it) && it["reason"] !== "own").map(givenOf),
    alerts: rows.filter(isAlert).map(alertOf),
    sessions: status.sessions.map(fieldsOf).map(sessionOf),
  };
}

async function memoriesIn(line: BrainConnection, query: string) {
  if (query !== "") {
    const { matches = [] } = await ask(line, "memory.retrieve", { query, limit: matchesMax });
    return { memories: matches.map(memoryOf) };
  }
  const { memories, next } = await ask(line, "memory.list", { limit: memoriesMax });
  return { memories: memories.map(memoryOf), more: next !== undefined };
}

async function ask<N extends "brain.status" | "memory.list" | "memory.retrieve">(
  { peer }: BrainConnection,
  method: N,
  params: Parameters<typeof peer.request>[1],
): Promise<ResultOf<N>> {
  const result = readResult(method, await peer.request(method, params, answerMs));
  if (result !== undefined) return result;
  throw new ConsultaError(
    "UNAVAILABLE",
    "the brain answers what this version does not know; restart it",
  );
}

function headOf(status: ResultOf<"brain.status">): BrainModel["head"] {
  const { started, pid, connections } = status;
  const { memories, snapshots, eventsPending, bytes } = fieldsOf(status.store);
  const { configured, provider, busy, fault } = fieldsOf(status.delegate);
  const model = configured === true ? `${provider}, ${busy === true ? "at work" : "idle"}` : "none";
  return [
    ["Memories", String(memories)],
    ["Saved sessions", String(snapshots)],
    ["News waiting", String(eventsPending)],
    ["On disk", `${Math.round(Number(bytes) / 1_000)} kB`],
    ["Delegate", fault === undefined ? model : String(fault)],
    ["Clients", String(connections)],
    ["Process", `${pid}, since ${String(started).slice(0, 16).replace("T", " ")} UTC`],
  ];
}

function memoryOf({ key, value, source, updated, tags, link }: JsonObject): MemoryModel {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return {
    key: String(key),
    text: text.slice(0, 8_000).toWellFormed(),
    source: String(source),
    at: String(updated),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    link: typeof link === "string" ? link : "",
  };
}

function givenOf(row: JsonObject): BrainNote {
  const { what, why } = givenText(row);
  const whom = sessionText(row);
  return { what, why: why === "" ? whom : `${why}; ${whom}`, at: String(row["at"]) };
}

function sessionText({ session }: JsonObject): string {
  return `session ${String(session).slice(0, 12)}`;
}

/** What each alert tells a session, in words for people. */
const alertWords: Readonly<Record<string, string>> = {
  memory_full: "told that its context is nearly full",
  hallucination_risk: "told that its context is so full that it may err",
};

function alertOf(row: JsonObject): BrainNote {
  const { subject, score, at } = row;
  const share = typeof score === "number" ? `at ${score.toFixed(1)} %; ` : "";
  const what = alertWords[String(subject)] ?? `told ${subject}`;
  return { what, why: `${share}${sessionText(row)}`, at: String(at) };
}

function sessionOf(row: JsonObject): BrainNote {
  const { session, cli, updated, token_percentage: percent, current, alerts } = row;
  const isWarned = Object.values(fieldsOf(alerts)).includes(true);
  const used =
    typeof percent === "number" ? `${percent.toFixed(0)} % of its context` : "usage unknown";
  const tokens = typeof current === "number" ? `, ${current.toLocaleString("en")} tokens` : "";
  const name = `${typeof cli === "string" ? cli : "some CLI"} ${String(session).slice(0, 12)}`;
  return {
    what: `${name}${isWarned ? " warned" : ""}`,
    why: `${used}${tokens}`,
    at: String(updated),
  };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isRecord(value) ? value : {};
}
