import { ConsultaError } from "../../scripts-src/base/errors.ts";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import type {
  BrainEvent,
  BrainStore,
  EventDraft,
  ForgetResult,
  Forgetting,
  Injection,
  LoadResult,
  Match,
  Memory,
  MemoryDraft,
  PastInjection,
  Snapshot,
  SourceLook,
  StoreOutcome,
  StoreStats,
} from "../../scripts-src/brain/rules/brain-store.ts";
import {
  echoesCompared,
  echoOf,
  repeatTest,
} from "../../scripts-src/brain/rules/echo-detection.ts";
import { brainLimits } from "../../scripts-src/brain/rules/limits.ts";
import {
  changeMemory,
  fitsPattern,
  hasText,
  holdsText,
  isByText,
  isToLearn,
  takeOver,
} from "../../scripts-src/brain/rules/memory-change.ts";
import {
  relevance,
  relevantScore,
  typicalCharacters,
  type WordCount,
} from "../../scripts-src/brain/rules/relevance.ts";
import {
  englishEverydayWords,
  indexedForms,
  type SearchWord,
  searchWords,
  subjectOf,
} from "../../scripts-src/brain/rules/search-words.ts";
import { textOf } from "../../scripts-src/brain/rules/searchable-text.ts";
import { searchedText } from "../../scripts-src/brain/rules/session-memories.ts";
import {
  boundedCount,
  boundedJson,
  checkEventDraft,
  checkForgetting,
  checkInjections,
  checkKey,
  checkMemory,
  checkMemoryDraft,
  checkSession,
  checkSnapshot,
} from "../../scripts-src/brain/rules/validate-memory.ts";

/** A store that lives as long as its process, for tests; it stems no words. */
export class InMemoryStore implements BrainStore {
  /** As JSON, so that nobody changes a memory that is stored. */
  readonly #memories = new Map<string, string>();
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #epochs = new Map<string, number>();
  readonly #compactions = new Map<string, number>();
  readonly #latches = new Map<string, string>();
  readonly #events = new Map<number, BrainEvent & { delivered: boolean }>();
  readonly #learned = new Map<string, { stamp: string; digests: string[] }>();
  #injections: (PastInjection & { echo: string | undefined })[] = [];
  #versionFloor = 0;
  #lastEvent = 0;

  store(draft: MemoryDraft, at: string): StoreOutcome {
    checkMemoryDraft(draft);
    const echo = echoOf(textOf(draft.value));
    const others = this.#injections.filter(({ subject }) => subject !== draft.key);
    const same = others.find((it) => echo !== undefined && it.echo === echo);
    const latest = this.#injections.slice(-echoesCompared).filter((it) => others.includes(it));
    const of = same ?? latest.find((it) => this.#isRepeated(it, textOf(draft.value)));
    if (of !== undefined) return { stored: false, refusal: "echo", of: of.subject };
    const held = this.retrieve(draft.key);
    const { outcome, memory } = changeMemory(held, draft, this.#versionFloor, at);
    if (memory !== undefined) this.#memories.set(draft.key, JSON.stringify(memory));
    return outcome;
  }

  #isRepeated({ reason, subject }: PastInjection, text: string): boolean {
    const injected = this.retrieve(subject);
    return (
      reason === "relevant" && injected !== undefined && repeatTest(text)(textOf(injected.value))
    );
  }

  retrieve(key: string): Memory | undefined {
    checkKey(key);
    return this.#parsed(this.#memories.get(key));
  }

  #parsed(text: string | undefined): Memory | undefined {
    return text === undefined ? undefined : JSON.parse(text);
  }

