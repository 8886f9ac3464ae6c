import { dirname, resolve } from "node:path";
import { conduct } from "../agents/conductor.ts";
import { LiveProgress } from "../agents/live-progress.ts";
import { participantsText, usualParticipants } from "../agents/participants.ts";
import type { Run } from "../agents/run.ts";
import { parseBounds } from "../agents/run-bounds.ts";
import {
  type Consultation,
  type ConsultationRequest,
  startConsultation,
} from "../agents/start-consultation.ts";
import { type KindName, kindNames } from "../app/kinds.ts";
import type { NextAction } from "../app/next-action.ts";
import { absolutePath, type Place } from "../app/place.ts";
import { keepReport, readReport } from "../app/read-report.ts";
import { loadSession } from "../app/session.ts";
import { projectFolder } from "../app/workspace.ts";
import { modes, parseMode } from "../core/config.ts";
import { ConsultaError, exitCodes } from "../core/errors.ts";
import { quote } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { collaborationOptions, termsGiven, termsOf } from "../host/collaboration-options.ts";
import {
  commandLine,
  commandsAt,
  jsonOption,
  lineFor,
  pathFromAnywhere,
  readersProject,
  workspaceMade,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { prepareDrafts } from "../host/draft-files.ts";
import { refuseBelowCli } from "../host/for-people.ts";
import { fullTalk } from "../host/full-talk.ts";
import { notePlaceHere } from "../host/note-place.ts";
import { say, talkLines } from "../host/output.ts";
import { readInput } from "../host/read-input.ts";
import { runScript } from "../host/run-script.ts";
import { frameNonce } from "../host/say-next-action.ts";
import { takeAllSeats } from "../host/take-seat.ts";
import { catchInterruption, personAtTerminal } from "../host/terminal.ts";
import { nextActionText } from "../view/next-action-text.ts";
import { quoteText } from "../view/quotation.ts";
import { reportText } from "../view/report-text.ts";

const kindList = kindNames.join(", ").replace(/, (?=[^,]*$)/, " or ");

const spec: ScriptSpec = {
  name: "consult",
  summary: "Take a question to its report: open a session, run all participants to the end.",
  positionals: ["[question]"],
  options: [
    { flags: "--kind <kind>", text: `${kindList} (default: dialogue)` },
    {
      flags: "--participants <list>",
      text: `NAME=DRIVER,NAME=DRIVER, the initiator first (default: ${usualParticipants})`,
    },
    { flags: "--rehearse", text: "scripted colleagues instead of AIs: needs no account" },
    { flags: "--mode <mode>", text: `dialogue: ${modes.join(", ")} (default: default_mode)` },
    ...collaborationOptions,
    { flags: "--session <id>", text: "go on in an open session instead of asking a question" },
    { flags: "--resume", text: "go on in the open session in which somebody acted last" },
    {
      flags: "--folder <dir>",
      text: "collaboration, findings: where it shall lie, or lies, to go on in it",
    },
    {
      flags: "--turns-max <n>",
      text: "turns to give at most (default: from max_rounds and the participants)",
    },
    { flags: "--time-limit <seconds>", text: "for the whole run (default: 3600)" },
    {
      flags: "--turn-timeout <seconds>",
      text: "for one turn (default: message_timeout_seconds of config.json, findings: none; 0: none)",
    },
    workspaceOption,
    jsonOption,
  ],
  ownExitCodes: [
    {
      exit: exitCodes.OK,
      failures: [],
      advice:
        "it has ended (consensus, escalation, completed, blocked, all ready): the report is on stdout",
    },
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice:
        "stopped, the session is open: a limit was reached, a participant needs you (sign-in, quota, " +
        "version, trust, a program that is not there), or findings lack somebody's part",
    },
    {
      exit: exitCodes.UNAVAILABLE,
      // Names are looked at before: who comes upon a taken one was overtaken by somebody.
      failures: ["UNAVAILABLE", "EXISTS"],
      advice: "unavailable: a CLI is not installed, or somebody else was faster; try again later",
    },
    { exit: 130, failures: [], advice: "interrupted (143: terminated): the session is open" },
  ],
  notes: [
    "DRIVER is claude, gemini, agy, codex, opencode, me, rehearsal or command:LINE; more CLIs are entries",
    "under drivers: in ~/.consulta/config.yaml. A command gets its task on standard input and prints its",
    "message, event or reports, or runs the scripts itself, with all that you may do. The CLIs may only",
    "read: documents and reports in their answer are written for them.",
    'Example: consult --rehearse "Should we store sessions in SQLite or in files?"',
    'Example: consult --kind collaboration --completion "Every error code is listed" "Agree on the API"',
    "Example: consult --kind findings --participants a=claude,b=gemini 'Why is the login test flaky?'",
    "Findings: all participants look into it at once and alone, then each posts its reports on a board.",
    "Findings print the report however it ends. A question - is read from standard input.",
  ],
};

