import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { Machine, request, response, until } from "../wake/fake-cli.ts";
import { git, makeBareRepository } from "./git-remote.ts";

/** A user's machine whose CLIs may share sessions over a repository. */
function sharingOver(host: string): Machine {
  const machine = new Machine();
  const folder = join(machine.home, ".consulta");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "config.yaml"), `stores:\n  team: ${host}\n`, { mode: 0o600 });
  return machine;
}

const store = ["--store", "git:team"];

it("a hook wakes a CLI for what is said on another machine", { timeout: 120_000 }, async () => {
  const host = makeBareRepository();
  const [ana, bo] = [sharingOver(host), sharingOver(host)];
  try {
    const [claude, gemini] = [await ana.start("claude"), await bo.start("gemini")];
    const who = ["--participant", "claude", "--participant", "gemini"];
    await claude.run("init", ["--topic", "Which store?", "--session", "talk", ...who, ...store]);
    await claude.say("talk", request);
    await gemini.run("join", ["talk", "--participant", "gemini", ...store]);
    const hook = claude.fire("Stop");
    await until("the hook waits", () => existsSync(ana.project.path("presence", "claude.ready")));
    assert.match(await gemini.next("talk"), /SQLite or files\?/);
    await gemini.say("talk", response);
    const answered = performance.now();
    const { code, stderr } = await hook.done;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^Consulta: you have the turn in session talk\. Run: node/);
    assert(performance.now() - answered < 15_000, "woken, but late");
    assert.match(await claude.next("talk"), /Files\./);
    for (const machine of [ana, bo]) assert.equal(machine.failure(), "");
  } finally {
    for (const machine of [ana, bo]) machine.close();
  }
});

it("a hook that waits notes that history was rewritten", {
  timeout: 180_000,
}, async () => {
  const host = makeBareRepository();
  const [ana, bo] = [sharingOver(host), sharingOver(host)];
  try {
    const [claude, gemini] = [await ana.start("claude"), await bo.start("gemini")];
    const who = ["--participant", "claude", "--participant", "gemini"];
    await claude.run("init", ["--topic", "Which store?", "--session", "talk", ...who, ...store]);
    await claude.say("talk", request);
    await gemini.run("join", ["talk", "--participant", "gemini", ...store]);
    const hook = claude.fire("Stop");
    await until("the hook waits", () => existsSync(ana.project.path("presence", "claude.ready")));
    const ref = "refs/consulta/talk";
    const seen = git(host, "rev-parse", ref);
    git(host, "update-ref", ref, `${seen}~1`);
    await until("it is told", () => ana.failure().includes("history was rewritten"));
    assert(ana.failure().includes(seen), ana.failure());
    await hook.done;
  } finally {
    for (const machine of [ana, bo]) machine.close();
  }
});
