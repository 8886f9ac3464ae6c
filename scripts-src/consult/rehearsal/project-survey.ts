import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stopWords } from "../../base/stop-words.ts";
import { shortLine } from "../../clis/short-line.ts";
import { hasPlaceholder } from "../../collaboration/rules/conclusion-document.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { readdirSync, readFileSync, statSync } from "../../files/disk.ts";
import { orNothing } from "../../files/errno.ts";
import { removeTree } from "../../files/remove-tree.ts";
import type { RehearsalTurn } from "./scripted-peer.ts";

/** What a rehearsal sees and measures is real; only its judgement is canned. */

export interface ProjectText {
  /** In the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

const filesMax = 2_000;
const fileBytesMax = 262_144;

/** The folder that a rehearsal works in is the one that it was started in. */
export function projectOfTurn({ place }: RehearsalTurn): string {
  return place.workspace?.project ?? process.cwd();
}

/** The text files of the project outside of hidden folders, node_modules and the session itself. */
export function* projectTexts(turn: RehearsalTurn): Generator<ProjectText> {
  const project = projectOfTurn(turn);
  const folders = [project];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && path !== turn.place.folder) folders.push(path);
      if (!entry.isFile()) continue;
      seen += 1;
      if (seen > filesMax) return;
      const text = orNothing(() => textOf(path));
      if (text !== undefined) yield { path: relative(project, path).replaceAll("\\", "/"), text };
    }
  }
}

function textOf(path: string): string | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const text = size > fileBytesMax ? "\0" : readFileSync(path).toString("utf8");
  return text.includes("\0") ? undefined : text;
}

/** How many text files hold each word, in a sentence that a peer can check by counting again. */
export function countFiles(turn: RehearsalTurn, words: readonly string[]): string {
  const counts = new Map(words.map((word) => [word, 0]));
  let files = 0;
  for (const { text } of projectTexts(turn)) {
    files += 1;
    for (const [word, count] of counts) if (holds(text, word)) counts.set(word, count + 1);
  }
  const held = [...counts].map(([word, count]) => `, ${count} with "${word}"`).join("");
  return `the project has ${files} text files${held}`;
}

/** A line of the project that holds one of the words, as a claim that any script can check. */
export function citeLine(turn: RehearsalTurn, words: readonly string[]) {
  for (const word of words) {
    for (const { path, text } of projectTexts(turn)) {
      const lines = text.split("\n");
      const at = lines.findIndex((line) => holds(line, word));
      const expect = shortLine((lines[at] ?? "").trim(), 80).replace(/\.\.\.$/, "");
      if (/^[\w./-]+$/.test(path) && /[\p{L}\p{N}]/u.test(expect))
        return [{ text: `${path} speaks of "${word}"`, check: `${path}:${at + 1}`, expect }];
    }
  }
  return [];
}

function holds(text: string, word: string): boolean {
  return text.toLowerCase().includes(word.toLowerCase());
}

/** What a rehearsal assumes at first, until it measures. */
export const assumption = "one durable write takes more than 100 ms on this machine";
const writesMax = 20;
const writeBytes = 4_096;

export function measureAssumption(): { readonly isRefuted: boolean; readonly evidence: string } {
  const folder = mkdtempSync(join(tmpdir(), "consulta-rehearsal-"));
  const times = Array.from({ length: writesMax }, () => {
    const start = performance.now();
    writeFileAtomically(join(folder, "probe"), "x".repeat(writeBytes));
    return performance.now() - start;
  }).sort((one, other) => one - other);
  removeTree(folder);
  const median = times[writesMax / 2] ?? 0;
  const spread = `median ${median.toFixed(2)} ms, slowest ${(times.at(-1) ?? 0).toFixed(2)} ms`;
  const evidence = `${writesMax} durable writes of ${writeBytes} bytes in ${tmpdir()}: ${spread}`;
  return { isRefuted: median <= 100, evidence };
}

/** What a question lets one choose between, and what to look for in the project. */
export interface Options {
  readonly first: string;
  readonly second: string;
  readonly words: readonly string[];
}

const preposition = "(?:in|with|by|as|to|on|at|for|from|via|using|use|into|through)\\s+";
const upToPreposition = new RegExp(`^.*\\b${preposition}`, "i");

/** Takes "X or Y?" apart; any other question is one of a small step or the whole. */
export function optionsIn(question: string): Options {
  const [line = ""] = question.trim().split("\n");
  const [, left = "", right = ""] = /^(.*\S)\s(?:or|\u0438\u043b\u0438)\s+(.*)$/iu.exec(line) ?? [];
  const [end = ""] = right.split(/[?!;]|\.(?:\s|$)/);
  const isPhrase = upToPreposition.test(left);
  const first = plain(isPhrase ? left.replace(upToPreposition, "") : lastWord(left));
  const second = plain(end.trim().replace(new RegExp(`^${preposition}`, "i"), ""));
  const words = [first, second];
  // Words that stand for something missing cannot be quoted in any document.
  const isOpen = words.includes("") || first === second || hasPlaceholder(words.join(" "));
  return isOpen || /^not\b/i.test(second)
    ? { first: "a small first version", second: "the whole at once", words: tellingWords(line) }
    : { first, second, words };
}

function lastWord(text: string): string {
  return text.split(/\s+/).at(-1) ?? "";
}

function plain(text: string): string {
  return withoutQuotes(text, 60).replace(/[,.:]+$/, "");
}

/** Somebody's words on one line, ready to be put in quotes. */
export function withoutQuotes(text: string, charactersMax = 160): string {
  return shortLine(text.replace(/["\u00ab\u00bb\u201c\u201d`]/g, ""), charactersMax);
}

/** The longest words of a question say most. */
export function tellingWords(question: string): string[] {
  const all = question.toLowerCase().match(/[\p{L}\p{N}_]{4,30}/gu) ?? [];
  const words = [...new Set(all)].filter((word) => !stopWords.has(word) && !hasPlaceholder(word));
  return words.sort((one, other) => other.length - one.length).slice(0, 3);
}
