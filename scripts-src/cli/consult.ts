import { dirname, resolve } from "node:path";
import { isatty } from "node:tty";
import { ConsultaError, exitCodes, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { visibleText } from "../base/visible-text.ts";
import { readWaitForQuota } from "../clis/user-settings.ts";
import {
  collaborationOptions,
  termsGiven,
  termsOf,
} from "../collaboration/collaboration-options.ts";
import { conduct } from "../consult/conductor.ts";
import type { ConsultationRequest } from "../consult/consult-kind.ts";
import { LiveProgress } from "../consult/live-progress.ts";
import { defaultParticipants, participantsText } from "../consult/participants.ts";
import { personAtTerminal } from "../consult/person-driver.ts";
import { playRecording } from "../consult/replay/play-recording.ts";
import { readRecording } from "../consult/replay/read-recording.ts";
import { boundsOf, parseBounds } from "../consult/run-bounds.ts";
import { type Consultation, type Progress, runOf } from "../consult/run-context.ts";
import { startConsultation } from "../consult/start-consultation.ts";
import { ConsultScreen } from "../consult/terminal/consult-screen.ts";
import { renderReport, ringTerminal, terminalSize } from "../consult/terminal/screen.ts";
import { type AllowedCheck, allowedChecks, parseAllowed } from "../evidence/consent.ts";
import { parseMode } from "../protocol/config.ts";
import { type Arguments, optionName, type ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine } from "../script/command-line.ts";
import { catchInterruption } from "../script/interruption.ts";
import { canDraw, draw, hasColors, print, printError, printErrorLines } from "../script/output.ts";
import { readInput } from "../script/read-input.ts";
import { isKindName, type KindName, kindNames } from "../session/kinds.ts";
import { readReport } from "../session/make-report.ts";
import { newsForPerson } from "../session/notify.ts";
import { openSession } from "../session/open.ts";
import { absolutePath, type Place, readersProject } from "../session/place.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { checkCommands, sessionAt, sessionNamed } from "../session/session-commands.ts";
import { common, requirementOf, workspaceMade, workspaceOf } from "../session/session-options.ts";
import { keepReport } from "../session/tampering.ts";
import { type CheckCommands, reportText } from "../session/text/report-text.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";
import { projectFolder, workspaceProject } from "../session/workspace/workspace.ts";
import { registerForAll } from "../wake/register-cli.ts";

const kindList = kindNames.join(", ").replace(/, (?=[^,]*$)/, " or ");

const spec: ScriptSpec = {
  name: "consult",
  summary: "Run a consultation headless, from question to report.",
  positionals: ["[question]"],
  options: [
    { flags: "--kind <kind>", text: `${kindList} (default: dialogue)` },
    {
      flags: "--participants <list>",
      text: `NAME=DRIVER,NAME=DRIVER, the initiator first (default: ${defaultParticipants})`,
    },
    {
      flags: "--replay <folder>",
      text: "play a recorded session, such as examples/durations-from-config: needs no account",
    },
    {
      flags: "--mode <mode>",
      text: `dialogue: blind (default), turns, deep, async; or default_mode`,
    },
    {
      flags: "--allow-check <command>",
      text: 'run this command, as "npm test", where a claim is checked by it; may be given again',
      many: true,
    },
    { flags: "--require <what>", text: "dialogue: seen: both sides must have seen every claim" },
    {
      flags: "--auditor <driver>",
      text: "dialogue: who reads what the decision rests on, and nothing else (default: one of the participants' CLIs, in a fresh process); none: nobody",
    },
    ...collaborationOptions,
    { flags: "--session <id>", text: "resume this open session instead of asking a question" },
    { flags: "--resume", text: "resume the open session with the newest event" },
    {
      flags: "--folder <dir>",
      text: "collaboration, findings: folder to create, or to resume",
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
    {
      flags: "--wait-for-quota",
      text: "where a CLI says when its quota is renewed: go on by itself then",
    },
    { flags: "--plain", text: "at a terminal: lines instead of a screen, the report as Markdown" },
    { flags: "--verbose", text: "lines, and how far each message came" },
    common.workspace,
    common.json,
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
      advice:
        "unavailable: a CLI is not installed or not signed in: do what it says; busy: again, at most three times",
    },
    { exit: 130, failures: [], advice: "interrupted (143: terminated): the session is open" },
  ],
  notes: [
    "DRIVER is claude, gemini, agy, codex, opencode, me, elsewhere (another terminal or machine: consult waits",
    "for what it says), acp:COMMAND (any agent of the Agent Client Protocol, as acp:'qwen --acp') or command:LINE;",
    "more CLIs are entries under drivers: in ~/.consulta/config.yaml.",
    "A command gets its task on standard input and prints its message, event or reports, or runs the",
    "scripts itself, with all that you may do. The CLIs may only read: documents and reports in their",
    "answer are written for them.",
    "Example: consult --replay examples/durations-from-config",
    'Example: consult "Should we store sessions in SQLite or in files?"',
    'Example: consult --kind collaboration --completion "Every error code is listed" "Agree on the API"',
    "Example: consult --kind findings --participants a=claude,b=gemini 'Why is the login test flaky?'",
    "Findings: all participants look into it at once and alone, then each posts its reports on a board.",
    "Findings print the report however it ends. A question - is read from standard input.",
  ],
};

runInProject(spec, async (args) => {
  if (args.has("replay")) return replay(args);
  const person = personAtTerminal();
  const interruption = catchInterruption();
  let unregister = () => {};
  try {
    const asked = parseBounds((option) => args.one(option));
    const request = requestOf(args, asked.timeLimitMs);
    const allowed = await checksAllowed(args);
    const projects = projectsOf(args);
    const driverPlace = { environment: process.env, projects, person, refuseBelowCli };
    const started = await startConsultation(request, sourceOf(args), driverPlace, systemClock);
    const { place, kind, state } = started.session;
    if (kind.name !== "dialogue") await rememberSessionHere(place);
    const show = person === undefined ? printError : (text: string) => person.show(text);
    const progress = await progressOf(args, started, show);
    const waitsForQuota = args.has("wait-for-quota") || (await readWaitForQuota(process.env));
    const means = { scripts, clock: systemClock, progress, allowedChecks: allowed, waitsForQuota };
    const run = runOf(started, means);
    unregister = await registerForAll(place, run.drivers.keys(), kind.standing(state));
    const bounds = boundsOf(started.session, asked);
    const ending = await conduct(run, bounds, interruption.signal).catch((cause) => {
      throw withLineToGoOn(args, started, cause);
    });
    if (interruption.exitCode() === undefined) await ring(place);
    await printEnd(args, place);
    const isOver = ending.kind === "ended";
    printErrorLines(...(isOver ? [] : stoppedLines(args, started, ending.reason)));
    if (isOver) return undefined;
    return interruption.exitCode() ?? exitCodes.NOT_YET;
  } finally {
    unregister();
    interruption.release();
  }
});

/** Plays one of the recorded sessions that came with these scripts. */
async function replay(args: Arguments): Promise<undefined> {
  const stray = spec.options.map(optionName).find((name) => args.has(name) && !ofReplays.has(name));
  if (stray !== undefined || args.positionals.length > 0) {
    const what = stray === undefined ? "a question" : `--${stray}`;
    throw refused(`--replay plays a recorded session; leave out ${what}`);
  }
  const recording = readRecording(args.required("replay"), scripts);
  printErrorLines(
    `REPLAY of a recorded session about ${recording.about}: no model runs, one author wrote both sides.`,
    "Each check is made now, on a copy of the files that you may delete.",
    "",
  );
  const place = await playRecording(recording, systemClock, (line) => printErrorLines(line));
  printErrorLines("");
  const where = sessionAt(place);
  const validate = commandLine("validate", where);
  await printEnd(args, place, { validate, replay: `${commandLine("check", where)} --replay` });
  return undefined;
}

const ofReplays = new Set(["replay", "plain", "json"]);

/** The project that this runs in, and those that the command line names. */
function projectsOf(args: Arguments): string[] {
  const named = [...args.many("workspace"), ...args.many("folder").map(absolutePath)];
  return [process.cwd(), ...named].flatMap((folder) => {
    const start = resolve(folder);
    return [projectFolder(start), workspaceProject(start) ?? start];
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
    mode: parseMode(args.one("mode")),
    require: requirementOf(args),
    auditor: args.one("auditor"),
    terms: termsOf(args),
    termsGiven: termsGiven(args),
    timeLimitMs,
  };
}

function parseKind(text: string | undefined): KindName | undefined {
  if (text === undefined || isKindName(text)) return text;
  throw refused(`unknown kind ${quote(text)}; ${nameHint(text, kindNames)}`);
}

function sourceOf(args: Arguments) {
  return { made: () => workspaceMade(args), found: () => workspaceOf(args) };
}

const scripts = resolve(dirname(process.argv[1] ?? "."));

/** Those that the user names here, and those of their settings. */
async function checksAllowed(args: Arguments): Promise<AllowedCheck[]> {
  const named = args.many("allow-check");
  if (named.length > 0) await refuseBelowCli("--allow-check lets a command run without asking");
  return [...parseAllowed(named), ...(await allowedChecks(process.env))];
}

/** A screen where somebody looks at a terminal that can show one, and nobody edits in it; else lines. */
async function progressOf(
  args: Arguments,
  { session, specs }: Consultation,
  show: (text: string) => void,
): Promise<Progress> {
  const isEdited = specs.some(({ driver }) => driver === "me");
  if (!args.has("verbose") && !isEdited && isDrawnOn(args, 2)) {
    return new ConsultScreen(session, systemClock);
  }
  const delivery = args.has("verbose");
  return new LiveProgress(session, systemClock, (line) => show(`${line}\n`), { delivery });
}

function isDrawnOn(args: Arguments, file: 1 | 2): boolean {
  return !args.has("plain") && isatty(file) && canDraw(process.env);
}

/** Calls the person at the terminal, who may look elsewhere: a run that ended, or needs them. */
async function ring(place: Place): Promise<void> {
  if (!isatty(2)) return;
  const standing = standingOf(await openSession(place));
  ringTerminal(newsForPerson(standing)?.title ?? `Consulta: ${standing.id} needs you`);
}

/**
 * Prints the report when the session has ended, and keeps it among its artifacts. On a board what is
 * there is worth reading, no matter who is missing.
 */
async function printEnd(args: Arguments, place: Place, commands?: CheckCommands): Promise<void> {
  const { ended, phase, hasTurns, verdict } = standingOf(await openSession(place));
  const read = await readReport(place, readersProject(place), systemClock);
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, ended, phase, ...read })}\n`);
  if (!ended && hasTurns) return;
  const text = reportText(read, commands ?? checkCommands(args, place, read.kind));
  const path = await keepReport(await openSession(place), text);
  if (args.has("json")) return;
  if (isDrawnOn(args, 1)) await drawReport(text);
  else print(text);
  printErrorLines(`kept as ${path}`, ...(verdict === undefined ? [] : [verdict]));
}

async function drawReport(text: string): Promise<void> {
  const { columns } = terminalSize(process.stdout);
  const shown = renderReport(visibleText(text), columns, hasColors(process.env));
  draw("stdout", `\n${shown}\n`);
}

/** The same command again would ask the question in a new session. */
function withLineToGoOn(args: Arguments, consultation: Consultation, cause: unknown): unknown {
  if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") return cause;
  const line = lineToGoOn(args, consultation);
  const { code, message, fault = message } = cause;
  return new ConsultaError(
    code,
    `${fault}; once it can be reached, the session goes on with: ${line}`,
    { cause },
  );
}

function lineToGoOn(args: Arguments, { session, specs }: Consultation): string {
  const where = sessionNamed(args, session.place);
  const more = { participants: participantsText(specs), auditor: args.one("auditor") };
  const line = commandLine("consult", { ...where, ...more });
  return args.has("wait-for-quota") ? `${line} --wait-for-quota` : line;
}

function stoppedLines(args: Arguments, consultation: Consultation, reason: string): string[] {
  const { place, kind, state } = consultation.session;
  const { hasTurns } = kind.standing(state);
  const command = lineToGoOn(args, consultation);
  const where = sessionNamed(args, place);
  const close = commandLine("close", { ...where, reason: "no longer wanted" });
  return [
    `${reason}. The session is open and nothing is lost. Go on with:`,
    `  ${command}`,
    ...(hasTurns ? ["To end it without a result:", `  ${close}`] : []),
  ];
}
