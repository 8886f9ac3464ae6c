import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  checkCollaboration,
  openCollaboration,
} from "../../scripts-src/collaboration/open-collaboration.ts";
import { conduct, type Ending } from "../../scripts-src/consult/conductor.ts";
import type { Driver, Turn, TurnResult } from "../../scripts-src/consult/driver.ts";
import { LiveProgress } from "../../scripts-src/consult/live-progress.ts";
import { type Run, runOf } from "../../scripts-src/consult/run-context.ts";
import { register } from "../../scripts-src/findings/agent-acts.ts";
import { openBoard } from "../../scripts-src/findings/open-board.ts";
import type { SessionStatus } from "../../scripts-src/protocol/protocol.ts";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { readReport } from "../../scripts-src/session/make-report.ts";
import { openSession } from "../../scripts-src/session/open.ts";
import { type Place, placeToMake } from "../../scripts-src/session/place.ts";
import { standingOf } from "../../scripts-src/session/session.ts";
import { reportText } from "../../scripts-src/session/text/report-text.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { blockFor, fenced } from "./scripted-peer.ts";

type Said = string | Partial<TurnResult> | undefined;

/** What one participant does in its nth turn: its last words, or the whole result. */
export type Act = (turn: Turn, count: number, signal: AbortSignal) => Said | Promise<Said>;

/** A session whose participants act in this process. */
export class PlayedRun {
  readonly place: Place;
  /** The folder that they work in; the session's is in it. */
  readonly folder: string;
  readonly turns: Turn[] = [];
  readonly notes: string[] = [];
  readonly #acts: Readonly<Record<string, Act>>;

  constructor(place: Place, acts: Readonly<Record<string, Act>>) {
    this.place = place;
    this.folder = dirname(place.folder);
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
    return standingOf(await openSession(this.place));
  }

  async report(): Promise<string> {
    const read = await readReport(this.place, this.place.folder, systemClock);
    return reportText(read, { validate: "validate" });
  }

  events(): Record<string, unknown>[] {
    const lines = this.text("events.jsonl").trim().split("\n");
    return lines.map((line) => JSON.parse(line));
  }

  text(path: string): string {
    return readFileSync(join(this.place.folder, path), "utf8");
  }

  async #run(): Promise<Run> {
    const session = await openSession(this.place);
    const drivers = new Map(Object.keys(this.#acts).map((name) => [name, this.#driver()]));
    const progress = new LiveProgress(session, systemClock, (line) => this.notes.push(line));
    const means = {
      scripts: "",
      clock: systemClock,
      progress,
      allowedChecks: [],
      waitsForQuota: false,
    };
    const auditors = { asked: undefined, drivers: [] };
    return { ...runOf({ session, specs: [], drivers, auditors }, means), project: this.folder };
  }

  #driver(): Driver {
    return { name: "test", triesMax: 2, takeTurn: (turn, signal) => this.#take(turn, signal) };
  }

  async #take(turn: Turn, signal: AbortSignal): Promise<TurnResult> {
    this.turns.push(turn);
    const { participant } = turn;
    const said = await this.#acts[participant]?.(turn, this.turnsOf(participant).length, signal);
    const result = typeof said === "string" ? { answer: said } : said;
    return { answer: "", ...result };
  }
}

/** A new collaboration; schema 2 delivers an ADR. A turn in which `acts` says nothing is the right one. */
export async function playCollaboration(
  participants: string[],
  acts: Readonly<Record<string, Act>> = {},
  schema: 1 | 2 = 1,
): Promise<PlayedRun> {
  const objective = "Should we keep sessions in SQLite or in files?";
  const primary = schema === 1 ? undefined : { type: "adr", checks: [] };
  const opening = { objective, participants, gates: ["Error codes are listed"], primary };
  const now = systemClock.now();
  const place = placeToMake(join(makeScratchFolder(), "collaboration"));
  await openCollaboration(place, checkCollaboration(opening, now), now);
  const all = participants.map((name): [string, Act] => [
    name,
    async (turn, ...more) => (await acts[name]?.(turn, ...more)) ?? rightAnswer(turn),
  ]);
  return new PlayedRun(place, Object.fromEntries(all));
}

function rightAnswer({ guidance, place }: Turn): string {
  const [first] = guidance.moves;
  const event = first?.options["event"] ?? "";
  return fenced(blockFor({ event, form: String(first?.input ?? ""), folder: place.folder }));
}

/** A new board for those who act and for `expected`, where all who act and `others` are registered. */
export async function playBoard(
  acts: Readonly<Record<string, Act>>,
  { others = [], expected = 0 }: { others?: string[]; expected?: number } = {},
): Promise<PlayedRun> {
  const names = [...Object.keys(acts), ...others];
  const expectedAgents = Math.max(expected, names.length);
  const terms = { expectedAgents, timeoutSeconds: 60, about: "Why?" };
  const { place } = await openBoard(join(makeScratchFolder(), "board"), terms, systemClock);
  for (const name of names) await register(place, { name }, systemClock);
  return new PlayedRun(place, acts);
}
