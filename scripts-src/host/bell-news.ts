import { mailFor } from "../app/deliver.ts";
import { changeMemory, readMemory, rememberTold, toldOf } from "../app/hook-memory.ts";
import { noteDelivery } from "../app/note-delivery.ts";
import { keyOf, openParts, type Part, situationOf } from "../app/parts.ts";
import { lookAtProcesses } from "../app/processes.ts";
import { readFiles } from "../app/read-files.ts";
import { readSeats, type Seated, sweepSeats, takeSeat } from "../app/seats.ts";
import { isBellLine, unheard } from "../core/bell.ts";
import { bellLine, doorbellLine, sessionLine } from "./bell-lines.ts";
import { systemClock } from "./clock.ts";
import { type HookCall, noteFailure } from "./hook-call.ts";

/** A line for a model, and the part whose mail it announces, if it does. */
export interface BellNews {
  readonly line: string;
  readonly part?: Part;
}

/** Where all open sessions of the CLI stand: for a model that knows nothing of them. */
export async function openSessions(call: HookCall, isResumed: boolean): Promise<BellNews[]> {
  const { parts, seated } = await findParts(call);
  try {
    sweepSeats(call.home, seated, new Date(Date.now() - keptMs).toISOString());
    if (isResumed) takeSeatsLeft(call, parts);
  } catch (cause) {
    noteFailure(call, cause);
  }
  if (parts.length === 0) return [];
  const heading = { line: "Consulta: open sessions in which you take part:" };
  const news: BellNews[] = [...refusals(parts), heading];
  for (const part of parts) news.push({ line: sessionLine(part, await obligationsOf(part)), part });
  return news;
}

/** A conversation that goes on in a new process has its seats there too: its stops wait again. */
function takeSeatsLeft({ home, process }: HookCall, parts: readonly Part[]): void {
  if (process === undefined) return;
  for (const { left } of parts) if (left !== undefined) takeSeat(home, process, left);
}

function refusals(parts: readonly Part[]): BellNews[] {
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
export async function doorbells(call: HookCall): Promise<BellNews[]> {
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

export async function whatItLacks(call: HookCall): Promise<BellNews[]> {
  const { home, process, prompt } = call;
  if (process === undefined || isBellLine(prompt)) return [];
  const { isFresh, isResumed } = readMemory(home, process);
  if (!isFresh) return doorbells(call);
  const news = await openSessions(call, isResumed);
  changeMemory(home, process, { isFresh: false });
  return news;
}

/** Notes that the conversation knows nothing of what it was told. */
export function forget({ home, process, isResumed }: HookCall): void {
  if (process !== undefined) changeMemory(home, process, { isFresh: true, isResumed });
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
export function remember({ home, process }: HookCall, parts: readonly Part[]): void {
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

/** Enters in the logs that these participants' mail was announced; after it was. */
export async function noteRung(call: HookCall, parts: readonly Part[]): Promise<void> {
  for (const { session, participant } of parts) {
    try {
      await noteDelivery(session, participant, "rung", "hook", systemClock);
    } catch (cause) {
      noteFailure(call, cause);
    }
  }
}
