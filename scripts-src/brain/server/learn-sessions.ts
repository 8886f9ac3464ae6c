import { setImmediate, setTimeout } from "node:timers/promises";
import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { findSecret } from "../../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import { sha256 } from "../../files/hash.ts";
import { findWorkspace, type Workspace } from "../../session/workspace/workspace.ts";
import type { BrainStore, Learning, MemoryDraft, SourceLook } from "../rules/brain-store.ts";
import { journalSources, type Source, sessionSources } from "./learning-sources.ts";

export interface LearnOptions {
  /** The folder that holds the workspace. */
  readonly project: string;
  readonly store: BrainStore;
  readonly now: () => string;
  readonly note: (text: string) => void;
  /** Who looked so short a time ago does not look again. */
  readonly pauseMs?: number;
  /** How long an answer waits for a look; what is left is learned after it. */
  readonly patienceMs?: number;
}

const defaultPauseMs = 2_000;
const defaultPatienceMs = 400;
/** What is found in that time is stored in one go, and others get their answers in between. */
const portionMs = 40;

/**
 * Learns what came of the workspace's sessions: what is finished becomes memories, each once. The
 * sessions themselves are the truth, so it does not matter who finished them, and when.
 */
export class SessionLearner {
  readonly #options: LearnOptions;
  /** The state in which each source was looked at last, by this process. */
  readonly #seen = new Map<string, string>();
  /** The sessions that go on. */
  readonly #open = new Set<string>();
  #marked: ReadonlyMap<string, string> | undefined;
  #portion: (SourceLook & { readonly name: string })[] = [];
  #portionSince = 0;
  #underWay: Promise<void> | undefined;
  #endedMs = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #lastFault = "";

  constructor(options: LearnOptions) {
    this.#options = options;
  }

  /** Looks for what is new, unless that was done a moment ago; returns when it is done or takes long. */
  async look(): Promise<void> {
    const { pauseMs = defaultPauseMs, patienceMs = defaultPatienceMs } = this.#options;
    if (this.#underWay === undefined) {
      if (this.#stopped || performance.now() - this.#endedMs < pauseMs) return;
      this.#underWay = this.#lookAround().finally(() => {
        this.#underWay = undefined;
        this.#endedMs = performance.now();
      });
    }
    await Promise.race([this.#underWay, setTimeout(patienceMs, undefined, { ref: false })]);
  }

  /** Returns when it writes no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#underWay;
  }

  async #lookAround(): Promise<void> {
    try {
      const workspace = findWorkspace(this.#options.project);
      if (workspace.config.brain) await this.#lookAtAll(workspace);
      this.#lastFault = "";
    } catch (error) {
      this.#portion = [];
      // Learning serves later sessions: what stops it stops nothing else.
      const fault = reasonOf(error);
      if (fault !== this.#lastFault) this.#options.note(`sessions cannot be learned: ${fault}`);
      this.#lastFault = fault;
    }
  }

  async #lookAtAll(workspace: Workspace): Promise<void> {
    const { store, now } = this.#options;
    this.#marked ??= store.learnedStamps();
    const sessions = sessionSources(workspace, now);
    await this.#lookAtEach(sessions);
    const going = sessions.filter(({ name }) => this.#open.has(name));
    const open = new Set(going.flatMap(({ session }) => session ?? []));
    await this.#lookAtEach(journalSources(workspace, open, now));
  }

  async #lookAtEach(sources: readonly Source[]): Promise<void> {
    this.#portionSince = performance.now();
    for (const source of sources) {
      if (this.#stopped) break;
      const stamp = source.stamp();
      if (stamp === undefined || stamp === this.#seen.get(source.name)) continue;
      await this.#lookAt(source, stamp);
      if (performance.now() - this.#portionSince < portionMs) continue;
      this.#storePortion();
      await setImmediate();
      this.#portionSince = performance.now();
    }
    this.#storePortion();
  }

  async #lookAt({ name, session, read }: Source, stamp: string): Promise<void> {
    const { now, note } = this.#options;
    const source = digestOf(name);
    if (this.#marked?.get(source) === stamp) {
      this.#seen.set(name, stamp);
      return;
    }
    try {
      const said = await read();
      if (typeof said !== "string") {
        const learnings = learningsOf(said.drafts, timeOf(said.at, now()), note);
        this.#portion.push({ name, source, stamp, learnings });
      } else this.#seen.set(name, stamp);
      if (session === undefined) return;
      if (said === "open") this.#open.add(name);
      else this.#open.delete(name);
    } catch (error) {
      // One that cannot be read hides no other; what passes is tried again at once.
      const isPassing = error instanceof ConsultaError && error.code === "UNAVAILABLE";
      if (!isPassing) this.#seen.set(name, stamp);
      note(`${name} cannot be learned as it is: ${reasonOf(error)}`);
    }
  }

  #storePortion(): void {
    const looks = this.#portion.splice(0);
    if (looks.length === 0) return;
    const { store, note } = this.#options;
    const stored = storeLooks(store, looks, note);
    if (stored > 0) note(`memories learned from sessions: ${stored}`);
    for (const { name, stamp } of looks) this.#seen.set(name, stamp);
  }
}

/** What may be learned; what looks like a secret is left out, and said so. */
function learningsOf(
  drafts: readonly MemoryDraft[],
  at: string,
  note: (text: string) => void,
): Learning[] {
  return drafts.flatMap((draft) => {
    const { key, value, tags = [] } = draft;
    const text = [key, value, ...tags].join("\n");
    const secret = findSecret(text);
    if (secret === undefined) return [{ digest: digestOf(text), draft, at }];
    note(`not learned: ${quote(key)} looks like ${secret}`);
    return [];
  });
}

/** Knows a text again and does not tell it. */
function digestOf(text: string): string {
  return sha256(text, "base64").slice(0, 20);
}

/** When something was said; a log may say anything, also a time to come. */
function timeOf(lastAt: string, now: string): string {
  const [said, nowMs] = [millisecondsOf(lastAt), millisecondsOf(now)];
  return Number.isNaN(said) ? now : isoSecond(Math.min(Math.max(said, 0), nowMs));
}

/**
 * Stores looks in one go; where the store refuses one of them, each by itself.
 * @throws ConsultaError UNAVAILABLE when the disk is in the way: then nothing was stored.
 */
function storeLooks(
  store: BrainStore,
  looks: readonly SourceLook[],
  note: (text: string) => void,
): number {
  try {
    return store.learn(looks);
  } catch (error) {
    if (!(error instanceof ConsultaError) || error.code !== "REFUSED") throw error;
    if (looks.length > 1) return looks.reduce((sum, it) => sum + storeLooks(store, [it], note), 0);
    note(`not learned: ${error.message}`);
    return 0;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ConsultaError) return error.message;
  return error instanceof Error ? String(error.stack) : String(error);
}
