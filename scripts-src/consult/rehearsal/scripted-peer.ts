import { ConsultaError } from "../../base/errors.ts";
import { runLimits } from "../../clis/run-limits.ts";
import { lastLine } from "../../clis/short-line.ts";
import type { Environment } from "../../files/environment.ts";
import { programOf } from "../../script/command-line.ts";
import type { NextAction } from "../../session/next-action.ts";
import type { Place } from "../../session/place.ts";

/** One turn of a scripted peer. */
export interface RehearsalTurn {
  readonly place: Place;
  readonly participant: string;
  /** The folder of the real scripts. */
  readonly scripts: string;
  readonly environment: Environment;
}

/** What `next-action --json` prints: all that a scripted peer knows. */
export type PrintedNext = Pick<NextAction, "standing" | "guidance" | "letters">;

/** What a scripted peer does in its turn, by a script that any agent would run. */
export interface Act {
  readonly name: string;
  send(): Promise<ScriptEnd>;
}

export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A part of every text of a scripted peer, so that no reader takes it for a judgement. */
export const dryRunMark = "[dry run: a script, no AI]";

/** The same for the end of a whole document. */
export const rehearsalRemark =
  "This was a dry run: all participants are scripts that follow the protocol. What was counted or " +
  "measured is real and from this machine; the judgement is not. For a decision, run consult with real agents.";

/** The options that say who acts in which session. */
export function whoAndWhere({ place, participant }: RehearsalTurn): string[] {
  return [`--folder=${place.folder}`, `--participant=${participant}`];
}

/** @throws ConsultaError REFUSED when `next-action` fails. */
export async function askNext(turn: RehearsalTurn): Promise<PrintedNext> {
  const words = [...whoAndWhere(turn), "--json"];
  const { exitCode, stdout, stderr } = await runOwnScript(turn, "next-action", words);
  if (exitCode !== 0) throw atItsEnd(lastLine(stderr));
  return JSON.parse(stdout);
}

const scriptMs = 60_000;

/** Runs a script in this process's group: what stops the turn stops it as well. */
export async function runOwnScript(
  { scripts, environment }: RehearsalTurn,
  script: string,
  words: readonly string[],
  input = "",
): Promise<ScriptEnd> {
  const { execFile } = await import("node:child_process");
  const options = {
    env: { ...environment },
    encoding: "utf8",
    timeout: scriptMs,
    maxBuffer: runLimits.outputBytes,
  } as const;
  const command = [...programOf(scripts, script), ...words];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const exitCode = child.exitCode ?? 128;
      resolve({ exitCode, stdout, stderr: stderr || (error?.message ?? "") });
    });
    // A script that rejects its arguments does not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The peer has no line for what the session needs now. */
export function atItsEnd(reason: string): ConsultaError {
  const message = `the script of the dry run does not know how to go on: ${reason}`;
  return new ConsultaError("REFUSED", message);
}
