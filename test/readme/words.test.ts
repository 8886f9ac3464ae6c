import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { documents, root, textOf } from "./documents.ts";

/** Words that people had to look up, each with the one that they know. */
const banned: readonly [word: RegExp, instead: string][] = [
  [/\bcolleagues?\b/gi, "peer"],
  [/\bow(?:e|es|ed|ing)\b/gi, "required"],
  [/\bmend(?:s|ed|ing)?\b/gi, "fix"],
  [/\brung\b/gi, "notified"],
  [/\bacted on\b/gi, "answered"],
  [/\brefus(?:e|es|ed|als?)\b/gi, "reject"],
  [/\bseats?\b/gi, "session binding"],
  [/\binterjects?\b/gi, "add, surface"],
  [/\bway out\b/gi, "fix"],
  [/\bred flag\b/gi, "stubbornness check"],
  [/\bprogress budget\b/gi, "stall limit"],
  [/\bin its own word\b/gi, "self-reported"],
  [/\bof the seed\b|\bthe seed's\b/gi, "upstream"],
];

/** Names that stay: options, files and stored events; and quoted code, and a call in it. */
const names = /`[^`\n]*`|--(?:colleague|insist)\b|\brefused\(|^```[\s\S]*?^```/gm;

function foundIn(text: string): string[] {
  const prose = text.replace(names, "");
  return banned.flatMap(([word, instead]) =>
    [...prose.matchAll(word)].map(([it]) => `${it}: say ${instead}`),
  );
}

/** Lists of words to look for. */
const vocabulary = /domain-stop-words\.ts$/;
/** A value that programs read, and the heading that the seed has in memory files. */
const stored = /^way out$|^## Advice from colleague /;

/** The texts of a source, without its comments: those of several words. */
function textsOf(source: string): string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(
      /\/(?![*/ ])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*(?=[.,;)\s])/g,
      "PATTERN",
    );
  const quoted = /"((?:[^"\\\n]|\\.)*)"/g;
  let templates = code.replace(quoted, '""');
  for (let before = ""; before !== templates; ) {
    before = templates;
    templates = templates.replace(/\$\{[^{}]*\}/g, "X");
  }
  return [...code.matchAll(quoted), ...templates.matchAll(/`((?:[^`\\]|\\.)*)`/g)]
    .map(([, text = ""]) => text)
    .filter((text) => /[a-z] [a-z]/i.test(text) && !stored.test(text));
}

describe("the words of what ships", () => {
  // The rooms' own notes and the benchmarks' columns are for maintainers.
  const shipped = documents().filter(
    (path) => !/^scripts-src\/|^CONTRIBUTING\.md$|^docs\/benchmarks\.md$/.test(path),
  );
  for (const path of shipped) {
    it(`${path} has plain ones`, () => {
      assert.deepEqual(foundIn(textOf(path)), []);
    });
  }

  const scripts = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cjs"));
  it("so has each --help", () => {
    for (const script of scripts) {
      const words = [join(root, "dist", script), "--help"];
      const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
      assert.deepEqual(foundIn(stdout), [], script);
    }
  });

  it("so has each text that a script prints", () => {
    const sources = readdirSync(join(root, "scripts-src"), { recursive: true, encoding: "utf8" });
    for (const path of sources.filter((name) => /\.tsx?$/.test(name) && !vocabulary.test(name)))
      assert.deepEqual(textsOf(textOf(join("scripts-src", path))).flatMap(foundIn), [], path);
  });

  it("sees a word that is banned, and no name", () => {
    const place = "$" + '{owes("an answer")}';
    assert.deepEqual(textsOf(`// owes\nsay(\`you owe ${place}\`); // owed\n`), [
      ...["an answer", "you owe X"],
    ]);
    assert.deepEqual(foundIn("Your colleague owes it; `--colleague` is a name."), [
      ...["colleague: say peer", "owes: say required"],
    ]);
  });
});
