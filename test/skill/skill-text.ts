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

/** The file, the draft and the line of what a script printed below `next:`, where it wants a text. */
export function printedDraft(out: string) {
  const pattern =
    /^next: .*\n((?:(?!node |or else: ).*\n)+?)write it to (.+), then run:\n(node .+)$/m;
  const [, draft, file, line] = pattern.exec(out) ?? [];
  if (draft === undefined || file === undefined || line === undefined) return undefined;
  return { draft, file, line };
}