  search(query: string, limit: number): Match[] {
    const words = searchWords(query, "any");
    const all = this.#all();
    const texts = all.map(wordsOf);
    const average = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(texts.length, 1);
    const scores = texts.map(() => 0);
    for (const word of words) {
      const counts = texts.map((text) => text.filter((it) => word.forms.includes(it)).length);
      const holders = counts.filter((count) => count > 0).length;
      const rarity = Math.max(Math.log((all.length - holders + 0.5) / (holders + 0.5)), 1e-6);
      for (const [index, count] of counts.entries()) {
        const length = (texts[index]?.length ?? 0) / Math.max(average, 1);
        const weight = (count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
        scores[index] = (scores[index] ?? 0) + rarity * weight;
      }
    }
    return all
      .map((memory, index) => ({ ...memory, score: scores[index] ?? 0 }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, boundedCount(limit));
  }

  relevant(prompt: string, session: string): Match[] {
    const all = searchWords(prompt, "telling").map((word) => this.#countOf(word));
    if (all.length < relevance.wordsMin) return [];
    const epoch = this.#epochOf(session);
    const known = (match: Match) =>
      this.#injections.some(
        (it) =>
          ["relevant", "own"].includes(it.reason) &&
          it.session === session &&
          it.epoch === epoch &&
          it.subject === match.key &&
          it.version === match.version,
      );
    const matches = this.search(prompt, brainLimits.memoriesListed);
    const lengths = matches.map((match) => searchedText(match).length);
    const charactersTypical = typicalCharacters(lengths);
    return matches
      .flatMap((match, index) => {
        if (known(match)) return [];
        const rest = { all, memories: this.#memories.size, charactersTypical };
        const held = all.filter(({ forms }) => holdsAny(match, forms));
        const whole = { ...rest, held, characters: lengths[index] ?? 0 };
        const about = { ...match, value: "" };
        const subject = () => ({
          ...rest,
          held: held.filter(({ forms }) => holdsAny(about, forms)),
          characters: subjectOf(match).length,
        });
        const score = relevantScore(whole, subject, relevance.factor);
        return score === undefined ? [] : [{ ...match, score }];
      })
      .sort((one, other) => other.score - one.score)
      .slice(0, brainLimits.relevantMemories);
  }

  #countOf({ forms, isEveryday }: SearchWord): WordCount & SearchWord {
    const memories = this.#all().filter((memory) => holdsAny(memory, forms)).length;
    const isCommon = isEveryday || forms.some((form) => englishEverydayWords.includes(form));
    return { forms, memories, isEveryday: isCommon };
  }

  list(prefix: string, limit: number, after?: string): Memory[] {
    return this.#all()
      .filter(({ key }) => key.startsWith(prefix) && (after === undefined || order(after, key) < 0))
      .slice(0, boundedCount(limit));
  }

  #all(): Memory[] {
    return [...this.#memories.keys()].sort(order).flatMap((key) => this.retrieve(key) ?? []);
  }

  remove(key: string): boolean {
    const memory = this.retrieve(key);
    if (memory === undefined) return false;
    this.#memories.delete(key);
    this.#versionFloor = Math.max(this.#versionFloor, memory.version);
    this.#injections = this.#injections.filter(
      ({ subject, reason }) => subject !== key || !["relevant", "own"].includes(reason),
    );
    return true;
  }

  forget(what: Forgetting): ForgetResult {
    checkForgetting(what);
    const memories = this.#all().filter((memory) =>
      isByText(what) ? holdsText(memory, what.text) : fitsPattern(memory.key, what.keys),
    );
    for (const { key } of memories) this.remove(key);
    if (!isByText(what)) return { memories: memories.length, snapshots: 0, events: 0 };
    this.#injections = this.#injections.filter(({ subject }) => !hasText(subject, what.text));
    const snapshots = [...this.#snapshots.values()].filter(({ content }) =>
      hasText(textOf(content), what.text),
    );
    for (const { session } of snapshots) this.#snapshots.delete(session);
    const events = [...this.#events.values()].filter(({ text, source }) =>
      hasText(`${text}\n${source}`, what.text),
    );
    for (const { id } of events) this.#events.delete(id);
    return { memories: memories.length, snapshots: snapshots.length, events: events.length };
  }

