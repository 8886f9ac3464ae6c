import assert from "node:assert/strict";

/** The text of a document once an obligation of `next-action` is met, as a willing reader meets it. */
export function meet(owed: string, text: string): string {
  const way = ways.find(([pattern]) => pattern.test(owed));
  assert(way !== undefined, `nobody could know what to do: ${owed}`);
  const [pattern, change] = way;
  const met = change(text, pattern.exec(owed) ?? [owed]);
  assert.notEqual(met, text, `nothing changes: ${owed}`);
  return met;
}

type Change = (text: string, words: readonly string[]) => string;

const ways: [RegExp, Change][] = [
  [
    /^fill in or cut "(?:- )?TBD\b/,
    (text) => text.replace(/^(\s*(?:[-*] )?)TBD\b.*$/gm, "$1It is so."),
  ],
  [/^is missing; write it$/, () => "# Written anew\n"],
  [
    /^line (".*") must (?:become \[resolved\]|be settled|say what is true|end with)/,
    (text, [, said = ""]) =>
      replaceLine(text, `- ${unquoted(said)}`, "- [resolved] It is settled."),
  ],
  [
    /^(?:its )?line "(.*)" must become "([^"]*)"/,
    (text, [, before = "", after = ""]) => text.replace(before, after),
  ],
  [
    /^needs a line "(.*)" below its title$/,
    (text, [, line = ""]) => text.replace("\n", `\n${line}\n`),
  ],
  [/^gate is not checked: once it is met, write the line (".*")$/, checkGate],
  [
    /^exactly one line must be one of "- \[proceed\] why".*found \[blocked\]$/,
    (text) => text.replace(/^- \[blocked\].*$/m, "- [proceed] Everybody agrees."),
  ],
  [
    /^write what is true in place of TBD, TODO, unresolved or \S+, in \d+ lines/,
    (text) => text.replace(/\bTBD\b|\bTODO\b|\bunresolved\b/gi, "It is so"),
  ],
  [
    /^(?:the )?section (".*") is missing$/,
    (text, [, heading = ""]) => `${text}\n${unquoted(heading)}\n\nAs agreed.\n`,
  ],
  [
    /^the section (".*") is empty; write it$/,
    (text, [, heading = ""]) => replaceLine(text, unquoted(heading), `${unquoted(heading)}\n\nSo.`),
  ],
  [/^name the primary deliverable: (.*)$/, (text, [, path = ""]) => `${text}\nSee ${path}.\n`],
];

function checkGate(text: string, [, said = ""]: readonly string[]): string {
  const checked = unquoted(said);
  const open = checked.replace("- [x]", "- [ ]");
  return text.includes(open) ? replaceLine(text, open, checked) : `${text}${checked}\n`;
}

function replaceLine(text: string, before: string, after: string): string {
  const lines = text.split("\n");
  return lines.map((line) => (line.startsWith(before) ? after : line)).join("\n");
}

function unquoted(said: string): string {
  const value: unknown = JSON.parse(said);
  assert(typeof value === "string");
  return value;
}
