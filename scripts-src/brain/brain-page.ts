import { basename } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { statusText } from "./brain-status.ts";
import { type BrainConnection, connectBrain } from "./client/connect-brain.ts";
import { ensureBrainFolder } from "./endpoint.ts";
import type { ShownMemory } from "./rules/methods.ts";
import { RpcFailure } from "./rules/rpc-errors.ts";

const memoriesMax = 100;
const matchesMax = 20;
const valueCharactersMax = 8_000;

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

const empty = { status: "", memories: [], more: false };

async function heldBy(line: BrainConnection, query: string) {
  const status = statusText(await line.ask("brain.status", {}), Date.now());
  return { ...(await memoriesFor(line, query)), status };
}

async function memoriesFor(line: BrainConnection, query: string) {
  if (query !== "") {
    const { matches = [] } = await line.ask("memory.retrieve", { query, limit: matchesMax });
    return { memories: matches.map(memoryModel), more: false };
  }
  const { memories, next } = await line.ask("memory.list", { limit: memoriesMax });
  return { memories: memories.map(memoryModel), more: next !== undefined };
}

function memoryModel({ key, value, source, updated, tags, link = "" }: ShownMemory) {
  const whole = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const text = whole.slice(0, valueCharactersMax).toWellFormed();
  return { key, text, source, at: updated, tags, link };
}
