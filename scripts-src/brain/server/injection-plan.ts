import { randomBytes } from "node:crypto";
import { type JsonValue, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { millisecondsOf } from "../../base/time.ts";
import { dueAlerts, type Thresholds } from "../rules/alerts.ts";
import type { BrainEvent, BrainStore, Match } from "../rules/brain-store.ts";
import { shownFill } from "../rules/effective-window.ts";
import { ageBetween, injectedText } from "../rules/injected-text.ts";
import { brainLimits } from "../rules/limits.ts";
import { snapshotText } from "../rules/snapshot-text.ts";
import { offer, type Push, tell } from "./push.ts";
import type { SessionState } from "./session-state.ts";
import { snapshotFor } from "./snapshot-routing.ts";

/** Room that the sentence about one alert takes in a context. */
const alertCharacters = 400;

/** An event has at most that with its fence, so that it fits when nothing else does. */
const eventCharacters = 5_000;

/** What joins two pushes in a context. */
const joinCharacters = 2;

/** What a session is to be given at one occasion. */
export interface InjectionMoment {
  readonly state: SessionState;
  readonly at: string;
  /** The prompt to find memories for. */
  readonly prompt?: string | undefined;
  /** Whether somebody is just being given this. */
  readonly isUnderWay: (subject: string) => boolean;
  /** Whether a session has not ended, by all that is known. */
  readonly goesOn: (session: string) => boolean;
}

/** A memory that a prompt brings up. */
export interface RecalledMemory {
  readonly match: Match;
  /** What has to be said of it as things are now. */
  readonly today: string | undefined;
}

/** Finds what belongs into a context now and cuts it to what a CLI takes in at once. */
export class InjectionPlan {
  readonly #store: BrainStore;
  readonly #thresholds: Thresholds;
  readonly #occasion: InjectionMoment;
  readonly #pushes: Push[] = [];
  #room: number = brainLimits.injectionCharacters;

  constructor(store: BrainStore, thresholds: Thresholds, occasion: InjectionMoment) {
    this.#store = store;
    this.#thresholds = thresholds;
    this.#occasion = occasion;
  }

  all(memories: readonly RecalledMemory[]): Push[] {
    // Alerts go first for the room, last for the eye: they are about everything above them.
    const alerts = this.#alerts();
    this.#restore();
    this.#memories(memories);
    this.#events();
    return [...this.#pushes, ...alerts];
  }

  events(): Push[] {
    this.#events();
    return this.#pushes;
  }

  #alerts(): Push[] {
    const { state, isUnderWay } = this.#occasion;
    const { session, fill, latches, rises, turns } = state;
    if (fill === undefined) return [];
    const due = dueAlerts(latches, fill, turns, this.#thresholds).map((name) => {
      const rise = rises[name];
      return { name, rise, subject: `alert ${session} ${name} ${rise}` };
    });
    const free = due.filter(({ subject }) => !isUnderWay(subject));
    const params = { ...shownFill(fill), session };
    this.#room -= free.length * alertCharacters;
    const score = params.token_percentage;
    return free.map(({ name, rise, subject }) => ({
      subject,
      alert: { name, rise, turn: turns.now },
      injection: { ...this.#injection("alert", name, ""), score },
      send: (peer) => tell(peer, `alert.${name}`, params),
    }));
  }

  #restore(): void {
    const { state, goesOn } = this.#occasion;
    const { session, restore } = state;
    const snapshot = restore === undefined ? undefined : snapshotFor(this.#store, session, restore);
    const text = snapshot === undefined ? undefined : snapshotText(snapshot.content);
    if (snapshot === undefined || text === undefined) return;
    const subject = `restore ${state.session} ${snapshot.session}`;
    const isOwn = snapshot.session === state.session;
    // Two that work side by side are not to do the same.
    const beside = goesOn(snapshot.session) ? ", which may still go on" : "";
    const what = isOwn
      ? "where this session stood before its context was emptied,"
      : `where the session before this one stood (${snapshot.session}${beside}),`;
    const label = { what, source: snapshot.cli, age: this.#age(snapshot.at) };
    this.#inject(subject, label, text, brainLimits.restoreCharacters, {
      reason: "restore",
      subject: snapshot.session,
    });
  }

  #memories(memories: readonly RecalledMemory[]): void {
    let room: number = brainLimits.relevantCharacters;
    for (const recalled of memories) room -= this.#memory(recalled, room);
  }

  #memory({ match, today }: RecalledMemory, room: number): number {
    const { key, version, score, source, updated } = match;
    const age = [this.#age(updated), ...(today === undefined ? [] : [today])].join("; ");
    const label = { what: `memory ${quote(key)}`, source, age };
    const subject = `memory ${this.#occasion.state.session} ${key}`;
    const about = { reason: "relevant", subject: key, version, score } as const;
    return this.#inject(subject, label, valueText(match.value), room, about);
  }

  #events(): void {
    for (const event of this.#store.pendingEvents(this.#occasion.state.session)) {
      // In order: what does not fit waits, with all that came after it.
      if (!this.#event(event)) return;
    }
  }

  #event(event: BrainEvent): boolean {
    const { id, kind, source, at, text } = event;
    const subject = `event ${id}`;
    if (this.#occasion.isUnderWay(subject)) return true;
    const what = kind === "event" ? "news" : "a suggestion, for you and the user to judge,";
    const label = { what, source, age: this.#age(at) };
    const fenced = injectedText({ ...label, nonce: newNonce() }, text, eventCharacters);
    if (fenced === undefined || fenced.length > this.#room) return false;
    const { session } = this.#occasion.state;
    this.#room -= fenced.length + joinCharacters;
    const send: Push["send"] = (peer) =>
      kind === "event"
        ? offer(peer, "context.inject", { data: fenced, reason: "event", session })
        : offer(peer, "action.suggest", { action: fenced, source, session });
    const injection = this.#injection("event", String(id), fenced);
    this.#pushes.push({ subject, send, event: id, injection });
    return true;
  }

  /** Adds a text to what is given; returns the room that it takes. */
  #inject(
    subject: string,
    label: { what: string; source: string; age: string },
    text: string,
    charactersMax: number,
    about: About,
  ): number {
    const room = Math.min(charactersMax, this.#room);
    const data = injectedText({ ...label, nonce: newNonce() }, text, room);
    if (data === undefined || this.#occasion.isUnderWay(subject)) return 0;
    const { session } = this.#occasion.state;
    const { reason, score } = about;
    const named = reason === "relevant" ? { key: about.subject } : {};
    const params = { data, reason, session, ...named, ...defined({ score }) };
    const injection = {
      ...this.#injection(reason, about.subject, data),
      version: about.version ?? 0,
      score: score ?? null,
    };
    this.#room -= data.length + joinCharacters;
    this.#pushes.push({
      subject,
      injection,
      send: (peer) => offer(peer, "context.inject", params),
    });
    return data.length + joinCharacters;
  }

  #injection(reason: "restore" | "relevant" | "event" | "alert", subject: string, data: string) {
    return { reason, subject, version: 0, score: null, characters: data.length };
  }

  #age(at: string): string {
    return ageBetween(millisecondsOf(at), millisecondsOf(this.#occasion.at));
  }
}

interface About {
  readonly reason: "restore" | "relevant";
  readonly subject: string;
  readonly version?: number;
  readonly score?: number;
}

/** Drawn after the text was written, so that the text cannot hold it. */
function newNonce(): string {
  return randomBytes(6).toString("hex");
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
