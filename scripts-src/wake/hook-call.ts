import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { oneLine, visibleText } from "../base/visible-text.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import type { HookedCli } from "../clis/hook-entries.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { systemClock } from "../script/clock.ts";
import { print } from "../script/output.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { HookInput } from "./rules/hook-report.ts";

/** One call of a hook by a CLI. */
export interface HookCall {
  readonly cli: HookedCli;
  /** The CLI's name of what happened. */
  readonly event: string;
  /** The prompt that the event tells of; "" where it tells of none. */
  readonly prompt: string;
  /** The user's own folder. */
  readonly home: string;
  /** The CLI's process; undefined where none can be told. */
  readonly process: CliProcess | undefined;
  readonly workspace: Workspace | undefined;
  /** The workspace's folder, where failures are noted; undefined outside of a workspace. */
  readonly root: string | undefined;
  /** The folder of the project: the workspace's, else where the CLI is. */
  readonly project: string;
  /** Whether a conversation goes on that an earlier process of the CLI had. */
  readonly isResumed: boolean;
  /** All that the CLI says of the event. */
  readonly input: HookInput;
}

const reasonCharacters = 500;

/**
 * Writes why a hook failed into the workspace, where `doctor` reads it. Nothing is printed or thrown: a hook
 * that fails must not disturb its CLI.
 */
export function logFailure(
  { cli, event, root }: Pick<HookCall, "cli" | "event" | "root">,
  cause: unknown,
): void {
  if (root === undefined) return;
  const told = cause instanceof Error ? (messageIfExpected(cause) ?? cause.stack) : undefined;
  const reason = oneLine(told ?? String(cause));
  const line = `${systemClock.now()} hook ${cli} ${event}: ${reason.slice(0, reasonCharacters)}\n`;
  try {
    writeFileAtomically(join(ensureFolder(root, "errors"), "hook.txt"), line, { sync: "nothing" });
  } catch {
    return;
  }
}

/** The message of a failure that a person can act on; undefined for a bug, whose stack is kept. */
function messageIfExpected(cause: Error): string | undefined {
  return cause instanceof ConsultaError ? cause.message : undefined;
}

/** Puts a text before the model, beside what the event is about; false when the CLI has gone. */
export function printContext({ event }: HookCall, context: string): boolean {
  // What is escaped in JSON alone would reach the model as it was.
  const hookSpecificOutput = { hookEventName: event, additionalContext: visibleText(context) };
  return print(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
