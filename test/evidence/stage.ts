import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { codeCache } from "../code-cache.ts";
import { Project, type Ran, recordOf } from "../dialogue/project.ts";
import { git } from "../findings/worktree.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** A project with a file, a home of its own, and an open dialogue of claude and gemini about it. */
export class Stage extends Project {
  readonly home = makeScratchFolder();

  constructor() {
    super();
    this.write("src/cache.ts", "// How long.\nconst ttl = 60;\nexport { ttl };\n");
    this.open("talk");
    this.say("talk", "claude", {
      type: "REQUEST",
      question_or_proposal: { content: "Which ttl should the cache use?" },
    });
  }

  write(path: string, text: string | Uint8Array): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** The user's own settings. */
  allow(...checks: string[][]): void {
    mkdirSync(join(this.home, ".consulta"), { recursive: true, mode: 0o700 });
    const text = `checks: ${JSON.stringify(checks)}\n`;
    writeFileSync(join(this.home, ".consulta", "config.yaml"), text, { mode: 0o600 });
  }

  /** The variables of this project's user, with others. */
  variables(more: Record<string, string> = {}): Record<string, string> {
    return { HOME: this.home, XDG_CACHE_HOME: codeCache, ...more };
  }

  check(by: string, ...words: string[]): Ran {
    return this.checkWith({}, by, ...words);
  }

  checkWith(env: Record<string, string>, by: string, ...words: string[]): Ran {
    const who = ["--session", "talk", "--participant", by];
    return this.run("check", [...who, ...words], "", { env: this.variables(env) });
  }

  replay(): Ran {
    const words = ["--session", "talk", "--replay"];
    return this.run("check", words, "", { env: this.variables() });
  }

  /** What gemini answers with claims. */
  answer(...claims: JsonObject[]): Ran {
    return this.send("talk", "gemini", {
      type: "RESPONSE",
      position: "60 seconds, as it is",
      question_or_proposal: { content: "It is 60 now, and nothing speaks against it." },
      confidence: 0.8,
      claims,
    });
  }

  records(): Record<string, unknown>[] {
    return this.events("talk").flatMap(({ event, record }) =>
      event === "evidence" && isRecord(record) ? [record] : [],
    );
  }

  git(...words: string[]): string {
    return git(this.folder, ...words);
  }

  /** Makes the project a repository with one commit of these files; returns its hash. */
  commit(...paths: string[]): string {
    this.git("init", "-q", "-b", "main");
    this.git("add", ...paths);
    this.git("commit", "-qm", "one");
    return this.git("rev-parse", "HEAD");
  }
}

/** The record that `check --json` printed. */
export function recordIn(ran: Ran): Record<string, unknown> {
  const { record } = recordOf(ran.stdout);
  assert(isRecord(record), ran.stdout);
  return record;
}
