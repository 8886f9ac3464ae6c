import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who];

it("a store has the name that its user gave it, each their own, and no project's config", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(makeBareRepository()), new Laptop(makeBareRepository())];
  const name = (at: Laptop, as: string) => {
    mkdirSync(join(at.home, ".consulta"), { recursive: true });
    const path = join(at.home, ".consulta", "config.yaml");
    writeFileSync(path, `stores:\n  ${as}: ${host}\n`, { mode: 0o600 });
  };
  name(ana, "team");
  name(bo, "ours");
  assert.match(
    ana.done("init", [...opening, "--store", "git:team"]),
    /join\.cjs stores --store git:team\n/,
  );
  bo.done("init", ["--topic", "Another", "--session", "other", ...who]);
  assert.match(
    bo.done("status", ["--store", "git:ours"]),
    /^stores: not joined here; to join it: node .*join\.cjs stores --store git:ours$/m,
  );
  bo.done("join", ["stores", "--store", "git:ours"]);
  assert.equal(bo.log("stores"), ana.log("stores"));
  assert.doesNotMatch(bo.done("status", ["--store", "git:ours"]), /not joined here/);
});

it("an agent shares a session only where its user named the store", () => {
  const at = new Laptop(makeBareRepository());
  const env = { CLAUDECODE: "1" };
  const asked = [
    ["--store", `git:${makeBareRepository()}`],
    ["--store", "git"],
    ["--store", "git", "--public"],
  ];
  for (const store of asked) {
    for (const [script, words] of [
      ["init", opening],
      ["join", ["stores"]],
    ] as const) {
      const ran = at.run(script, [...words, ...store], "", { env });
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        /^error: --(?:store|public) .*which an agent may not \(Claude Code runs this\)/,
      );
    }
  }
  const host = makeBareRepository();
  mkdirSync(join(at.home, ".consulta"), { recursive: true });
  writeFileSync(join(at.home, ".consulta", "config.yaml"), `stores:\n  team: ${host}\n`, {
    mode: 0o600,
  });
  assert.equal(at.run("init", [...opening, "--store", "git:team"], "", { env }).code, 0);
});
