import { basename } from "node:path";
import { ConsultaError, unavailable } from "../base/errors.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { delegateText, givenText } from "./brain-status-text.ts";
import { type BrainConnection, connectBrain } from "./client/connect-brain.ts";
import { ensureBrainFolder } from "./endpoint.ts";
import { type ResultOf, readResult, type ShownMemory } from "./rules/methods.ts";
import { RpcFailure } from "./rules/rpc-errors.ts";

const answerMs = 5_000;
const memoriesMax = 100;
const matchesMax = 20;
const valueCharactersMax = 8_000;
const idCharacters = 12;

type Status = ResultOf<"brain.status">;
type Given = Status["injections"][number];

/** What a project's brain holds, for a page; asked as any client asks: none is started for a look. */
export async function brainModel(workspace: Workspace, query: string) {
  const nothing = { project: basename(workspace.project), query, fault: "", command: "", ...empty };
  const commandOf = (script: string, ...words: string[]) =>
    commandLine(script, {}, words, readerAnywhere());
  if (!workspace.config.brain)
    return { ...nothing, fault: "The brain is switched off for this project" };
  let line: BrainConnection | undefined;
  try {
    line = await connectBrain(ensureBrainFolder(workspace.root), { handlers: new Map() });
    if (line !== undefined) return { ...nothing, ...(await heldBy(line, query.trim())) };
    const command = commandOf("brain", "status");
    return { ...nothing, fault: "No brain runs for this project", command };
  } catch (cause) {
    if (!(cause instanceof ConsultaError || cause instanceof RpcFailure)) throw cause;
    return { ...nothing, fault: cause.message, command: commandOf("doctor") };
  } finally {
    line?.close();
  }
}

const empty = { head: [], memories: [], more: false, given: [], alerts: [], sessions: [] };

async function heldBy(line: BrainConnection, query: string) {
  const status = await ask(line, "brain.status", {});
  const { injections } = status;
  return {
    ...(await memoriesFor(line, query)),
    head: headOf(status),
    // What a session stored itself was put there by nobody.
    given: injections.filter(({ reason }) => reason !== "alert" && reason !== "own").map(givenNote),
    alerts: injections.filter(({ reason }) => reason === "alert").map(alertNote),
    sessions: status.sessions.map(sessionNote),
  };
}

async function memoriesFor(line: BrainConnection, query: string) {
  if (query !== "") {
    const { matches = [] } = await ask(line, "memory.retrieve", { query, limit: matchesMax });
    return { memories: matches.map(memoryModel), more: false };
  }
  const { memories, next } = await ask(line, "memory.list", { limit: memoriesMax });
  return { memories: memories.map(memoryModel), more: next !== undefined };
}

async function ask<N extends "brain.status" | "memory.list" | "memory.retrieve">(
  { peer }: BrainConnection,
  method: N,
  params: object,
): Promise<ResultOf<N>> {
  const result = readResult(method, await peer.request(method, params, answerMs));
  if (result !== undefined) return result;
  throw unavailable("the brain answers what this version does not know; restart it");
}

function headOf({ store, delegate, connections, pid, started }: Status): [string, string][] {
  return [
    ["Memories", String(store.memories)],
    ["Saved sessions", String(store.snapshots)],
    ["News waiting", String(store.eventsPending)],
    ["On disk", `${Math.round(store.bytes / 1_000)} kB`],
    ["Delegate", delegateText(delegate)],
    ["Clients", String(connections)],
    ["Process", `${pid}, since ${started.slice(0, 16).replace("T", " ")} UTC`],
  ];
}

function memoryModel({ key, value, source, updated, tags, link = "" }: ShownMemory) {
  const whole = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const text = whole.slice(0, valueCharactersMax).toWellFormed();
  return { key, text, source, at: updated, tags, link };
}

function givenNote(row: Given) {
  const { what, why } = givenText(row);
  const whom = `session ${row.session.slice(0, idCharacters)}`;
  return { what, why: why === "" ? whom : `${why}; ${whom}`, at: row.at };
}

/** What each alert tells a session, in words for people. */
const alertWords: Readonly<Record<string, string>> = {
  memory_full: "told that its context is nearly full",
  hallucination_risk: "told that its context is so full that it may err",
};

function alertNote({ session, subject, score, at }: Given) {
  const share = score === undefined ? "" : `at ${score.toFixed(1)} %; `;
  const why = `${share}session ${session.slice(0, idCharacters)}`;
  return { what: alertWords[subject] ?? `told ${subject}`, why, at };
}

function sessionNote(status: Status["sessions"][number]) {
  const { session, cli = "some CLI", updated, token_percentage: percent, current, alerts } = status;
  const isWarned = Object.values(alerts).includes(true);
  const used = percent === undefined ? "usage unknown" : `${percent.toFixed(0)} % of its context`;
  const tokens = current === undefined ? "" : `, ${current.toLocaleString("en")} tokens`;
  const what = `${cli} ${session.slice(0, idCharacters)}${isWarned ? " warned" : ""}`;
  return { what, why: `${used}${tokens}`, at: updated };
}
