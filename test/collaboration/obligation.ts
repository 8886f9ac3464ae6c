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
    /^needs the line (".*")$/,
    (text, [, line = ""]) =>
      line.startsWith('"Status:')
        ? text.replace("\n", `\n${unquoted(line)}\n`)
        : `${text}\n${filled(line)}\n\nAs agreed.\n`,
  ],
  [
    /section must not be empty when frozen: (.*)$/,
    (text, [, section = ""]) => replaceLine(text, `## ${section}`, `## ${section}\n\nSo.`),
  ],
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
