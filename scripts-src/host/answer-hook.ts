import { mailFor } from "../app/deliver.ts";
import { changeMemory, readMemory, rememberTold, toldOf } from "../app/hook-memory.ts";
import { noteDelivery } from "../app/note-delivery.ts";
import { openParts, type Part, situationOf } from "../app/parts.ts";
import { lookAtProcesses } from "../app/processes.ts";
import { readFiles } from "../app/read-files.ts";
import { readSeats, type Seated, sweepSeats } from "../app/seats.ts";
import { toldBy, unheard } from "../core/bell.ts";
import { bellLine, doorbellLine, fewLines, ownScripts, sessionLine } from "./bell-lines.ts";
import { systemClock } from "./clock.ts";
import { type HookCall, noteFailure } from "./hook-call.ts";
import { waitForBells } from "./hook-wait.ts";
import { say, talk } from "./output.ts";

/** Claude Code takes this exit code of a Stop hook as: go on, for the reason on stderr. */
const goOn = 2;

/**
 * Does what a CLI's event calls for and gives the exit code. Whatever fails, the CLI goes on as if
 * there were no hook, and `doctor` tells the reason.
 */
export async function answerHook(call: HookCall): Promise<number> {
  try {
    return (await answers[`${call.cli} ${call.event}`]?.(call)) ?? 0;
  } catch (cause) {
    noteFailure(call, cause);
    return 0;
  }
}

const answers: Record<string, (call: HookCall) => Promise<number>> = {
  "claude SessionStart": async (call) => tell(call, await openSessions(call)),
  "claude UserPromptSubmit": async (call) => tell(call, await doorbells(call)),
  "claude Stop": (call) =>
    ringAtStop(call, (text) => {
      talk(`${text}\n`);
      return goOn;
    }),
  // A text here would keep Gemini from expanding a command that begins a headless conversation.
  "gemini SessionStart": forget,
  "gemini PreCompress": forget,
  "gemini BeforeAgent": async (call) => tell(call, await whatItLacks(call)),
  "gemini AfterAgent": (call) =>
    ringAtStop(call, (reason) => {
      say(`${JSON.stringify({ decision: "block", reason })}\n`);
      return 0;
    }),
};

/** Waits until a session calls for the model, and has it go on. */
async function ringAtStop(call: HookCall, ring: (text: string) => number): Promise<number> {
  const { home, process } = call;
  if (process === undefined) return 0;
  const rung = await waitForBells(call, process);
  if (rung.length === 0) return 0;
  const memory = readMemory(home, process);
  const news = rung.map(({ bell, part, key }) => {
    const { folder, participant } = part;
    return { ...toldBy(bell, key, toldOf(memory, part)), folder, participant };
  });
  // Remembered first: a CLI whose hook forgets what it said would never be let go.
  rememberTold(home, process, news);
  const lines = rung.map(({ bell, part, waitedMs }) => bellLine(bell, part, waitedMs));
  const code = ring(fewLines(lines, ownScripts));
  await noteRung(
    call,
    rung.map(({ part }) => part),
  );
  return code;
}

/** What is put before a model, and the parts whose mail it announces. */
interface News {
  readonly lines: readonly string[];
  readonly parts: readonly Part[];
}

async function tell(call: HookCall, { lines, parts }: News): Promise<number> {
  if (lines.length === 0) return 0;
  const additionalContext = fewLines(lines, ownScripts);
  const hookSpecificOutput = { hookEventName: call.event, additionalContext };
  say(`${JSON.stringify({ hookSpecificOutput })}\n`);
  await noteRung(call, parts);
  return 0;
}

/** Enters in the logs that these participants' mail was announced; after it was. */
async function noteRung(call: HookCall, parts: readonly Part[]): Promise<void> {
  for (const { session, participant } of parts) {
    try {
      await noteDelivery(session, participant, "rung", "hook", systemClock);
    } catch (cause) {
      noteFailure(call, cause);
    }
  }
}

/** Where all open sessions of the CLI stand: for a model that knows nothing of them. */
async function openSessions(call: HookCall): Promise<News> {
  const { parts, seated } = await findParts(call);
  try {
    sweepSeats(call.home, seated, new Date(Date.now() - keptMs).toISOString());
    remember(call, parts, seated);
  } catch (cause) {
    // It is told once for each beginning, remembered or not.
    noteFailure(call, cause);
  }
  if (parts.length === 0) return { lines: [], parts };
  const lines = ["Consulta: open sessions in which you take part:"];
  for (const part of parts) lines.push(sessionLine(part, await obligationsOf(part)));
  return { lines, parts };
}

const keptMs = 30 * 86_400_000;

async function obligationsOf({ session, participant }: Part): Promise<number> {
  const { machine, place } = session;
  const wanted = machine.filesWanted({ for: "guidance", participant });
  return machine.nextAction(participant, await readFiles(place.folder, wanted)).obligations.length;
}

/** One line for each session that waits for the model and of which it was not told yet. */
async function doorbells(call: HookCall): Promise<News> {
  const { process, home } = call;
  if (process === undefined) return { lines: [], parts: [] };
  const { parts, seated } = await findParts(call);
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const waiting = parts.filter((part) => {
    const { key, hasTurn, isKnown } = situationOf(part, seated, now, 0);
    const waits = hasTurn || mailFor(part.session, part.participant).length > 0;
    return waits && !isKnown && toldOf(memory, part)?.key !== key;
  });
  if (waiting.length > 0) remember(call, waiting, seated);
  return { lines: waiting.map(doorbellLine), parts: waiting };
}

async function whatItLacks(call: HookCall): Promise<News> {
  const { home, process } = call;
  if (process === undefined || !readMemory(home, process).isFresh) return doorbells(call);
  const news = await openSessions(call);
  changeMemory(home, process, { isFresh: false });
  return news;
}

/** Notes that the conversation knows nothing of what it was told. */
async function forget({ home, process }: HookCall): Promise<number> {
  if (process !== undefined) changeMemory(home, process, { isFresh: true });
  return 0;
}

async function findParts(call: HookCall): Promise<{ parts: Part[]; seated: Seated[] }> {
  const { home, process, workspace, project, cli } = call;
  const seated = readSeats(home, await lookAtProcesses());
  const parts = await openParts(
    {
      cli: process,
      workspace,
      project,
      givenName: globalThis.process.env["CONSULTA_PARTICIPANT"],
      seated,
      clock: systemClock,
      onFault: (cause) => noteFailure(call, cause),
    },
    cli,
  );
  return { parts, seated };
}

/** Remembers that the model was told of these; how often it was woken for them counts on. */
function remember(call: HookCall, parts: readonly Part[], seated: readonly Seated[]): void {
  const { home, process } = call;
  if (process === undefined || parts.length === 0) return;
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const news = parts.map((part) => {
    const { folder, participant } = part;
    const { key } = situationOf(part, seated, now, 0);
    const before = toldOf(memory, part);
    return { ...(before?.key === key ? before : unheard(key)), folder, participant };
  });
  rememberTold(home, process, news);
}
