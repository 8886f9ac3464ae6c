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
  [/^fill in or cut "(?:- )?<?TBD\b/, (text) => text.replace(/<?TBD\b.*$/gm, "It is so.")],
  [/^is missing; write it$/, () => "# Written anew\n"],
  [
    /line (".*") must become (".*")(?: \(for |$)/,
    (text, [, before = "", after = ""]) => replaceLine(text, unquoted(before), filled(after)),
  ],
  [
    /^(?:its )?line "(.*)" must become "([^"]*)"/,
    (text, [, before = "", after = ""]) => text.replace(before, after),
  ],
  [
    /^needs a line "(.*)" below its title$/,
    (text, [, line = ""]) => text.replace("\n", `\n${line}\n`),
  ],
  [/write the line (".*")$/, (text, [, line = ""]) => `${text}${unquoted(line)}\n`],
  [
    /^exactly one line must be (".*"); none came$/,
    (text, [, line = ""]) => `${text}${filled(line)}\n`,
  ],
  [
    /^write what is true in place of TBD, TODO, unresolved or \S+, in \d+ lines/,
    (text) => text.replace(/<TBD.*>|\bTBD\b|\bTODO\b|\bunresolved\b/gi, "It is so"),
  ],
  [
    /^the section (".*") is missing; write it$/,
    (text, [, heading = ""]) => `${text}\n${unquoted(heading)}\n\nAs agreed.\n`,
  ],
  [
    /^the section (".*") is empty; write it$/,
    (text, [, heading = ""]) => replaceLine(text, unquoted(heading), `${unquoted(heading)}\n\nSo.`),
  ],
  [/^name the primary deliverable: (.*)$/, (text, [, path = ""]) => `${text}\nSee ${path}.\n`],
];

/** A line with words in each of its blanks, of choices the first. */
function filled(said: string): string {
  return unquoted(said).replace(/<([^<>]+)>/g, (_, hint: string) =>
    hint.includes("|") ? (hint.split("|")[0] ?? "") : "As agreed",
  );
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
