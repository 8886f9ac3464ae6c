import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { runTyped } from "../typed-line.ts";

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A home with a project in it that has one skill where its text names the scripts, and nothing else of ours. */
export class SkillProject {
  readonly home = makeScratchFolder();
  readonly folder: string;
  readonly environment: Record<string, string | undefined>;

  constructor(skill: string, folder = "project") {
    this.folder = join(this.home, folder);
    this.environment = {
      ...{ PATH: process.env["PATH"], HOME: this.home, XDG_CACHE_HOME: codeCache },
    };
    mkdirSync(join(this.folder, ".agents/skills"), { recursive: true });
    cpSync(`skills/${skill}`, join(this.folder, ".agents/skills/consulta"), { recursive: true });
  }

  shell(line: string): Ran {
    const {
      code,
      stdout: out,
      stderr: err,
    } = runTyped(line, {
      cwd: this.folder,
      env: this.environment,
    });
    return { code, out, err };
  }

  /** Runs a line beside others. */
  begin(line: string, program = "bash"): Promise<Ran> {
    const child = spawn(program, ["-c", line], { cwd: this.folder, env: this.environment });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
    });
    return new Promise((settle) => child.on("close", (code) => settle({ code, out, err })));
  }

  /** Runs what must end with one of these codes; all that it printed. */
  check(line: string, codes: readonly number[] = [0]): string {
    return printedBy(line, this.shell(line), codes);
  }
}

export function printedBy(
  line: string,
  { code, out, err }: Ran,
  codes: readonly number[] = [0],
): string {
  assert(codes.includes(code ?? -1), `${line}\nexit ${code}\n${out}\n${err}`);
  return `${out}${err}`;
}
