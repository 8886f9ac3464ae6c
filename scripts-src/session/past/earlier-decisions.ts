import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { findSecret } from "../../base/secrets.ts";
import { millisecondsOf } from "../../base/time.ts";
import { pairsOf, stopWords, unspaced } from "../../base/words.ts";
import { staleOf, staleText } from "../../evidence/recheck.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { orNothing, orNothingAsync } from "../../files/disk.ts";
import { firstLine, isCreatedLocally } from "../../log/created-locally.ts";
import type { Place } from "../place.ts";
import { logOf } from "../session-list.ts";
import { type SessionFolder, sessionFolders } from "../workspace/sessions-elsewhere.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { endedSession } from "./outcome.ts";

/** How a session that has ended answered the question that a new one asks. */
export interface EarlierDecision {
  readonly place: Place;
  readonly topic: string;
  /** ISO date, or that nobody knows it. */
  readonly date: string;
  /** Whether it was left to nobody else. */
  readonly decided: boolean;
  /** How it came about: words of ours. */
  readonly outcome: string;
  /** What its participants said: data. */
  readonly text: string;
}

/**
 * How sessions of the workspace, and those joined from it, ended whose topic is that of another one, the newest
 * first. Topics are compared by the first bytes of each session; only what is alike is loaded. What cannot be
 * read is left out, and what nobody began or joined here: it may be a clone's.
 */
export async function earlierDecisions(
  workspace: Workspace,
  { folder, topic }: { readonly folder: string; readonly topic: string },
  clock: Clock,
): Promise<EarlierDecision[]> {
  const others = sessionFolders(workspace).filter((it) => it.folder !== folder);
  if (others.length === 0) return [];
  const isAlike = topicMatcher(topic);
  const alike = newest(others, limits.comparedSessions).filter((it) => {
    const isOurs = it.name === it.folder || isCreatedLocally(it.folder);
    return isAlike(topicIn(it.folder) ?? "") && isOurs;
  });
  const found: (EarlierDecision & { atMs: number })[] = [];
  for (const other of newest(alike, limits.likeSessions)) {
    const decision = await orNothingAsync(() => decisionOf(other.place(), clock));
    if (decision !== undefined) found.push(decision);
  }
  return found
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, limits.earlierDecisions)
    .map(({ atMs: _, ...decision }) => decision);
}

async function decisionOf(place: Place, clock: Clock) {
  const ended = await endedSession(place, clock, "state");
  const decision = ended?.conclusions.find(({ what }) => ["decision", "undecided"].includes(what));
  if (ended === undefined || decision === undefined) return undefined;
  const { topic, date, lastAt, restsOn } = ended;
  // Only of a session in a workspace it is known which project its records are about.
  const stale = place.workspace && staleText(staleOf(restsOn, place.workspace.project));
  const outcome = [decision.outcome, ...(stale === undefined ? [] : [stale])].join("; ");
  const secret = findSecret(`${topic}\n${decision.text}`);
  return {
    ...{ place, date, outcome, decided: decision.what === "decision" },
    topic: secret === undefined ? topic : "",
    text: secret === undefined ? decision.text : `left out: it looks like ${secret}`,
    atMs: millisecondsOf(lastAt) || 0,
  };
}

/** Of many sessions those whose logs changed last. */
function newest(sessions: readonly SessionFolder[], max: number): readonly SessionFolder[] {
  if (sessions.length <= max) return sessions;
  const dated = sessions.map((it) => ({ it, atMs: logOf(it.folder)?.changedMs ?? 0 }));
  return dated
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, max)
    .map(({ it }) => it);
}

/** What a session is about: a dialogue's first event says it, else a collaboration's settings. */
function topicIn(folder: string): string | undefined {
  return orNothing(() => {
    const first = firstLine(folder);
    if (first.includes('"topic":')) return textIn(first, "topic");
    const settings = readFileIfPresent(join(folder, "protocol.json"), limits.messageBytes);
    return settings === undefined ? undefined : textIn(settings, "objective");
  });
}

