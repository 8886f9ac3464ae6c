import { readFileSync } from "node:fs";
import { join } from "node:path";
import { conduct, type Ending } from "../../scripts-src/consult/conductor.ts";
import type { Driver, Turn, TurnResult } from "../../scripts-src/consult/driver.ts";
import { LiveProgress } from "../../scripts-src/consult/live-progress.ts";
import type { Run } from "../../scripts-src/consult/run.ts";
import { openBoard } from "../../scripts-src/findings/open-board.ts";
import { register } from "../../scripts-src/findings/register.ts";
import type { SessionStatus } from "../../scripts-src/protocol/protocol.ts";
import { systemClock } from "../../scripts-src/script/clock.ts";
import type { Place } from "../../scripts-src/session/place.ts";
import { readReport } from "../../scripts-src/session/read-report.ts";
import { loadSession } from "../../scripts-src/session/session.ts";
import { nextActionText } from "../../scripts-src/session/text/next-action-text.ts";
import { quoteText } from "../../scripts-src/session/text/quotation.ts";
import { reportText } from "../../scripts-src/session/text/report-text.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** What one participant does in its nth turn: its last words, or the whole result. */
export type Act = (
  turn: Turn,
  count: number,
  signal: AbortSignal,
) => string | Partial<TurnResult> | Promise<string | Partial<TurnResult>>;

/** A board whose participants act in this process. */
export class FindingsRun {
  readonly folder: string;
  readonly place: Place;
  readonly turns: Turn[] = [];
  readonly notes: string[] = [];
  readonly #acts: Record<string, Act>;

  constructor(folder: string, place: Place, acts: Record<string, Act>) {
    this.folder = folder;
    this.place = place;
    this.#acts = acts;
  }

  async conduct(turnsMax = 60, signal = new AbortController().signal): Promise<Ending> {
    const run = await this.#run();
    return conduct(run, { turnsMax, timeLimitMs: 60_000, turnTimeoutMs: 0 }, signal);
  }

  turnsOf(name: string): Turn[] {
    return this.turns.filter(({ participant }) => participant === name);
  }

  async standing(): Promise<SessionStatus> {
    return (await loadSession(this.place)).machine.standing();
  }

  async report(): Promise<string> {
    return reportText(await readReport(this.place, this.place.folder, systemClock), {
      validate: "validate",
    });
  }

  text(path: string): string {
    return readFileSync(join(this.place.folder, path), "utf8");
  }

  async #run(): Promise<Run> {
    const session = await loadSession(this.place);
    const commands = {
      run: () => "RUN",
      draft: () => undefined,
      check: () => "",
      wait: "WAIT",
      headless: "HEADLESS",
      report: "REPORT",
      reportOf: () => "REPORT",
    };
    return {
      place: this.place,
      project: this.folder,
      drivers: new Map(Object.keys(this.#acts).map((name) => [name, this.#driver()])),
      elsewhere: new Set(),
      scripts: "",
      clock: systemClock,
      describe: (next) => nextActionText(next, commands, "nonce"),
      quote: (what, text) => quoteText(what, text, "nonce"),
      progress: new LiveProgress(session, systemClock, (line) => this.notes.push(line)),
      conversations: new Map(),
      allowedChecks: [],
      unlooked: new Set(),
    };
  }

  #driver(): Driver {
    return { name: "test", triesMax: 2, takeTurn: (turn, signal) => this.#take(turn, signal) };
  }

  async #take(turn: Turn, signal: AbortSignal): Promise<TurnResult> {
    this.turns.push(turn);
    const { participant } = turn;
    const came = await this.#acts[participant]?.(turn, this.turnsOf(participant).length, signal);
    const result = typeof came === "string" ? { answer: came } : came;
    return { answer: "", exitCode: 0, ...result };
  }
}

/** A board for those who act and for `expected`, where all who act and `others` are registered. */
export async function openRun(
  acts: Record<string, Act>,
  { others = [], expected = 0 }: { others?: string[]; expected?: number } = {},
): Promise<FindingsRun> {
  const folder = makeScratchFolder();
  const names = [...Object.keys(acts), ...others];
  const terms = {
    expectedAgents: Math.max(expected, names.length),
    timeoutSeconds: 60,
    about: "Why?",
  };
  const { place } = await openBoard(join(folder, "board"), terms, systemClock);
  for (const name of names) await register(place, { name, project: place.folder }, systemClock);
  return new FindingsRun(folder, place, acts);
}
