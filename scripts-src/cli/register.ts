import { ConsultaError } from "../base/errors.ts";
import { register } from "../findings/agent-acts.ts";
import { reportFile } from "../findings/board-files.ts";
import { boardLine, boardOf } from "../findings/locate-board.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { runInProject } from "../session/run-in-project.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";

const spec: ScriptSpec = {
  name: "register",
  summary: "Register an agent on a board of findings; the first registration sets the deadline.",
  positionals: ["<dir>", "<name>"],
  dashWords: true,
  options: [],
  ownExitCodes: [
    {
      exit: 1,
      failures: ["EXISTS", "USAGE"],
      advice: "the name is taken: choose another, such as name-2; or words are missing or too many",
    },
  ],
  notes: [
    "A name is lower case letters, digits and '-', a letter first, such as claude or tests-2.",
  ],
};

runInProject(spec, async (args) => {
  const at = await boardOf(args);
  const { name, place } = at;
  try {
    const { board, place: count, late } = await register(place, at, systemClock);
    const expected = board.settings.expectedAgents;
    printLines(`Registered: ${name} (${count}/${expected} agents)`);
    await rememberSessionHere(place);
    if (count > expected) printErrorLines(beyondText(count, expected, late));
  } catch (cause) {
    // Said as the original says it, where it says it.
    if (cause instanceof ConsultaError && cause.code === "EXISTS")
      printLines(`Already registered: ${name}`);
    throw cause;
  }
  const line = boardLine(at, "post", "TOPIC", "--file", { path: reportFile(place, name) });
  printErrorLines("next: post a report, as often as you like, each from a file of its own:", line);
  return undefined;
});

function beyondText(count: number, expected: number, late: boolean): string {
  const what = `you are agent ${count} where ${expected} were expected: `;
  return late
    ? `${what}all of them are ready, may have read and gone on, and do not wait for you; what you post stays`
    : `${what}whoever polls now waits for you as well`;
}
