import { join } from "node:path";
import { ConsultaError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Environment } from "../driver.ts";
import { lastLine } from "../one-line.ts";
import { runLimits } from "../run-limits.ts";
import { chooseMove } from "./choose-move.ts";
import { remark } from "./moves.ts";
import { readScene } from "./scene.ts";

export interface RehearsalTurn {
  readonly session: string;
  readonly participant: string;
  readonly project: string;
  /** The folder of the real scripts. */
  readonly scripts: string;
  readonly environment: Environment;
}

/** The other side may be faster while this one thinks: then it looks again and decides anew. */
const triesMax = 4;
const scriptMs = 60_000;

/**
 * Takes one turn as a scripted colleague, through the real scripts as processes of their own:
 * asks `next-action`, sends what it owes with `append-event`. Gives what it did in one line.
 * @throws ConsultaError REFUSED when its message is refused again and again.
 */
export async function takeRehearsalTurn(turn: RehearsalTurn): Promise<string> {
  let refusal = "";
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const asked = await runSibling(turn, "next-action", ["--json"], "");
    if (asked.exitCode !== 0) throw refused(lastLine(asked.stderr));
    const scene = readScene(asked.stdout, turn.participant, turn.project);
    if (scene === undefined) return `${turn.participant} does not have the turn`;
    // The last try says as little as possible: what is owed, and nothing clever.
    const message = tries < triesMax ? chooseMove(scene) : remark(scene);
    const sent = await send(turn, message);
    if (sent.exitCode === 0) return `${turn.participant} sent ${message["type"]}`;
    refusal = lastLine(sent.stderr);
  }
  throw refused(refusal);
}

function refused(reason: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `the script of the rehearsal does not know how to go on: ${reason}`,
  );
}

interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function send(turn: RehearsalTurn, message: JsonObject): Promise<ScriptEnd> {
  return runSibling(turn, "append-event", ["--message", "-"], JSON.stringify(message));
}

/** Runs a script in this process's group, so that whoever stops the turn stops it as well. */
async function runSibling(
  { scripts, session, participant, project, environment }: RehearsalTurn,
  script: string,
  more: readonly string[],
  input: string,
): Promise<ScriptEnd> {
  const { spawnSync } = await import("node:child_process");
  const words = ["--session", session, "--participant", participant, "--workspace", project];
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [join(scripts, `${script}.cjs`), ...words, ...more],
    {
      cwd: project,
      env: { ...environment },
      input,
      encoding: "utf8",
      timeout: scriptMs,
      maxBuffer: runLimits.outputBytes,
    },
  );
  return { exitCode: status ?? 128, stdout, stderr: error?.message ?? stderr };
}
