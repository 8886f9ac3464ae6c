import { isStringArray, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";

/**
 * What the person does in a session of any kind, and what follows from it: words for the next turn of
 * those that they are for, and a pause, in which nobody is given a turn.
 *
 *   said, answered --heard by each--> (gone as soon as each has acted on it)
 *   paused --resumed--> (gone)
 */

/** The person in a log: no participant can have this name. */
export const personName = "user";

/** The note in the person's own log that the session's own log ended because they wished it. */
export const endedNote = "ended";

/** An event of the person, or the note that one was put before a participant. */
export type PersonStep =
  | { readonly event: "said" | "answered"; readonly to: readonly string[]; readonly text: string }
  | { readonly event: "paused"; readonly because: string; readonly busy: readonly string[] }
  | { readonly event: "resumed" }
  | { readonly event: "heard"; readonly words: readonly number[] };

/** Words of the person, until all whom they are for have heard them and acted since. */
export type Word = {
  /** In the log that holds it. */
  seq: number;
  at: string;
  event: "said" | "answered";
  to: string[];
  text: string;
  /** The session's own log stood here when each of them heard it. */
  heard: Record<string, number>;
};

export type Pause = {
  seq: number;
  at: string;
  because: string;
  /** The session's own log stood here. */
  after: number;
  /** Who had the turn: each may end what it had begun. */
  busy: string[];
  /** Who was told of it since. */
  told: string[];
};

/** Plain JSON of bounded size: a checkpoint keeps it. */
export type PersonState = {
  words: Word[];
  pause?: Pause;
  /** The event of the session's own log with which the person ended it. */
  closing?: number;
  /** The newest keys, so that the same click acts once. */
  keys: { key: string; seq: number }[];
  /** The last act of each in the session's own log. */
  acted: Record<string, number>;
  /** Where a log of the person's own ends, for kinds whose log cannot take the person's events. */
  own: { seq: number; at: string };
};

export function initialPerson(): PersonState {
  return { words: [], keys: [], acted: {}, own: { seq: 0, at: "" } };
}

/** Reads an event of the person's; undefined for any other. */
export function readPersonStep(event: LogEvent): PersonStep | undefined {
  const { from, to, text, because, busy, words } = event;
  if (event.event === "heard" && from !== personName)
    return isNumberArray(words) ? { event: "heard", words } : undefined;
  if (from !== personName) return undefined;
  switch (event.event) {
    case "said":
    case "answered":
      return isStringArray(to) && typeof text === "string"
        ? { event: event.event, to, text }
        : undefined;
    case "paused":
      if (!isStringArray(busy)) return undefined;
      return { event: "paused", busy, because: typeof because === "string" ? because : "" };
    case "resumed":
      return { event: "resumed" };
    default:
      return undefined;
  }
}

function isNumberArray(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((it) => Number.isSafeInteger(it));
}

/** Folds an event of the session's own log, which only scripts write that know who the person is. */
export function evolvePerson(person: PersonState, event: LogEvent): PersonState {
  const step = readPersonStep(event);
  if (step !== undefined) return withStep(person, step, event, event.seq);
  return event.from === personName ? withKey(person, event) : evolveActs(person, event);
}

/** Folds an event of a log that others write as well: it says who acted, and nothing of the person. */
export function evolveActs(person: PersonState, event: LogEvent): PersonState {
  // A note of a delivery and a record of a check are no act of their own.
  const isAct = !isDeliveryNote(event) && event.event !== "evidence";
  return isAct ? withAct(person, event) : person;
}

/** Folds an event of the person's own log, which says how far the session's own one stood. */
export function evolveAside(person: PersonState, event: LogEvent): PersonState {
  const { seq, at, after } = event;
  // A checkpoint knows the state that these led to, and not how far it read.
  if (seq <= person.own.seq) return person;
  const next = { ...person, own: { seq, at } };
  if (event.event === endedNote) return { ...next, closing: Number(event["closing"]) };
  const step = readPersonStep(event);
  return step === undefined ? next : withStep(next, step, event, Number(after ?? 0));
}

function withStep(
  person: PersonState,
  step: PersonStep,
  { seq, at, from, key }: LogEvent,
  after: number,
): PersonState {
  const next = withKey(person, { seq, key });
  switch (step.event) {
    case "said":
    case "answered": {
      const word: Word = { seq, at, ...step, to: [...step.to], heard: {} };
      return { ...next, words: [...next.words, word].slice(-limits.wordsWaiting) };
    }
    case "paused": {
      const { because } = step;
      const pause: Pause = { seq, at, because, after, busy: [...step.busy], told: [] };
      return { ...next, pause };
    }
    case "resumed": {
      const { pause: _, ...resumed } = next;
      return resumed;
    }
    case "heard":
      return withHeard(next, from, step.words, after);
  }
}

function withKey(person: PersonState, { seq, key }: Pick<LogEvent, "seq"> & JsonObject) {
  if (typeof key !== "string") return person;
  return { ...person, keys: [...person.keys, { key, seq }].slice(-limits.keysKept) };
}

function withHeard(
  person: PersonState,
  who: string,
  seqs: readonly number[],
  after: number,
): PersonState {
  const { pause } = person;
  const words = person.words.map((word) =>
    seqs.includes(word.seq) && word.to.includes(who) && word.heard[who] === undefined
      ? { ...word, heard: { ...word.heard, [who]: after } }
      : word,
  );
  const isTold = pause !== undefined && seqs.includes(pause.seq) && !pause.told.includes(who);
  const told = isTold ? { pause: { ...pause, told: [...pause.told, who] } } : {};
  return withoutSettled({ ...person, ...told, words });
}

function withAct(person: PersonState, { from, seq }: LogEvent): PersonState {
  const { [from]: _, ...others } = person.acted;
  const kept = Object.entries(others).slice(-limits.actorsKept);
  const acted = { ...Object.fromEntries(kept), [from]: seq };
  return withoutSettled({ ...person, acted });
}

function withoutSettled(person: PersonState): PersonState {
  const words = person.words.filter((word) => word.to.some((name) => isOpen(person, word, name)));
  return words.length === person.words.length ? person : { ...person, words };
}

/** Whether a word still waits for one of those that it is for. */
function isOpen({ acted }: PersonState, { to, heard }: Word, name: string): boolean {
  if (!to.includes(name)) return false;
  const heardAt = heard[name];
  return heardAt === undefined || (acted[name] ?? 0) <= heardAt;
}

/** What the person has said to a participant that it has not acted on yet, oldest first. */
export function wordsFor(person: PersonState, name: string): Word[] {
  return person.words.filter((word) => isOpen(person, word, name));
}

/** Whether words of the person, or the pause, have not been put before a participant yet. */
export function isUnheard(person: PersonState, name: string): boolean {
  const { words, pause } = person;
  if (pause?.told.includes(name) === false) return true;
  return words.some(({ to, heard }) => to.includes(name) && heard[name] === undefined);
}

/**
 * Who had the turn when the person paused, and has neither acted since nor been told: a CLI cannot be
 * stopped within its turn, so each may end it.
 */
export function stillBusy({ pause, acted }: PersonState): string[] {
  if (pause === undefined) return [];
  const { busy, told, after } = pause;
  return busy.filter((name) => !told.includes(name) && (acted[name] ?? 0) <= after);
}

/** How far a message has come: `rung`, its recipient was notified; `in_turn`, it has seen it (stored names). */
export const stages = ["rung", "in_turn"] as const;
export type Stage = (typeof stages)[number];

/** That these messages have reached this stage, as a script of ours records it for their recipient. */
export interface DeliveryNote {
  readonly participant: string;
  readonly stage: Stage;
  readonly messages: readonly number[];
  /** The script that did it. */
  readonly by: string;
  readonly at: string;
  readonly id: string;
}

/** The same for what the person said or did: the event's author has seen it. */
export const heardNote = "heard";

/** Whether an event only records a delivery: then its author did not act. */
export function isDeliveryNote({ event }: LogEvent): boolean {
  return event === heardNote || stages.some((stage) => stage === event);
}
