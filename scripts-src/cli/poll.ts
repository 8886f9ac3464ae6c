import { ConsultaError, exitCodes } from "../base/errors.ts";
import { boardLine, boardOf } from "../findings/board-arguments.ts";
import { lookAtBoard, waitAtBoard } from "../findings/wait-at-board.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { printErrorLines } from "../script/output.ts";
import { wholeNumberOf } from "../script/whole-number.ts";
import { readersProject } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { attemptOption, nextAttempt } from "../session/waiting/retry-line.ts";

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
  const { dir, name, place } = await boardOf(args);
  const reader = { name, project: readersProject(place) };
  if (!args.has("wait")) {
    if (args.has("timeout")) {
      throw new ConsultaError(
        "REFUSED",
        "--timeout needs --wait; add --wait, or leave --timeout out",
      );
    }
    return codeOf(await lookAtBoard(place, reader));
  }
  const seconds = wholeNumberOf(args, "timeout") ?? 0;
  const again = nextAttempt(args);
  const end = await waitAtBoard(place, reader, seconds === 0 ? undefined : seconds * 1_000);
  if (typeof end === "object") return 128 + end.signal;
  const [script, ...words] =
    end === "waiting"
      ? ["poll", "--wait", "--timeout", String(seconds), "--again", again]
      : ["read-all"];
  printErrorLines("next:", boardLine({ dir, name }, script ?? "", ...words));
  return codeOf(end);
});

function codeOf(verdict: "all-ready" | "waiting" | "timeout"): number {
  if (verdict === "all-ready") return exitCodes.OK;
  return verdict === "waiting" ? exitCodes.NOT_YET : deadlinePassed;
}
