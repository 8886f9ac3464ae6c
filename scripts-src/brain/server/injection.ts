import { randomBytes } from "node:crypto";
import { type JsonObject, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { millisecondsOf } from "../../base/time.ts";
import { type AlertName, dueAlerts, shownFill, type Thresholds } from "../rules/alerts.ts";
import { ageBetween, injectedText, withoutInjected } from "../rules/injected-text.ts";
import { brainLimits } from "../rules/limits.ts";
import type { NamesTo } from "../rules/methods.ts";
import type { BrainEvent, Injection, Match } from "../rules/records.ts";
import { snapshotText } from "../rules/session-handover.ts";
import type { BrainStore } from "../store/brain-store.ts";
import type { SessionState } from "./session-state.ts";

/** Room that the sentence about one alert takes in a context. */
const alertCharacters = 400;
/** An event has at most that with its fence, so that it fits when nothing else does. */
const eventCharacters = 5_000;
/** What joins two pushes in a context. */
const joinCharacters = 2;

/** Something that belongs into a session's context, and what counts once it is there. */
export interface Push {
  /** Names what is pushed: nothing is under way twice. */
  readonly subject: string;
  readonly method: NamesTo<"client">;
  readonly params: JsonObject;
  readonly injection: Injection;
  readonly event?: number;
  readonly alert?: { readonly name: AlertName; readonly rise: number; readonly turn: number };
}

/** An occasion to give a session something. */
export interface InjectionMoment {
  readonly state: SessionState;
  readonly at: string;
  /** The prompt to find memories for. */
  readonly prompt?: string | undefined;
  /** Whether somebody is just being given this. */
  readonly isUnderWay: (subject: string) => boolean;
}

interface About {
  readonly what: string;
  readonly source: string;
  readonly at: string;
}

/** Finds what belongs into a context now and cuts it to what a CLI takes in at once. */
export class InjectionPlan {
  readonly #store: BrainStore;
  readonly #moment: InjectionMoment;
  readonly #session: string;
  readonly #pushes: Push[] = [];
  #room: number = brainLimits.injectionCharacters;

  constructor(store: BrainStore, moment: InjectionMoment) {
    this.#store = store;
    this.#moment = moment;
    this.#session = moment.state.session;
  }

  all(thresholds: Thresholds): Push[] {
    // Alerts go first for the room, last for the eye: they are about everything above them.
    const alerts = this.#alerts(thresholds);
    this.#restore();
    this.#memories();
    this.events();
    return [...this.#pushes, ...alerts];
  }

  events(): Push[] {
    for (const event of this.#store.sessions.pendingEvents(this.#session)) {
      // In order: what does not fit waits, with all that came after it.
      if (!this.#event(event)) break;
    }
    return this.#pushes;
  }

  #alerts(thresholds: Thresholds): Push[] {
    const { state, isUnderWay } = this.#moment;
    const { fill, alerts, turn } = state;
    if (fill === undefined) return [];
    const params = { ...shownFill(fill), session: this.#session };
    const score = params.token_percentage;
    const due = dueAlerts(alerts, fill, turn, thresholds).map((name): Push => {
      const { rise } = alerts[name];
      return {
        subject: `alert ${this.#session} ${name} ${rise}`,
        method: `alert.${name}`,
        params,
        injection: { reason: "alert", subject: name, version: 0, score, characters: 0 },
        alert: { name, rise, turn },
      };
    });
    const fresh = due.filter(({ subject }) => !isUnderWay(subject));
    this.#room -= fresh.length * alertCharacters;
    return fresh;
  }

  #restore(): void {
    const { restore } = this.#moment.state;
    const snapshot = restore === undefined ? undefined : this.#store.sessions.snapshotOf(restore);
    if (snapshot === undefined) return;
    const { session, cli: source, at, content } = snapshot;
    const isOwn = session === this.#session;
    // Its CLI has just put a summary of its own into the context: an older one says nothing more.
    const { summary, ...rest } = content;
    const text = snapshotText(isOwn ? rest : content);
    const what = isOwn
      ? "where this session stood before its context was emptied,"
      : `where the session before this one stood (${session}),`;
    const about = { reason: "restore", subject: session, version: 0 } as const;
    this.#inject({ what, source, at }, text, brainLimits.restoreCharacters, about);
  }

  #memories(): void {
    const words = withoutInjected(this.#moment.prompt ?? "");
    if (words === "") return;
    const { memories, sessions } = this.#store;
    let room: number = brainLimits.relevantCharacters;
    for (const match of memories.relevant(words, sessions.known(this.#session)))
      room -= this.#memory(match, room);
  }

  #memory({ key, version, score, source, updated, value }: Match, room: number): number {
    const label = { what: `memory ${quote(key)}`, source, at: updated };
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const about = { reason: "relevant", subject: key, version, score } as const;
    return this.#inject(label, text, room, about);
  }

  /** Adds a text to what is given, cut to its size; returns the room that it takes. */
  #inject(
    label: About,
    text: string | undefined,
    charactersMax: number,
    about: Omit<Injection, "characters">,
  ): number {
    const { reason, subject: named, score } = about;
    const subject = `${reason} ${this.#session} ${named}`;
    if (text === undefined || this.#moment.isUnderWay(subject)) return 0;
    const data = this.#fenced(label, text, Math.min(charactersMax, this.#room));
    if (data === undefined) return 0;
    const found = reason === "relevant" ? { key: named, ...defined({ score }) } : {};
    this.#pushes.push({
      subject,
      method: "context.inject",
      params: { data, reason, session: this.#session, ...found },
      injection: { ...about, characters: data.length },
    });
    this.#room -= data.length + joinCharacters;
    return data.length + joinCharacters;
  }

  /** False where it does not fit. */
  #event({ id, kind, source, at, text }: BrainEvent): boolean {
    const subject = `event ${id}`;
    if (this.#moment.isUnderWay(subject)) return true;
    const isNews = kind === "event";
    const what = isNews ? "news" : "a suggestion, for you and the user to judge,";
    const data = this.#fenced({ what, source, at }, text, eventCharacters);
    if (data === undefined || data.length > this.#room) return false;
    const session = this.#session;
    this.#pushes.push({
      subject,
      method: isNews ? "context.inject" : "action.suggest",
      params: isNews ? { data, reason: "event", session } : { action: data, source, session },
      injection: { reason: "event", subject: `${id}`, version: 0, characters: data.length },
      event: id,
    });
    this.#room -= data.length + joinCharacters;
    return true;
  }

  #fenced({ at, ...label }: About, text: string, charactersMax: number): string | undefined {
    const age = ageBetween(millisecondsOf(at), millisecondsOf(this.#moment.at));
    // Drawn after the text was written, so that the text cannot hold it.
    const nonce = randomBytes(6).toString("hex");
    return injectedText({ ...label, age, nonce }, text, charactersMax);
  }
}
