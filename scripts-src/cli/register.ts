import { register } from "../app/register.ts";
import { ConsultaError } from "../core/errors.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { boardLine, boardOf } from "../host/board-arguments.ts";
import { systemClock } from "../host/clock.ts";
import { pathFromHere, readersProject } from "../host/context.ts";
import { reportFile } from "../host/draft-files.ts";
import { notePlaceHere } from "../host/note-place.ts";
import { sayLines, talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

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

runScript(spec, async (args) => {
  const { dir, name, place } = await boardOf(args);
  try {
    const {
      board,
      place: count,
      late,
      told,
    } = await register(place, { name, project: readersProject(place) }, systemClock);
    const expected = board.settings.expectedAgents;
    if (sayLines(`Registered: ${name} (${count}/${expected} agents)`)) told();
    await notePlaceHere(place);
    if (count > expected) talkLines(beyondText(count, expected, late));
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "EXISTS") throw cause;
    // Said as the original says it, where it says it.
    sayLines(`Already registered: ${name}`);
    throw cause;
  }
  const line = boardLine(
    { dir, name },
    ...["post", "TOPIC", "--file", pathFromHere(reportFile(place, name))],
  );
  talkLines("next: post a report, as often as you like, each from a file of its own:", line);
  return undefined;
});

function beyondText(count: number, expected: number, late: boolean): string {
  const what = `you are agent ${count} where ${expected} were expected: `;
  return late
    ? `${what}all of them are ready, may have read and gone on, and do not wait for you; what you post stays`
    : `${what}whoever polls now waits for you as well`;
}
