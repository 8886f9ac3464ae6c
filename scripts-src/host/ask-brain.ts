import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brainRoot } from "../app/brain-place.ts";
import type { Workspace } from "../app/workspace.ts";
import { needsAttention } from "../brain/attention.ts";
import type { Given, HookLine, HookLineOptions } from "../brain/hook-line.ts";
import { readUsage, transcriptHolds } from "../brain/read-usage.ts";
import { fillOf, type TokenUsage } from "../core/brain/effective-window.ts";
import { momentOf } from "../core/brain/hook-moments.ts";
import { reportAt, type SessionReport } from "../core/brain/hook-report.ts";
import { isTaskTool } from "../core/brain/task-tools.ts";
import { textAt } from "../core/brain/transcript-line.ts";
import { mayBrainRun } from "./brain-at-hand.ts";
import { brainStart, noteBrainCame } from "./brain-start.ts";
import { commandLine, pathFromHere } from "./context.ts";
import { type HookCall, noteFailure } from "./hook-call.ts";
import { printContext } from "./print-context.ts";

/** What the brain gives for an event, and the line to it, which whoever asked closes. */
export interface FromBrain extends Given {
  readonly session: string;
  readonly line: HookLine;
}

/** The brain may not keep a CLI waiting for longer; the end of a session not even for that. */
const answerMs = 2_100;
const endMs = 900;
/** Parts of that: to connect, and to wait for a brain that was just started. */
const connectShare = 0.25;
const startShare = 0.5;

/** From here on a tool is worth the way to the brain: an alert may be due. */
const nearlyFull = 85;

/** Answers an event that nobody but the brain wants to hear of. */
export async function answerForBrain(call: HookCall): Promise<number> {
  try {
    const brain = await askBrain(call);
    const { texts, printed } = brain ?? nothing;
    if (texts.length > 0 && printContext(call, texts.join("\n\n"))) await printed();
    brain?.line.close();
  } catch (cause) {
    noteFailure(call, cause);
  }
  return 0;
}

const nothing: Given = { texts: [], printed: async () => undefined };

/** Tells the brain of an event; undefined where it has nothing to do with it or cannot be reached. */
export async function askBrain(call: HookCall): Promise<FromBrain | undefined> {
  const { cli, event, workspace } = call;
  const moment = momentOf(cli, event);
  if (workspace === undefined || moment === undefined) return undefined;
  const folder = join(brainRoot(workspace.root), "brain");
  const start = moment.mayStart ? brainStart(workspace) : undefined;
  if (start === undefined && !mayBrainRun(workspace.root)) return undefined;
  const report = reportAt(moment, cli, call.input, await usageIn(call));
  if (report === undefined) return undefined;
  if (moment.event === "tool" && !isPressing(call, folder, report)) return undefined;
  return talk(workspace, folder, report, start);
}

async function talk(
  workspace: Workspace,
  folder: string,
  report: SessionReport,
  start: (() => void) | undefined,
): Promise<FromBrain | undefined> {
  const startedMs = performance.now();
  const ms = report.event === "end" ? endMs : answerMs;
  const options: HookLineOptions = {
    storeCommand: storeCommand(),
    connectMs: ms * connectShare,
    start: start && { brain: start, waitMs: ms * startShare },
  };
  const { HookLine } = await import("../brain/hook-line.ts");
  const line = await HookLine.reach(folder, options);
  if (line === undefined) return undefined;
  noteBrainCame(workspace);
  const leftMs = Math.max(1, ms - (performance.now() - startedMs));
  const given = await line.sync(report, leftMs);
  if (given !== undefined) return { ...given, session: report.session, line };
  line.close();
  return undefined;
}

/** The transcript is not there yet when a session begins. */
async function usageIn({ cli, input }: HookCall): Promise<TokenUsage | undefined> {
  const path = textAt(input, "transcript_path") ?? "";
  if (path === "") return undefined;
  if (cli === "claude") await untilWritten(path, textAt(input, "tool_use_id") ?? "");
  return readUsage(cli, path);
}

/**
 * Claude Code tells of a tool while it is still writing down the answer that called it. At a stop
 * the same is so, but there the answer is to be saved at once: what comes next may be a compaction.
 */
async function untilWritten(path: string, toolUse: string): Promise<void> {
  for (let tries = 0; tries < writtenTries && !transcriptHolds(path, toolUse); tries += 1) {
    await sleep(writtenMs);
  }
}

const writtenMs = 15;
const writtenTries = 10;

/** Tools run often, and seldom is there anything to be told of one. */
function isPressing({ input }: HookCall, folder: string, report: SessionReport): boolean {
  if (isTaskTool(input["tool_name"]) || needsAttention(folder, report.session)) return true;
  const fill = report.token_usage === undefined ? undefined : fillOf(report.token_usage);
  return fill !== undefined && fill.percentage > nearlyFull;
}

function storeCommand(): string {
  return commandLine("brain", {}, ["store", "KEY", "VALUE"], pathFromHere);
}
