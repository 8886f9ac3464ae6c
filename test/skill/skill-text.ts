import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A command line of a skill's text, and the files that the text has its reader write before. */
export interface Step {
  readonly line: string;
  readonly files: readonly (readonly [path: string, text: string])[];
}

/** What a reader of this Markdown file writes and types, in order. */
export function stepsOf(file: string): Step[] {
  const steps: Step[] = [];
  let files: [string, string][] = [];
  const written = /`([^`\s]+)`:\n\n```(?:markdown|json)\n([\s\S]*?)```/.source;
  const typed = /```bash\n([\s\S]*?)```/.source;
  const parts = readFileSync(file, "utf8").matchAll(new RegExp(`${written}|${typed}`, "g"));
  for (const [, path, text = "", line] of parts) {
    if (path !== undefined) files.push([path, text]);
    if (line === undefined) continue;
    steps.push({ line: line.trim(), files });
    files = [];
  }
  return steps;
}

/** Writes the files of a step, as an agent does with its own tool. */
export function writeFiles(project: string, { files }: Pick<Step, "files">): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

/** What a script printed: the forms below `next:`, the file that one goes into, and the commands. */
export interface Printed {
  readonly forms: readonly { readonly purpose: string; readonly text: string }[];
  readonly file: string | undefined;
  readonly first: readonly string[];
  readonly command: string | undefined;
}

export function readPrinted(out: string): Printed {
  const lines = out.split("\n");
  const from = lines.findIndex((line) => line.startsWith("next: "));
  const forms: { purpose: string; text: string }[] = [];
  let file: string | undefined;
  for (const line of from < 0 ? [] : lines.slice(from)) {
    const [, purpose] = /^(?:next|or): (.*):$/.exec(line) ?? [];
    const [, named] = /^write it to (.+), then run:$/.exec(line) ?? [];
    if (line.startsWith("node ")) return { forms, file, first: firstIn(lines), command: line };
    file ??= named;
    const last = forms.at(-1);
    if (purpose !== undefined) forms.push({ purpose, text: "" });
    else if (last !== undefined && named === undefined) last.text += `${line}\n`;
  }
  return { forms, file: undefined, first: [], command: undefined };
}

/** The commands between `first, run:` and what comes after them. */
function firstIn(lines: readonly string[]): string[] {
  const from = lines.indexOf("first, run:");
  const rest = from < 0 ? [] : lines.slice(from + 1);
  return rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith("node ")),
  );
}

/** The file, the first form and the line of what a script printed below `next:`, where it wants a text. */
export function printedDraft(out: string) {
  const { forms, file, command: line } = readPrinted(out);
  const draft = forms[0]?.text;
  return draft === undefined || file === undefined || line === undefined
    ? undefined
    : { draft, file, line };
}
