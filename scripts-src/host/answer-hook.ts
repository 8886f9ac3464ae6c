import { mailFor } from "../app/deliver.ts";
import { changeMemory, readMemory, rememberTold, type ToldOf, toldOf } from "../app/hook-memory.ts";
import { noteDelivery } from "../app/note-delivery.ts";
import { keyOf, openParts, type Part, situationOf } from "../app/parts.ts";
import { lookAtProcesses } from "../app/processes.ts";
import { readFiles } from "../app/read-files.ts";
import { readSeats, type Seated, sweepSeats, takeSeat } from "../app/seats.ts";
import { toldBy, unheard } from "../core/bell.ts";
import {
  bellLine,
  doorbellLine,
  fewLines,
  isBellLine,
  ownScripts,
  sessionLine,
} from "./bell-lines.ts";
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
  "claude SessionStart": async (call) => tell(call, await openSessions(call, call.isResumed)),
  "claude UserPromptSubmit": async (call) => tell(call, await doorbells(call)),
  "claude Stop": (call) => ringAtStop(call, (text) => ({ isHeard: talk(`${text}\n`), code: goOn })),
  // A text here would keep Gemini from expanding a command that begins a headless conversation.
  "gemini SessionStart": forget,
  "gemini PreCompress": forget,
  "gemini BeforeAgent": async (call) => tell(call, await whatItLacks(call)),
  "gemini AfterAgent": (call) =>
    ringAtStop(call, (reason) => ({
      isHeard: say(`${JSON.stringify({ decision: "block", reason })}\n`),
      code: 0,
    })),
};

type Ring = (text: string) => { readonly isHeard: boolean; readonly code: number };

/** Waits until a session calls for the model, and has it go on. */
async function ringAtStop(call: HookCall, ring: Ring): Promise<number> {
  const { home, process } = call;
  if (process === undefined) return 0;
  const rung = await waitForBells(call, process);
  if (rung.length === 0) return 0;
  const lines = rung.map(({ bell, part, waitedMs }) => bellLine(bell, part, waitedMs));
  const { text, shown } = fewLines(lines, ownScripts);
  const memory = readMemory(home, process);
  // What was only counted rings at the next stop; one line too long for all must end some time.
  const news = rung.slice(0, Math.max(shown, 1)).flatMap(({ bell, part, key }): ToldOf[] => {
    const { folder, participant } = part;
    const told = toldOf(memory, part);
    return bell === "refused" ? [] : [{ ...toldBy(bell, key, told), folder, participant }];
  });
  // Remembered first: a CLI whose hook forgets what it said would never be let go.
  rememberTold(home, process, news);
  const { isHeard, code } = ring(text);
  const announced = rung.slice(0, shown).filter(({ bell }) => bell !== "refused");
  if (isHeard)
    await noteRung(
      call,
      announced.map(({ part }) => part),
    );
  return code;
}

/** A line for a model, and the part whose mail it announces, if it does. */
interface News {
  readonly line: string;
  readonly part?: Part;
}

async function tell(call: HookCall, news: readonly News[]): Promise<number> {
  if (news.length === 0) return 0;
  const lines = news.map(({ line }) => line);
  const { text: additionalContext, shown } = fewLines(lines, ownScripts);
  const hookSpecificOutput = { hookEventName: call.event, additionalContext };
  if (!say(`${JSON.stringify({ hookSpecificOutput })}\n`)) return 0;
  const parts = news.slice(0, shown).flatMap(({ part }) => part ?? []);
  await noteRung(call, parts);
  remember(call, parts);
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
async function openSessions(call: HookCall, isResumed: boolean): Promise<News[]> {
  const { parts, seated } = await findParts(call);
  try {
    sweepSeats(call.home, seated, new Date(Date.now() - keptMs).toISOString());
    if (isResumed) takeSeatsLeft(call, parts);
  } catch (cause) {
    noteFailure(call, cause);
  }
  if (parts.length === 0) return [];
  const heading = { line: "Consulta: open sessions in which you take part:" };
  const news: News[] = [...refusals(parts), heading];
  for (const part of parts) news.push({ line: sessionLine(part, await obligationsOf(part)), part });
  return news;
}

/** A conversation that goes on in a new process has its seats there too: its stops wait again. */
function takeSeatsLeft({ home, process }: HookCall, parts: readonly Part[]): void {
  if (process === undefined) return;
  for (const { left } of parts) if (left !== undefined) takeSeat(home, process, left);
}

function refusals(parts: readonly Part[]): News[] {
  const refused = parts.filter((part) => part.refused > 0);
  return refused.map((part) => ({ line: bellLine("refused", part, 0) }));
}

const keptMs = 30 * 86_400_000;

async function obligationsOf({ session, participant }: Part): Promise<number> {
  const { machine, place } = session;
  const wanted = machine.filesWanted({ for: "guidance", participant });
  return machine.nextAction(participant, await readFiles(place.folder, wanted)).obligations.length;
}

/**
 * One line for each session that waits for the model and of which no prompt has told it yet. A ring
 * does not count: Gemini CLI lets a hook wait on when a person has interrupted, and drops its ring.
 */
async function doorbells(call: HookCall): Promise<News[]> {
  const { process, home, prompt } = call;
  if (process === undefined || isBellLine(prompt)) return [];
  const { parts, seated } = await findParts(call);
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const waiting = parts.filter((part) => {
    const { key, hasTurn, isKnown } = situationOf(part, seated, now, 0);
    const waits = hasTurn || mailFor(part.session, part.participant).length > 0;
    const told = toldOf(memory, part);
    return waits && !isKnown && !(told?.key === key && told.announced);
  });
  return [...refusals(parts), ...waiting.map((part) => ({ line: doorbellLine(part), part }))];
}

async function whatItLacks(call: HookCall): Promise<News[]> {
  const { home, process, prompt } = call;
  if (process === undefined || isBellLine(prompt)) return [];
  const { isFresh, isResumed } = readMemory(home, process);
  if (!isFresh) return doorbells(call);
  const news = await openSessions(call, isResumed);
  changeMemory(home, process, { isFresh: false });
  return news;
}

/** Notes that the conversation knows nothing of what it was told. */
async function forget({ home, process, isResumed }: HookCall): Promise<number> {
  if (process !== undefined) changeMemory(home, process, { isFresh: true, isResumed });
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
function remember({ home, process }: HookCall, parts: readonly Part[]): void {
  if (process === undefined || parts.length === 0) return;
  const memory = readMemory(home, process);
  const news = parts.map((part) => {
    const { folder, participant } = part;
    const key = keyOf(part);
    const before = toldOf(memory, part);
    const told = before?.key === key ? before : unheard(key);
    return { ...told, announced: true, folder, participant };
  });
  rememberTold(home, process, news);
}
