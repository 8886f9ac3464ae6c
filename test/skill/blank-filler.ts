import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { runTyped } from "../typed-line.ts";
import { type Printed, readPrinted } from "./skill-text.ts";

/**
 * A participant that can do nothing but fill in blanks. It reads what `next-action` prints, takes a
 * form, writes words, a number or the first choice into each `<...>`, and runs the command that is printed.
 */
export class BlankFiller {
  readonly rejected: string[] = [];
  readonly did: string[] = [];
  readonly #project: string;
  readonly #environment: Record<string, string | undefined>;
  #texts = 0;

  constructor(project: string, home: string) {
    this.#project = project;
    this.#environment = { PATH: process.env["PATH"], HOME: home, XDG_CACHE_HOME: codeCache };
  }

  /** Runs a command as it is printed; a rejection is kept. */
  type(line: string): string {
    const place = { cwd: this.#project, env: this.#environment };
    const { code, stdout, stderr } = runTyped(line, place);
    if (code !== 0 && code !== 1) this.rejected.push(`${line}\nexit ${code}: ${stderr}`);
    return stdout;
  }

  /** Each participant in turn, until none has anything to do any more. `pick` prefers a form by its purpose. */
  play(
    where: string,
    names: readonly string[],
    pick: (purpose: string) => boolean = () => true,
  ): void {
    const seen = new Map<string, string>();
    for (let round = 0; round < 30; round += 1) {
      const acted = names.filter((name) => {
        const look = `node ${scriptPath("next-action")} ${where} --participant ${name}`;
        const out = this.type(look);
        const isNews = seen.get(name) !== withoutTimes(out);
        seen.set(name, withoutTimes(out));
        if (isNews) this.#fillDocuments(out);
        return isNews && this.#answer(name, readPrinted(out), pick);
      });
      if (acted.length === 0 || this.rejected.length > 0) return;
    }
    this.rejected.push("no end");
  }

  #answer(
    name: string,
    { forms, file, first, command }: Printed,
    pick: (purpose: string) => boolean,
  ) {
    const form = forms.find(({ purpose }) => pick(purpose)) ?? forms[0];
    if (form === undefined || command === undefined) return false;
    for (const line of first) {
      this.type(this.fill(line));
      this.did.push(`${name} ran check ${/--claim (\S+)/.exec(line)?.[1] ?? "of its own"}`);
    }
    if (file !== undefined) this.#write(file, this.fill(form.text));
    this.did.push(`${name}: ${form.purpose}`);
    this.type(this.fill(command));
    return true;
  }

  /** In each document that is named, lines become what they must, and blanks are filled in. */
  #fillDocuments(out: string): void {
    const folder = /^documents: in (.+)$/m.exec(out)?.[1] ?? "";
    for (const [, name = "", wanted = ""] of out.matchAll(/^required: (\S+\.md): (.*)$/gm)) {
      const file = join(folder, name);
      const [, before, after] = /line (".*") must become (".*")$/.exec(wanted) ?? [];
      const text = readFileSync(join(this.#project, file), "utf8");
      const changed = before && after ? text.replace(JSON.parse(before), JSON.parse(after)) : text;
      this.#write(file, this.fill(changed));
    }
  }

  fill(text: string): string {
    return text.replace(/<([^<>\n]+)>/g, (_, hint: string) => {
      if (hint === "0..1") return "0.9";
      const [choice = "", ...others] = hint.split("|");
      this.#texts += 1;
      return others.length > 0 ? choice : `text ${this.#texts}`;
    });
  }

  #write(file: string, text: string): void {
    const path = join(this.#project, file);
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function withoutTimes(out: string): string {
  return out.replace(/^(?:<<<|>>>) \w+/gm, "").replace(/\b\d+ (?:s|min)\b/g, "");
}