runScript(spec, async (args) => {
  const person = personAtTerminal();
  const interruption = catchInterruption();
  let leaveSeats = () => {};
  try {
    const bounds = boundsOf(args);
    const request = requestOf(args, bounds.timeLimitMs);
    const projects = projectsOf(args);
    const machine = { environment: process.env, projects, person, refuseBelowCli };
    const started = await startConsultation(request, sourceOf(args), machine, systemClock);
    const { place, kind, machine: session } = started.session;
    if (kind.name !== "dialogue") await notePlaceHere(place);
    const run = runOf(started);
    const complete = bounds.complete(place.config, session.standing());
    leaveSeats = await takeAllSeats(place, session.standing());
    const ending = await conduct(run, complete, interruption.signal);
    await sayEnd(args, place);
    if (ending.kind === "ended") return undefined;
    talkLines(...stoppedLines(args, started, ending.reason));
    return interruption.exitCode() ?? exitCodes.NOT_YET;
  } finally {
    leaveSeats();
    interruption.release();
    person?.close();
  }
});

/** The project that this runs in, and those that the command line names. */
function projectsOf(args: Arguments): string[] {
  const named = [...args.many("workspace"), ...args.many("folder").map(absolutePath)];
  return [process.cwd(), ...named].map((folder) => projectFolder(resolve(folder)));
}

function boundsOf(args: Arguments) {
  return parseBounds({
    turnsMax: args.one("turns-max"),
    timeLimitSeconds: args.one("time-limit"),
    turnTimeoutSeconds: args.one("turn-timeout"),
  });
}

function requestOf(args: Arguments, timeLimitMs: number): ConsultationRequest {
  const [question] = args.positionals;
  return {
    question: question === "-" ? readInput("-", limits.messageBytes) : question,
    session: args.one("session"),
    resume: args.has("resume"),
    folder: args.one("folder"),
    kind: parseKind(args.one("kind")),
    participants: args.one("participants"),
    rehearse: args.has("rehearse"),
    mode: parseMode(args.one("mode")),
    terms: termsOf(args),
    termsGiven: termsGiven(args),
    timeLimitMs,
  };
}

function parseKind(text: string | undefined): KindName | undefined {
  const kind = kindNames.find((name) => name === text);
  if (text === undefined || kind !== undefined) return kind;
  throw new ConsultaError("REFUSED", `${quote(text)} is no kind of session; expected ${kindList}`);
}

function sourceOf(args: Arguments) {
  const onFull = fullTalk(args);
  return { made: () => workspaceMade(args), found: () => workspaceOf(args), onFull };
}

const scripts = resolve(dirname(process.argv[1] ?? "."));

function runOf({ session, specs, drivers }: Consultation): Run {
  const { place } = session;
  const progress = new LiveProgress(session, systemClock, (line) => talkLines(line));
  const who = specs.map(({ name, driver }) => `${name} (${driver})`).join(", ");
  const { summary } = session.machine.standing();
  progress.note(`session ${place.id}: ${who}${who === "" ? "" : "; "}${summary}`);
  return {
    place,
    project: place.workspace?.project ?? process.cwd(),
    drivers,
    scripts,
    clock: systemClock,
    describe,
    quote: (what, text) => quoteText(what, text, frameNonce()),
    progress,
    conversations: new Map(),
  };
}

/** `next-action` as the participant would read it, with command lines that run in any folder. */
function describe(next: NextAction): string {
  const { place, participant } = next;
  const { workspace, folder, id } = place;
  // Most answer in their last words: for those nothing is left in a project without a workspace.
  if (workspace !== undefined) prepareDrafts(next);
  const where =
    workspace === undefined ? { folder } : { workspace: workspace.project, session: id };
  return nextActionText(
    next,
    commandsAt(where, next.place, participant, next.standing, pathFromAnywhere),
    frameNonce(),
  );
}

/**
 * Prints the report when the session has ended, and keeps it among its artifacts. On a board what is
 * there is worth reading, whoever is missing.
 */
async function sayEnd(args: Arguments, place: Place): Promise<void> {
  const { ended, phase, hasTurns } = (await loadSession(place)).machine.standing();
  const read = await readReport(place, readersProject(place), systemClock);
  if (args.has("json")) say(`${JSON.stringify({ session: place.id, ended, phase, ...read })}\n`);
  if (!ended && hasTurns) return;
  const text = reportText(read, lineFor(args, "validate", place));
  const path = await keepReport(place, text);
  if (args.has("json")) return;
  say(text);
  talkLines(`kept as ${path}`);
}

function stoppedLines(args: Arguments, { session, specs }: Consultation, reason: string): string[] {
  const { id, workspace } = session.place;
  const { hasTurns } = session.machine.standing();
  const where =
    workspace === undefined
      ? { folder: args.one("folder") ?? id }
      : { session: id, workspace: args.one("workspace") };
  const command = commandLine("consult", { ...where, participants: participantsText(specs) });
  const close = commandLine("close", { ...where, reason: "no longer wanted" });
  return [
    `${reason}. The session is open and nothing is lost. Go on with:`,
    `  ${command}`,
    ...(hasTurns ? ["To end it without a result:", `  ${close}`] : []),
  ];
}
