/** Measures what prompts bring up and writes the figures into docs/brain.md: `npm run relevance`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../scripts-src/brain/store/brain-store.ts";
import {
  codingMemories,
  measureRelevance,
  shuffledMemories,
  storeCodingMemories,
} from "../test/brain/coding-fixture.ts";
import { type LanguageFigures, measureLanguages } from "../test/brain/languages-fixture.ts";
import { makeScratchFolder, removeFolder } from "../test/scratch-folder.ts";

const page = "docs/brain.md";
const [begin, end] = ["<!-- relevance: npm run relevance -->", "<!-- relevance: end -->"];
const shuffledCount = 6_000;
const names = {
  en: "English",
  ru: "Russian",
  de: "German",
  zh: "Chinese",
  ja: "Japanese",
} as const;

await writeFigures();

async function writeFigures(): Promise<void> {
  const folder = makeScratchFolder();
  let stores = 0;
  const open = () => openStore(join(folder, String(stores++)));
  const store = await open();
  storeCodingMemories(store);
  const coding = measureRelevance(store, "report");
  store.memories.load(shuffledMemories(shuffledCount));
  const among = measureRelevance(store, "report");
  store.close();
  const heldOut = await measureLanguages("held-out", open);
  const tuning = await measureLanguages("tuning", open);
  removeFolder(folder);
  const lines = [
    `In a project of ${codingMemories.length} memories, in English, asked what nothing was tuned by:`,
    `${coding.found} of ${coding.onTopic} prompts were given the memory that answers them, ${coding.shownRightly} of the ${coding.shown} memories given were right, and of ${coding.offTopic} prompts`,
    `about something else ${coding.falseAlarms.length} were given any; ${among.falseAlarms.length} beside ${shuffledCount.toLocaleString("en")} memories made of the same words.`,
    "",
    "| while the first memories are stored | written before tuning | tuned by |",
    "| --- | --- | --- |",
    ...rowsOf(heldOut, tuning),
  ];
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(`${begin}\n`);
  const [, after = ""] = rest.split(end);
  writeFileSync(page, [before, begin, "\n\n", lines.join("\n"), "\n\n", end, after].join(""));
}

function rowsOf(heldOut: LanguageFigures, tuning: LanguageFigures): string[] {
  const both = (name: string, value: (figures: LanguageFigures) => string) =>
    `| ${name} | ${value(heldOut)} | ${value(tuning)} |`;
  return [
    both("found, among 1 to 9 memories", ({ found, asked }) => percent(found[0], asked[0])),
    both("found, among 10 to 30", ({ found, asked }) => percent(found[1], asked[1])),
    both("among 30, by language", languagesOf),
    both("about something else, and given any", ({ offTopic, offTopicFired }) =>
      outOf(offTopicFired.length, offTopic),
    ),
    both("the project's words, but no answer, and given any", (figures) =>
      outOf(figures.unansweredFired.length, figures.unanswered),
    ),
  ];
}

function languagesOf({ byLanguage }: LanguageFigures): string {
  return [...byLanguage]
    .map(([code, { found, asked }]) => `${nameOf(code)} ${percent(found, asked)}`)
    .join(", ");
}

function nameOf(code: string): string {
  return Object.entries(names).find(([name]) => name === code)?.[1] ?? code;
}

function percent(count: number, of: number): string {
  return `${Math.round((100 * count) / of)} %`;
}

function outOf(count: number, of: number): string {
  return `${count} of ${of}`;
}
