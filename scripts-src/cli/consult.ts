import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { conduct } from "../agents/conductor.ts";
import type { Run } from "../agents/give-turn.ts";
import { LiveProgress } from "../agents/live-progress.ts";
import { participantsText, usualParticipants } from "../agents/participants.ts";
import { parseBounds } from "../agents/run-bounds.ts";
import { type Consultation, startConsultation } from "../agents/start-consultation.ts";
import type { NextAction } from "../app/next-action.ts";
import { keepReport, readReport } from "../app/read-report.ts";
import { loadSession } from "../app/session.ts";
import type { Workspace } from "../app/workspace.ts";
import { modes, parseMode } from "../core/dialogue/config.ts";
import { exitCodes } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  commandLine,
  jsonOption,
  shellWord,
  workspaceMade,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { readInput, say, talk } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";
import { catchInterruption, personAtTerminal } from "../host/terminal.ts";
import { nextActionText } from "../view/next-action-text.ts";
import { reportText } from "../view/report-text.ts";

const spec: ScriptSpec = {
  name: "consult",
  summary: "Take a question to its report: open a session, run both participants to the end.",
  positionals: ["[question]"],
  options: [
    {
      flags: "--participants <list>",
      text: `NAME=DRIVER,NAME=DRIVER, the initiator first (default: ${usualParticipants})`,
    },
    { flags: "--rehearse", text: "two scripted colleagues instead of AIs: needs no account" },
    { flags: "--mode <mode>", text: `${modes.join(", ")} (default: default_mode of config.json)` },
    { flags: "--session <id>", text: "go on in an open session instead of asking a question" },
    { flags: "--turns-max <n>", text: "turns to give at most (default: 2 * max_rounds + 4)" },
    { flags: "--time-limit <seconds>", text: "for the whole run (default: 3600)" },
    {
      flags: "--turn-timeout <seconds>",
      text: "for one turn (default: message_timeout_seconds of config.json; 0: none)",
    },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "DRIVER is claude, gemini, me, rehearsal or command:LINE. A command gets its task on standard input",
    "and prints its message, or runs append-event itself, with all that you may do. The CLIs may only read.",
    'Example: consult --rehearse "Should we store sessions in SQLite or in files?"',
    "Exit 0: consensus or escalation, the report is on stdout. Exit 1: a limit was reached; the session",
    "stays open. Exit 4: a CLI is not installed. Exit 130, 143: interrupted; the session stays open.",
    "A question - is read from standard input.",
  ],
};

runScript(spec, async (args) => {
  const person = personAtTerminal();
  const interruption = catchInterruption();
  try {
    const boundsIn = boundsOf(args);
    const place = { environment: process.env, person };
    const started = await startConsultation(requestOf(args), sourceOf(args), place, systemClock);
    const { workspace } = started.session;
    const run = runOf(started);
    const ending = await conduct(run, boundsIn(workspace.config), interruption.signal);
    await sayEnd(args, workspace, run.session);
    if (ending.kind === "ended") return undefined;
    talk(stoppedText(args, started, ending.reason));
    return interruption.exitCode() ?? exitCodes.NOT_YET;
  } finally {
    interruption.release();
    person?.close();
  }
});

function boundsOf(args: Arguments) {
  return parseBounds({
    turnsMax: args.one("turns-max"),
    timeLimitSeconds: args.one("time-limit"),
    turnTimeoutSeconds: args.one("turn-timeout"),
  });
}

function requestOf(args: Arguments) {
  const [question] = args.positionals;
  return {
    question: question === "-" ? readInput("-", limits.messageBytes) : question,
    session: args.one("session"),
    participants: args.one("participants"),
    rehearse: args.has("rehearse"),
    mode: parseMode(args.one("mode")),
  };
}

function sourceOf(args: Arguments) {
  return { made: () => workspaceMade(args), found: () => workspaceOf(args) };
}

const scripts = resolve(dirname(process.argv[1] ?? "."));

function runOf({ session, specs, drivers }: Consultation): Run {
  const { id, workspace } = session;
  const progress = new LiveProgress(session, systemClock, (line) => talk(`${line}\n`));
  const who = specs.map(({ name, driver }) => `${name} (${driver})`).join(" and ");
  progress.note(`session ${id}: ${who}; ${session.machine.standing().summary}`);
  return {
    workspace,
    session: id,
    drivers,
    scripts,
    clock: systemClock,
    describe,
    progress,
    conversations: new Map(),
  };
}

/** `next-action` as the participant would read it, with command lines that run in any folder. */
function describe(next: NextAction): string {
  const { standing, participant, workspace } = next;
  const at = { workspace: workspace.project, session: standing.id };
  const commands = {
    send: siblingLine("append-event", { ...at, participant, message: "-" }),
    wait: siblingLine("wait-for-turn", { ...at, participant }),
    report: siblingLine("report", at),
  };
  return nextActionText(next, commands, randomUUID().slice(0, 8));
}

function siblingLine(script: string, options: Record<string, string>): string {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, shellWord(value)]);
  return ["node", shellWord(join(scripts, `${script}.cjs`)), ...words].join(" ");
}

/** Prints the report when the session has ended, and keeps it among its artifacts. */
async function sayEnd(args: Arguments, workspace: Workspace, id: string): Promise<void> {
  const { ended, phase } = (await loadSession(workspace, id)).machine.standing();
  const read = await readReport(workspace, id);
  if (args.has("json")) say(`${JSON.stringify({ session: id, ended, phase, ...read })}\n`);
  if (!ended) return;
  const text = reportText(read);
  const path = keepReport(workspace, id, text);
  if (args.has("json")) return;
  say(text);
  talk(`kept as ${path}\n`);
}

function stoppedText(args: Arguments, { session, specs }: Consultation, reason: string): string {
  const command = commandLine("consult", {
    session: session.id,
    participants: participantsText(specs),
    workspace: args.one("workspace"),
  });
  return `stopped: ${reason}. The session is open and nothing is lost. Go on with:\n  ${command}\n`;
}
