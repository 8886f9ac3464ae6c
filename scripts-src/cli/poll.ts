import { exitCodes, refused } from "../base/errors.ts";
import { boardLine, boardOf } from "../findings/locate-board.ts";
import { pollBoard } from "../findings/wait-at-board.ts";
import { type ScriptSpec, wholeNumberOf } from "../script/arguments.ts";
import { printErrorLines } from "../script/output.ts";
import { runInProject } from "../session/run-in-project.ts";
import { attemptOption, nextAttempt } from "../session/session-commands.ts";

/** Seed 004. */
const deadlinePassed = 2;

const spec: ScriptSpec = {
  name: "poll",
  summary: "Tell whether all agents of a board are ready; with --wait, block until they are.",
  positionals: ["<dir>", "<name>"],
  dashWords: true,
  options: [
    { flags: "--wait", text: "block until all are ready or the deadline has passed" },
    { flags: "--timeout <seconds>", text: "with --wait: give up after so long" },
    attemptOption,
  ],
  ownExitCodes: [
    { exit: exitCodes.OK, failures: [], advice: "all ready: read-all now" },
    { exit: 1, failures: ["NOT_YET"], advice: "waiting: run the printed command" },
    {
      exit: deadlinePassed,
      failures: ["no board"],
      advice:
        "timeout: the deadline has passed; read what is there. Or an error: no board is there",
    },
    {
      exit: 64,
      failures: ["REFUSED", "USAGE", "EXISTS"],
      advice: "rejected: wrong usage, or a damaged board; fix it and run again",
    },
  ],
  waits: true,
  notes: [
    "All are ready when everybody who registered is, and as many as init expected; that counts after",
    "the deadline as well, and whoever registers later changes nothing. What is new it enters in the log.",
  ],
};

runInProject(spec, async (args) => {
  const board = await boardOf(args);
  const waits = args.has("wait");
  if (!waits && args.has("timeout")) {
    const way = "add --wait, or leave --timeout out";
    throw refused(`--timeout needs --wait; ${way}`);
  }
  const seconds = wholeNumberOf(args, "timeout") ?? 0;
  const again = nextAttempt(args);
  const timeoutMs = seconds === 0 ? undefined : seconds * 1_000;
  const end = await pollBoard(board.place, board, { waits, timeoutMs });
  if (typeof end === "object") return end.exitCode;
  const options = ["--wait", "--timeout", String(seconds), "--again", again];
  const next =
    end === "waiting" ? boardLine(board, "poll", ...options) : boardLine(board, "read-all");
  if (waits) printErrorLines("next:", next);
  return codeOf(end);
});

function codeOf(verdict: "all-ready" | "waiting" | "timeout"): number {
  if (verdict === "all-ready") return exitCodes.OK;
  return verdict === "waiting" ? exitCodes.NOT_YET : deadlinePassed;
}
