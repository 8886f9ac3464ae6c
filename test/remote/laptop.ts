import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Project, type Ran } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** A clone of the project on a machine of its own: its user's home is another. */
export class Laptop extends Project {
  readonly home: string;

  /** What its user's environment has beside ours. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(
    url: string,
    settings: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const home = join(makeScratchFolder(), "home");
    const folder = join(home, "project");
    mkdirSync(home, { recursive: true });
    for (const setting of settings) setForUser(home, setting);
    const env = { ...process.env, HOME: home };
    execFileSync("git", ["clone", "--quiet", url, folder], { cwd: home, env });
    super(folder);
    this.home = home;
    this.environment = { HOME: home, ...environment };
  }

  /** Sets something for git as this machine's user: `name=value`. */
  set(setting: string): void {
    setForUser(this.home, setting);
  }

  override run(script: string, args: string[], input = "", options = {}): Ran {
    const variables = "env" in options ? Object(options.env) : {};
    return super.run(script, args, input, { ...options, env: { ...this.#own, ...variables } });
  }

  get #own(): NodeJS.ProcessEnv {
    // As it is now: a server with certificates of its own takes it away.
    const { GIT_SSL_CAINFO } = process.env;
    return { GIT_SSL_CAINFO, ...this.environment };
  }

  /** Starts a script as a process of this machine's user. */
  begin(script: string, args: string[], input = "", more: Record<string, string> = {}) {
    return this.start(script, args, input, { ...this.#own, ...more });
  }

  /** Runs what must succeed; gives what it prints. */
  done(script: string, args: string[], input = ""): string {
    const ran = this.run(script, args, input);
    assert.equal(ran.code, 0, `${script} ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
    return ran.stdout;
  }

  log(session: string): string {
    return readFileSync(this.path("sessions", session, "events.jsonl"), "utf8");
  }
}

/** Has a shell of this machine run the line that a script on another one printed last, as a person pastes it. */
export function runPrinted({ folder, home }: Laptop, printed: string): string {
  const line = printed.trimEnd().split("\n").at(-1) ?? "";
  const env = { ...process.env, HOME: home };
  return execFileSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" });
}

/** Runs it again, as its line says, until what it needs can be reached. */
export async function runUntilReached(run: () => Ran): Promise<Ran> {
  const untilMs = performance.now() + 60_000;
  for (;;) {
    const ran = run();
    if (ran.code !== 4 || performance.now() > untilMs) return ran;
    await sleep(500);
  }
}

function setForUser(home: string, setting: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([\s\S]*)$/.exec(setting) ?? [];
  execFileSync("git", ["config", "--file", join(home, ".gitconfig"), name, value]);
}
