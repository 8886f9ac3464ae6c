import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { runLimits } from "../../clis/run-limits.ts";
import type { Environment } from "../../files/environment.ts";
import type { Place } from "../../session/place.ts";

/** One turn of a scripted colleague. */
export interface RehearsalTurn {
  readonly place: Place;
  readonly participant: string;
  /** The folder of the real scripts. */
  readonly scripts: string;
  readonly environment: Environment;
}

export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const scriptMs = 60_000;

/** Runs a script on the turn's session. */
export function runSibling(
  turn: RehearsalTurn,
  script: string,
  more: readonly string[],
  input: string,
): Promise<ScriptEnd> {
  const { place, participant } = turn;
  const words = [`--folder=${place.folder}`, `--participant=${participant}`, ...more];
  return runScriptFile(turn, script, words, input);
}

/** Runs one of the scripts that only boards have: folder and name are their first words. */
export function runBoardScript(
  turn: RehearsalTurn,
  script: string,
  more: readonly string[],
  input: string,
): Promise<ScriptEnd> {
  const { place, participant } = turn;
  return runScriptFile(turn, script, [place.folder, participant, ...more], input);
}

/** Looks at a claim again. What cannot be run is said by whoever asks next. */
export function runCheck(turn: RehearsalTurn, claim: string): Promise<ScriptEnd> {
  const { place, participant } = turn;
  const { workspace, id } = place;
  const where = workspace === undefined ? [] : [`--workspace=${workspace.root}`];
  const words = [`--session=${id}`, ...where, `--participant=${participant}`, `--claim=${claim}`];
  return runScriptFile(turn, "check", words, "");
}

/** The script runs in this process's group, so that whoever stops the turn stops it as well. */
async function runScriptFile(
  { scripts, environment }: RehearsalTurn,
  script: string,
  words: readonly string[],
  input: string,
): Promise<ScriptEnd> {
  const { execFile } = await import("node:child_process");
  const options = {
    env: { ...environment },
    encoding: "utf8",
    timeout: scriptMs,
    maxBuffer: runLimits.outputBytes,
  } as const;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(scripts, `${script}.cjs`), ...words],
      options,
      (error, stdout, stderr) => {
        const exitCode = child.exitCode ?? 128;
        resolve({ exitCode, stdout, stderr: stderr || (error?.message ?? "") });
      },
    );
    // A script that refuses its arguments does not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The rehearsal is started in the folder that it works in. */
export function projectOf({ place }: RehearsalTurn): string {
  return place.workspace?.project ?? process.cwd();
}

/** The script has come to the end of what it knows. */
export function atWitsEnd(reason: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `the script of the rehearsal does not know how to go on: ${reason}`,
  );
}
