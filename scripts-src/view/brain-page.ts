import { basename } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import { ensureBrainFolder } from "../brain/brain-endpoint.ts";
import { givenText } from "../brain/brain-status-text.ts";
import { type BrainConnection, connectBrain } from "../brain/client/connect-brain.ts";
import { fitsResult, type ResultOf } from "../brain/rules/open-rpc.ts";
import { RpcFailure } from "../brain/rules/rpc-errors.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { BrainModel, BrainSessionModel, GivenModel, MemoryModel } from "./page/model.ts";

const answerMs = 5_000;
const memoriesMax = 100;
const matchesMax = 20;

/** What a project's brain holds, asked as any client asks; none is started for a look. */
export async function brainModel(workspace: Workspace, query: string): Promise<BrainModel> {
  const nothing = emptyModel(basename(workspace.project), query);
  if (!workspace.config.brain)
    return { ...nothing, fault: "The brain is switched off for this project" };
  try {
    const line = await connectBrain(ensureBrainFolder(workspace.root), { handlers: new Map() });
    if (line === undefined)
      return {
        ...nothing,
        fault: "No brain runs for this project",
        command: commandLine("brain", {}, ["status"], readerAnywhere()),
      };
    try {
      return { ...nothing, ...(await askBrain(line, query)) };
    } finally {
      line.close();
    }
  } catch (cause) {
    if (!(cause instanceof ConsultaError || cause instanceof RpcFailure)) throw cause;
    const command = commandLine("doctor", {}, [], readerAnywhere());
    return { ...nothing, fault: cause.message, command };
  }
}

function emptyModel(project: string, query: string): BrainModel {
  const lists = { head: [], memories: [], given: [], alerts: [], sessions: [] };
  return { project, query, fault: "", command: "", more: false, ...lists };
}

async function askBrain(line: BrainConnection, query: string): Promise<Partial<BrainModel>> {
  const status = await ask(line, "brain.status", {});
  const found =
    query.trim() === ""
      ? undefined
      : await ask(line, "memory.retrieve", { query: query.trim(), limit: matchesMax });
  const page =
    found === undefined ? await ask(line, "memory.list", { limit: memoriesMax }) : undefined;
  const memories = found === undefined ? (page?.memories ?? []) : (found.matches ?? []);
  const rows = status.injections.map(fieldsOf);
  const isAlert = ({ reason }: JsonObject) => reason === "alert";
  return {
    head: headOf(status),
    memories: memories.map(memoryOf),
    more: page?.next !== undefined,
    // What a session stored itself was put there by nobody.
    given: rows.filter((it) => !isAlert(it) && it["reason"] !== "own").map(givenOf),
    alerts: rows.filter(isAlert).map(alertOf),
    sessions: status.sessions.map(fieldsOf).map(sessionOf),
  };
}

type Asked = "brain.status" | "memory.list" | "memory.retrieve";

async function ask<N extends Asked>(
  { peer }: BrainConnection,
  method: N,
  params: Parameters<typeof peer.request>[1],
): Promise<ResultOf<N>> {
  const result = await peer.request(method, params, answerMs);
  if (fitsResult(method, result)) return result;
  throw new ConsultaError(
    "UNAVAILABLE",
    "the brain answers what this version does not know; restart it",
  );
}

function headOf({ started, pid, connections, store, delegate }: ResultOf<"brain.status">) {
  const { memories, snapshots, eventsPending, bytes } = fieldsOf(store);
  const { configured, provider, busy, fault } = fieldsOf(delegate);
  const model =
    fault !== undefined
      ? String(fault)
      : configured === true
        ? `${provider}, ${busy === true ? "at work" : "idle"}`
        : "none";
  return [
    ["Memories", String(memories)],
    ["Saved sessions", String(snapshots)],
    ["News waiting", String(eventsPending)],
    ["On disk", `${Math.round(Number(bytes) / 1_000)} kB`],
    ["Delegate", model],
    ["Clients", String(connections)],
    ["Process", `${pid}, since ${String(started).slice(0, 16).replace("T", " ")} UTC`],
  ].map(([name = "", value = ""]) => ({ name, value }));
}

function memoryOf(it: JsonObject): MemoryModel {
  const { key, value, source, updated, tags, link } = it;
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

function givenOf(row: JsonObject): GivenModel {
  const { session, at } = row;
  return { session: String(session), at: String(at), ...givenText(row) };
}

/** What each alert tells a session, in words for people. */
const alertWords: Readonly<Record<string, string>> = {
  memory_full: "told that its context is nearly full",
  hallucination_risk: "told that its context is so full that it may err",
};

function alertOf({ session, at, subject, score }: JsonObject): GivenModel {
  const what = alertWords[String(subject)] ?? `told ${subject}`;
  const why = typeof score === "number" ? `at ${score.toFixed(1)} %` : "";
  return { session: String(session), at: String(at), what, why };
}

function sessionOf({
  session,
  cli,
  updated,
  token_percentage: percent,
  current,
  alerts,
}: JsonObject): BrainSessionModel {
  return {
    session: String(session),
    cli: typeof cli === "string" ? cli : "",
    at: String(updated),
    percent: typeof percent === "number" ? percent : undefined,
    tokens: typeof current === "number" ? current : undefined,
    isWarned: Object.values(fieldsOf(alerts)).includes(true),
  };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isRecord(value) ? value : {};
}
