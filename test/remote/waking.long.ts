import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { Machine, request, response, until } from "../wake/fake-cli.ts";
import { git, makeBareRepository } from "./git-remote.ts";

type Cli = Awaited<ReturnType<Machine["start"]>>;

/** Claude has asked on one machine, where its hook waits; Gemini has joined on another. */
async function waiting(
  play: (at: Machine, hook: ReturnType<Cli["fire"]>, other: Cli, host: string) => Promise<void>,
) {
  const host = makeBareRepository();
  const machines = [new Machine(), new Machine()] as const;
  const [ana, bo] = machines;
  for (const { home } of machines) {
    mkdirSync(join(home, ".consulta"), { mode: 0o700 });
    const path = join(home, ".consulta", "config.yaml");
    writeFileSync(path, `stores:\n  team: ${host}\n`, { mode: 0o600 });
  }
  try {
    const [claude, gemini] = [await ana.start("claude"), await bo.start("gemini")];
    const store = ["--store", "git:team"];
    const who = ["--participant", "claude", "--participant", "gemini", ...store];
    await claude.run("init", ["--topic", "Which store?", "--session", "talk", ...who]);
    await claude.say("talk", request);
    await gemini.run("join", ["talk", "--participant", "gemini", ...store]);
    const hook = claude.fire("Stop");
    await until("the hook waits", () => existsSync(ana.project.path("presence", "claude.ready")));
    await play(ana, hook, gemini, host);
  } finally {
    for (const machine of machines) machine.close();
  }
}

it("a hook wakes a CLI for what is said on another machine", { timeout: 120_000 }, () =>
  waiting(async (ana, hook, gemini) => {
    assert.match(await gemini.next("talk"), /SQLite or files\?/);
    await gemini.say("talk", response);
    const answered = performance.now();
    const { code, stderr } = await hook.done;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^Consulta: you have the turn in session talk\. Run: node/);
    assert(performance.now() - answered < 15_000, "woken, but late");
    assert.equal(ana.failure(), "");
  }),
);

it("a hook that waits notes that history was rewritten", { timeout: 180_000 }, () =>
  waiting(async (ana, hook, _, host) => {
    const ref = "refs/consulta/talk";
    const seen = git(host, "rev-parse", ref);
    git(host, "update-ref", ref, `${seen}~1`);
    await until("it is told", () => ana.failure().includes("history was rewritten"));
    assert(ana.failure().includes(seen), ana.failure());
    await hook.done;
  }),
);
