import { setTimeout as sleep } from "node:timers/promises";
import { type DueTexts, HookClient, type HookClientOptions } from "../brain/client/hook-client.ts";
import { brainPath } from "../brain/endpoint.ts";
import { readUsage, transcriptHolds } from "../brain/read-context-usage.ts";
import { fillOf } from "../brain/rules/alerts.ts";
import type { SessionReport, TokenUsage } from "../brain/rules/methods.ts";
import { fieldText } from "../brain/rules/transcripts.ts";
import { isPending } from "../brain/server/pending-markers.ts";
import { commandLine } from "../script/command-line.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { type HookCall, logFailure, printContext } from "./hook-call.ts";
import { mayBrainRun } from "./probe-brain.ts";
import { hookEventOf } from "./rules/hook-events.ts";
import { reportAt } from "./rules/hook-report.ts";
import { brainSpawner, recordBrainStarted } from "./spawn-with-backoff.ts";

/** What the brain gives for an event, and the client that asked it, which the caller closes. */
export interface BrainAnswer extends DueTexts {
  readonly session: string;
  readonly client: HookClient;
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
    brain?.client.close();
  } catch (cause) {
    logFailure(call, cause);
  }
  return 0;
}

const nothing: DueTexts = { texts: [], printed: async () => undefined };

/** Tells the brain of an event; undefined where it has nothing to do with it or cannot be reached. */
export async function askBrain(call: HookCall): Promise<BrainAnswer | undefined> {
  const { cli, event, workspace } = call;
  const moment = hookEventOf(cli, event);
  if (workspace === undefined || moment === undefined) return undefined;
  const folder = brainPath(workspace.root);
  const start = moment.mayStart ? brainSpawner(workspace) : undefined;
  if (start === undefined && !mayBrainRun(workspace.root)) return undefined;
  const report = reportAt(moment, cli, call.input, await usageIn(call));
  if (report === undefined) return undefined;
  if (moment.event === "tool" && !isPressing(folder, report)) return undefined;
  return reportTo(workspace, folder, report, start);
}

async function reportTo(
  workspace: Workspace,
  folder: string,
  report: SessionReport,
  start: (() => void) | undefined,
): Promise<BrainAnswer | undefined> {
  const startedMs = performance.now();
  const ms = report.event === "end" ? endMs : answerMs;
  const options: HookClientOptions = {
    storeCommand: storeCommand(),
    connectMs: ms * connectShare,
    start: start && { brain: start, waitMs: ms * startShare },
  };
  const client = await HookClient.reach(folder, options);
  if (client === undefined) return undefined;
  recordBrainStarted(workspace);
  const leftMs = Math.max(1, ms - (performance.now() - startedMs));
  const given = await client.sync(report, leftMs);
  if (given !== undefined) return { ...given, session: report.session, client };
  client.close();
  return undefined;
}

/** The transcript is not there yet when a session begins. */
async function usageIn({ cli, input }: HookCall): Promise<TokenUsage | undefined> {
  const path = fieldText(input, "transcript_path") ?? "";
  if (path === "") return undefined;
  if (cli === "claude") await untilWritten(path, fieldText(input, "tool_use_id") ?? "");
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
function isPressing(folder: string, report: SessionReport): boolean {
  if (isPending(folder, report.session)) return true;
  const fill = report.token_usage === undefined ? undefined : fillOf(report.token_usage);
  return fill !== undefined && fill.percentage > nearlyFull;
}

function storeCommand(): string {
  return commandLine("brain", {}, ["store", "KEY", "VALUE"]);
}
