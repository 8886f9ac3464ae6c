import { randomBytes } from "node:crypto";
import { isRecord, type JsonValue, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { millisecondsOf } from "../../base/time.ts";
import type { RpcPeer } from "../rpc-peer.ts";
import { type AlertName, dueAlerts, shownFill, type Thresholds } from "../rules/alerts.ts";
import { ageBetween, injectedText, type Label, withoutInjected } from "../rules/injected-text.ts";
import { brainLimits } from "../rules/limits.ts";
import type { NamesTo, ParamsOf } from "../rules/methods.ts";
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
const answerMs = 10_000;

/** Something that belongs into a session's context, and what counts once it is there. */
export interface Push {
  /** Names what is pushed: nothing is under way twice. */
  readonly subject: string;
  /** Hands it to a client; false where that declines, fails or leaves. */
  readonly send: (peer: RpcPeer) => Promise<boolean>;
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

/** Finds what belongs into a context now and cuts it to what a CLI takes in at once. */
export class InjectionPlan {
  readonly #store: BrainStore;
  readonly #moment: InjectionMoment;
  readonly #pushes: Push[] = [];
  #room: number = brainLimits.injectionCharacters;

  constructor(store: BrainStore, moment: InjectionMoment) {
    this.#store = store;
    this.#moment = moment;
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
    for (const event of this.#store.sessions.pendingEvents(this.#moment.state.session)) {
      // In order: what does not fit waits, with all that came after it.
      if (!this.#event(event)) break;
    }
    return this.#pushes;
  }

  #alerts(thresholds: Thresholds): Push[] {
    const { state, isUnderWay } = this.#moment;
    const { session, fill, latches, rises, turns } = state;
    if (fill === undefined) return [];
    const params = { ...shownFill(fill), session };
    const due = dueAlerts(latches, fill, turns, thresholds).flatMap((name): Push[] => {
      const rise = rises[name];
      const subject = `alert ${session} ${name} ${rise}`;
      if (isUnderWay(subject)) return [];
      const injection = { ...injectionOf("alert", name, ""), score: params.token_percentage };
      const alert = { name, rise, turn: turns.now };
      return [{ subject, alert, injection, send: (peer) => tell(peer, `alert.${name}`, params) }];
    });
    this.#room -= due.length * alertCharacters;
    return due;
  }

  #restore(): void {
    const { session, restore } = this.#moment.state;
    const snapshot = restore === undefined ? undefined : this.#store.sessions.snapshotOf(restore);
    if (snapshot === undefined) return;
    const isOwn = snapshot.session === session;
    // Its CLI has just put a summary of its own into the context: an older one says nothing more.
    const { summary, ...rest } = snapshot.content;
    const text = snapshotText(isOwn ? rest : snapshot.content);
    if (text === undefined) return;
    const what = isOwn
      ? "where this session stood before its context was emptied,"
      : `where the session before this one stood (${snapshot.session}),`;
    const label = { what, source: snapshot.cli, at: snapshot.at };
    const subject = `restore ${session} ${snapshot.session}`;
    const injection = injectionOf("restore", snapshot.session, "");
    this.#inject(subject, label, text, brainLimits.restoreCharacters, injection);
  }

  #memories(): void {
    const { prompt = "", state } = this.#moment;
    const words = withoutInjected(prompt);
    if (words === "") return;
    const { memories, sessions } = this.#store;
    let room: number = brainLimits.relevantCharacters;
    for (const match of memories.relevant(words, sessions.known(state.session)))
      room -= this.#memory(match, room);
  }

  #memory({ key, version, score, source, updated, value }: Match, room: number): number {
    const label = { what: `memory ${quote(key)}`, source, at: updated };
    const subject = `memory ${this.#moment.state.session} ${key}`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const injection = { ...injectionOf("relevant", key, ""), version, score };
    return this.#inject(subject, label, text, room, injection);
  }

  /** False where it does not fit. */
  #event({ id, kind, source, at, text }: BrainEvent): boolean {
    const subject = `event ${id}`;
    if (this.#moment.isUnderWay(subject)) return true;
    const what = kind === "event" ? "news" : "a suggestion, for you and the user to judge,";
    const data = this.#fenced({ what, source, at }, text, eventCharacters);
    if (data === undefined || data.length > this.#room) return false;
    const { session } = this.#moment.state;
    this.#room -= data.length + joinCharacters;
    const send: Push["send"] = (peer) =>
      kind === "event"
        ? offer(peer, "context.inject", { data, reason: "event", session })
        : offer(peer, "action.suggest", { action: data, source, session });
    this.#pushes.push({ subject, send, event: id, injection: injectionOf("event", `${id}`, data) });
    return true;
  }

  /** Adds a text to what is given; returns the room that it takes. */
  #inject(
    subject: string,
    label: About,
    text: string,
    charactersMax: number,
    about: Injection & { readonly reason: "restore" | "relevant" },
  ): number {
    const data = this.#fenced(label, text, Math.min(charactersMax, this.#room));
    if (data === undefined || this.#moment.isUnderWay(subject)) return 0;
    const { reason, score } = about;
    const named = reason === "relevant" ? { key: about.subject } : {};
    const { session } = this.#moment.state;
    const params = { data, reason, session, ...named, ...defined({ score }) };
    const characters = data.length + joinCharacters;
    this.#room -= characters;
    this.#pushes.push({
      subject,
      injection: { ...about, characters: data.length },
      send: (peer) => offer(peer, "context.inject", params),
    });
    return characters;
  }

  #fenced({ at, ...label }: About, text: string, charactersMax: number): string | undefined {
    const age = ageBetween(millisecondsOf(at), millisecondsOf(this.#moment.at));
    // Drawn after the text was written, so that the text cannot hold it.
    const nonce = randomBytes(6).toString("hex");
    return injectedText({ ...label, age, nonce }, text, charactersMax);
  }
}

interface About extends Omit<Label, "age" | "nonce"> {
  readonly at: string;
}

function injectionOf<R extends Injection["reason"]>(reason: R, subject: string, data: string) {
  return { reason, subject, version: 0, characters: data.length };
}

type PushName = NamesTo<"client">;

/** Asks a client to take something; the seed says nothing about the answer: only a clear no is one. */
async function offer<N extends PushName>(
  peer: RpcPeer,
  name: N,
  params: ParamsOf<N> & object,
): Promise<boolean> {
  try {
    const answer: JsonValue = await peer.request(name, params, answerMs);
    return !(isRecord(answer) && answer["accepted"] === false);
  } catch {
    // A client that cannot take it has not been given it: it is offered again at the next occasion.
    return false;
  }
}

/** Tells a client something that it does not answer; true when it is on its way. */
async function tell<N extends PushName>(
  peer: RpcPeer,
  name: N,
  params: ParamsOf<N> & object,
): Promise<boolean> {
  try {
    await peer.notify(name, params);
    return true;
  } catch {
    return false;
  }
}
