import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { codeCache } from "../code-cache.ts";
import { Project, type Ran, recordOf } from "../dialogue/project.ts";
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

  check(by: string, ...words: string[]): Ran {
    const who = ["--session", "talk", "--participant", by];
    return this.run("check", [...who, ...words], "", {
      env: { HOME: this.home, XDG_CACHE_HOME: codeCache },
    });
  }

  replay(): Ran {
    return this.run("check", ["--session", "talk", "--replay"], "", {
      env: { HOME: this.home, XDG_CACHE_HOME: codeCache },
    });
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
    const who = [
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.org",
      "-c",
      "commit.gpgsign=false",
    ];
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", [...who, ...words], {
      cwd: this.folder,
      encoding: "utf8",
      stdio: [...stdio],
    });
  }
}

/** The record that `check --json` printed. */
export function recordIn(ran: Ran): Record<string, unknown> {
  const { record } = recordOf(ran.stdout);
  assert(isRecord(record), ran.stdout);
  return record;
}
