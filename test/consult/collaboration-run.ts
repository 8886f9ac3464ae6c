import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkCollaboration,
  openCollaboration,
} from "../../scripts-src/collaboration/open-collaboration.ts";
import { conduct, type Ending } from "../../scripts-src/consult/conductor.ts";
import type { Driver, Turn, TurnResult } from "../../scripts-src/consult/driver.ts";
import { LiveProgress } from "../../scripts-src/consult/live-progress.ts";
import type { Run } from "../../scripts-src/consult/run.ts";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { placeToMake } from "../../scripts-src/session/place.ts";
import type { Session } from "../../scripts-src/session/session.ts";
import { nextActionText } from "../../scripts-src/session/text/next-action-text.ts";
import { frameNonce } from "../../scripts-src/session/text/print-next-action.ts";
import { quoteText } from "../../scripts-src/session/text/quotation.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { blockFor, fenced } from "./scripted-peer.ts";

/** Opens a collaboration in a scratch folder; schema 2 delivers an ADR. */
export async function openScratch(
  participants: string[],
  schema: 1 | 2 = 1,
  objective = "Should we keep sessions in SQLite or in files?",
): Promise<Session> {
  const primary = schema === 1 ? undefined : { type: "adr", checks: [] };
  const opening = { objective, participants, gates: ["Error codes are listed"], primary };
  const now = systemClock.now();
  const place = placeToMake(join(makeScratchFolder(), "collaboration"));
  return (await openCollaboration(place, checkCollaboration(opening, now), now)).session;
}

/** What one participant answers in its nth turn; a text is the answer, nothing is the right one. */
export type Answer = (
  turn: Turn,
  count: number,
) => string | undefined | Promise<string | undefined>;

/** A collaboration whose participants answer in this process. */
export class CollaborationRun {
  readonly session: Session;
  readonly turns: Turn[] = [];
  readonly notes: string[] = [];
  readonly #answers: Record<string, Answer>;

  constructor(session: Session, answers: Record<string, Answer> = {}) {
    this.session = session;
    this.#answers = answers;
  }

  conduct(turnsMax = 60, signal = new AbortController().signal): Promise<Ending> {
    return conduct(this.#run(), { turnsMax, timeLimitMs: 60_000, turnTimeoutMs: 0 }, signal);
  }

  turnsOf(name: string): Turn[] {
    return this.turns.filter(({ participant }) => participant === name);
  }

  events(): Record<string, unknown>[] {
    const lines = this.text("events.jsonl").trim().split("\n");
    return lines.map((line) => JSON.parse(line));
  }

  text(name: string): string {
    return readFileSync(join(this.session.place.folder, name), "utf8");
  }

  #run(): Run {
    const { place, machine } = this.session;
    const { participants } = machine.standing();
    const commands = {
      run: () => "append",
      draft: () => undefined,
      check: () => "",
      wait: "wait",
      headless: "headless",
      report: "report",
      reportOf: () => "report",
    };
    return {
      place,
      project: place.folder,
      drivers: new Map(participants.map((name) => [name, this.#driver()])),
      scripts: "",
      clock: systemClock,
      describe: (next) => nextActionText(next, commands, "nonce"),
      quote: (what, text) => quoteText(what, text, frameNonce()),
      progress: new LiveProgress(this.session, systemClock, (line) => this.notes.push(line)),
      elsewhere: new Set(),
      conversations: new Map(),
      allowedChecks: [],
      unlooked: new Set(),
    };
  }

  #driver(): Driver {
    return { name: "test", triesMax: 2, takeTurn: (turn) => this.#take(turn) };
  }

  async #take(turn: Turn): Promise<TurnResult> {
    this.turns.push(turn);
    const { participant } = turn;
    const said = await this.#answers[participant]?.(turn, this.turnsOf(participant).length);
    return { answer: said ?? rightAnswer(turn), exitCode: 0 };
  }
}

export function rightAnswer({ guidance, place }: Turn): string {
  const [first] = guidance.moves;
  const event = first?.options["event"] ?? "";
  return fenced(blockFor({ event, form: String(first?.input ?? ""), folder: place.folder }));
}