  load(memories: readonly Memory[]): LoadResult {
    for (const memory of memories) checkMemory(memory);
    let [added, replaced] = [0, 0];
    for (const memory of memories) {
      const held = this.retrieve(memory.key);
      const taken = takeOver(held, memory, this.#versionFloor);
      if (taken === undefined) continue;
      this.#memories.set(taken.key, JSON.stringify(taken));
      if (held === undefined) added += 1;
      else replaced += 1;
    }
    return { added, replaced, kept: memories.length - added - replaced };
  }

  learn(looks: readonly SourceLook[]): number {
    for (const { learnings } of looks) for (const { draft } of learnings) checkMemoryDraft(draft);
    let stored = 0;
    for (const { source, stamp, learnings } of looks) {
      const digests = [...(this.#learned.get(source)?.digests ?? [])];
      for (const learning of learnings) {
        const { digest, draft, at } = learning;
        const isNew = isToLearn(learning, digests, this.retrieve(draft.key));
        if (isNew && this.store(draft, at).stored) stored += 1;
        if (!digests.includes(digest)) digests.push(digest);
      }
      this.#learned.set(source, { stamp, digests });
    }
    return stored;
  }

  learnedStamps(): ReadonlyMap<string, string> {
    return new Map([...this.#learned].map(([source, { stamp }]) => [source, stamp]));
  }

  markInjected(session: string, injections: readonly Injection[], at: string): void {
    checkSession(session);
    checkInjections(injections);
    for (const injection of injections) {
      const value = this.retrieve(injection.subject)?.value;
      const isEcho = injection.reason === "relevant" && value !== undefined;
      const echo = isEcho ? echoOf(textOf(value)) : undefined;
      this.#injections.push({ ...injection, session, epoch: this.#epochOf(session), at, echo });
    }
    this.#injections = this.#injections.slice(-brainLimits.injections);
  }

  injections(limit: number, session?: string): PastInjection[] {
    return this.#injections
      .filter((injection) => session === undefined || injection.session === session)
      .reverse()
      .slice(0, boundedCount(limit))
      .map(({ echo: _, ...injection }) => injection);
  }

  beginEpoch(session: string): void {
    checkSession(session);
    this.#epochs.set(session, this.#epochOf(session) + 1);
  }

  #epochOf(session: string): number {
    return this.#epochs.get(session) ?? 0;
  }

  saveSnapshot(snapshot: Snapshot): void {
    checkSnapshot(snapshot);
    const { session } = snapshot;
    const merged = { ...this.#snapshots.get(session)?.content, ...snapshot.content };
    const content = JSON.parse(boundedJson(merged, brainLimits.snapshotBytes, "the snapshot"));
    this.#snapshots.delete(session);
    this.#snapshots.set(session, { ...snapshot, content });
  }

  snapshotOf(session: string): Snapshot | undefined {
    return structuredClone(this.#snapshots.get(session));
  }

  snapshots(limit: number): Snapshot[] {
    const all = [...this.#snapshots.values()].reverse();
    return structuredClone(all.sort((one, other) => order(other.at, one.at))).slice(
      0,
      boundedCount(limit),
    );
  }

  latestSnapshot(exceptSession: string, since: string): Snapshot | undefined {
    const others = [...this.#snapshots.values()].filter(
      ({ session, at }) => session !== exceptSession && at >= since,
    );
    return structuredClone(others.sort((one, other) => order(one.at, other.at)).at(-1));
  }

  saveLatches(session: string, latches: JsonObject): void {
    checkSession(session);
    this.#latches.set(session, boundedJson(latches, brainLimits.latchesBytes, "the latches"));
  }

  latches(session: string): JsonObject | undefined {
    const text = this.#latches.get(session);
    return text === undefined ? undefined : JSON.parse(text);
  }

  saveCompaction(of: string, tokens: number): void {
    this.#compactions.set(of, tokens);
  }

  compaction(of: string): number | undefined {
    return this.#compactions.get(of);
  }

  saveEvent(event: EventDraft, at: string): number {
    checkEventDraft(event);
    const pending = [...this.#events.values()].filter(({ delivered }) => !delivered);
    if (pending.length >= brainLimits.eventsPending) {
      throw new ConsultaError("UNAVAILABLE", `${pending.length} events wait for a session`);
    }
    this.#lastEvent += 1;
    const { session, ...rest } = event;
    const addressed = session === undefined ? rest : { ...rest, session };
    this.#events.set(this.#lastEvent, { ...addressed, id: this.#lastEvent, at, delivered: false });
    return this.#lastEvent;
  }

  pendingEvents(session: string): BrainEvent[] {
    return [...this.#events.values()]
      .filter((it) => !it.delivered && (it.session ?? session) === session)
      .map(({ delivered: _, ...event }) => event);
  }

  awaited(): (string | null)[] {
    const waiting = [...this.#events.values()].filter(({ delivered }) => !delivered);
    return [...new Set(waiting.map(({ session }) => session ?? null))];
  }

  markDelivered(_session: string, events: readonly number[]): void {
    for (const id of events) {
      const event = this.#events.get(id);
      if (event !== undefined) event.delivered = true;
    }
  }

  backUp(): void {
    // It is gone with its process anyway.
  }

  stats(): StoreStats {
    return {
      memories: this.#memories.size,
      snapshots: this.#snapshots.size,
      eventsPending: [...this.#events.values()].filter(({ delivered }) => !delivered).length,
      injections: this.#injections.length,
      bytes: 0,
      setAside: [],
    };
  }

  close(): void {}
}

/** All words of a memory, each as often as it stands there. */
function wordsOf(memory: Memory): string[] {
  const { key, tags } = memory;
  const text = [key, searchedText(memory), ...tags].join(" ");
  return [...text.split(/[^\p{L}\p{N}\p{M}]+/u), ...indexedForms(text)].map((word) =>
    word.toLowerCase(),
  );
}

function holdsAny(memory: Memory, forms: readonly string[]): boolean {
  const text = ` ${wordsOf(memory).join(" ")} `;
  return forms.some((form) => text.includes(` ${form} `));
}

/** The order of code points, which is that of UTF-8. */
function order(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