function textIn(json: string, key: string): string | undefined {
  const text = parseJsonObject(json)?.[key];
  return typeof text === "string" ? text.slice(0, limits.topicCharacters) : undefined;
}

/**
 * How much of two topics has to be the same for one to be taken for the other: so many words, and these shares of
 * the shorter and of the longer one. A wrong hint costs every reader.
 */
const rules = { wordsMin: 2, shareOfShorterMin: 0.7, shareOfLongerMin: 0.35 };

/** Says of other topics whether they are the same as this one, in whatever words and order. */
export function topicMatcher(topic: string): (other: string) => boolean {
  const words = topicWords(topic);
  return (other) => isSame(words, topicWords(other));
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [shorter, longer] = one.size <= other.size ? [one, other] : [other, one];
  const shared = [...shorter].filter((word) => longer.has(word));
  // Version 14 and version 16 are two questions.
  const [few, many, both] = [[...shorter], [...longer], shared].map(
    (words) => words.filter((word) => /\p{N}/u.test(word)).length,
  );
  if (few !== 0 && many !== 0 && (both !== few || both !== many)) return false;
  const isAll = shared.length === longer.size && longer.size > 0;
  return (
    (isAll || shared.length >= rules.wordsMin) &&
    shared.length >= rules.shareOfShorterMin * shorter.size &&
    shared.length >= rules.shareOfLongerMin * longer.size
  );
}

/** The words that say what a topic is about, without accents and endings. */
export function topicWords(topic: string): ReadonlySet<string> {
  const plain = topic
    .slice(0, limits.topicCharacters)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const runs = plain.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const words = runs.flatMap(wordsIn).filter((word) => !isStop(word));
  return new Set(words.map(stemOf).slice(0, limits.topicWords));
}

/** Scripts that put no blanks between words, or write particles onto them, are read by pairs. */
function wordsIn(run: string): string[] {
  const pairs = (run.match(unspaced) ?? []).flatMap(pairsOf);
  return [...pairs, ...run.replace(unspaced, " ").split(" ").filter(Boolean)];
}

const latinEnding =
  /(?<=.{3})(?:at(?:e[sd]?|ions?|ing|ors?)|ions?|ments?|ings?|[eo]rs?|e[nds]|as|[aeios])$/;
const vowel = "[аеиоуыьэюя]";
const russianEnding = new RegExp(
  `(?<=.{3})${vowel}{0,3}(?:ни)?${vowel}?(?:[вмхй]|ми|го|му|ть)?${vowel}?$`,
);

/** A word without its ending: `planning` and `plan`, `queries` and `query` are forms of one. */
function stemOf(word: string): string {
  if (/^[a-z]+$/.test(word)) {
    const stem = word.replace(/(?<=.{3})ie[sd]$/, "y").replace(latinEnding, "");
    return stem.replace(/(?<=.{2})(.)\1$/, "$1");
  }
  return /^[\u0400-\u04ff]+$/.test(word) ? word.replace(russianEnding, "") : word;
}

/** One letter of an alphabet says nothing; a sign that stands for a word does. */
function isStop(word: string): boolean {
  return /^\p{Ll}$/u.test(word) || stopWords.has(word) || questionWords.has(word);
}

/** What questions for a decision say whatever they are about. */
const questionWords: ReadonlySet<string> = new Set(
  `best better choose chosen compare decide decided decision discuss discussion evaluate pick
    proposal propose question replace select selection strategy vs versus worth
    das dem den der des die ein eine einen einer fuer fur im ist mit oder sollen und von welche
    welcher welches wie wir zu
    al che come con dei del della delle di gli il la le lo nel per quale quali un una usare
    au aux ce ces comment dans de du est et faut les ou par pour que quel quelle quels sur une
    como cual debemos el en es las los o para que se sobre una usar y
    как какои какая какое какие какую что чтобы или для при это эти этот мы на по из от до не ли
    об за же лучше нужно надо стоит можно использовать выбрать выбор вопрос между где когда нам
    наш наша наше под без`.split(/\s+/),
);
