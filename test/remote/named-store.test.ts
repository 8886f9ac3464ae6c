import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { draft, isOneLine, scriptPath } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";

const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who];

/** What a user writes into their own settings. */
function name(at: Laptop, as: string, address: string): void {
  mkdirSync(join(at.home, ".consulta"), { recursive: true });
  const path = join(at.home, ".consulta", "config.yaml");
  writeFileSync(path, `stores:\n  ${as}: ${address}\n`, { mode: 0o600 });
}

it("a store has the name that its user gave it, each their own, and no project's config", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(makeBareRepository()), new Laptop(makeBareRepository())];
  name(ana, "team", host);
  name(bo, "ours", host);
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

it("a clone without a workspace is told what can be joined, and stays as it is", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  ana.done("init", [...opening, "--store", "git"]);
  assert.match(
    bo.done("status", ["--store", "git"]),
    /^stores: not joined here; to join it: node .*join\.cjs stores\n.* --signed,.*\n0 sessions shown\n$/,
  );
  const { sessions, remote } = JSON.parse(bo.done("status", ["--store", "git", "--json"]));
  assert.deepEqual([sessions, remote[0].id], [[], "stores"]);
  assert.deepEqual(readdirSync(bo.folder), [".git"]);
  const unnamed = bo.run("status", ["--store", "git", "--session", "stores"]);
  assert.deepEqual([unnamed.code, isOneLine(unnamed.stderr)], [2, true], unnamed.stderr);
  assert.match(runPrinted(bo, remote[0].join), /^joined: session stores/);
});

/** Begins a session by the scripts that lie in one folder; returns the line that another machine is to run. */
function invite(at: Laptop, scripts: string, cwd: string): string {
  const words = [join(scripts, "init.cjs"), ...opening, "--store", "git"];
  const env = { ...process.env, HOME: at.home };
  const ran = spawnSync(process.execPath, words, { cwd, env });
  assert.equal(ran.status, 0, String(ran.stderr));
  return String(ran.stdout).trimEnd().split("\n").at(-1) ?? "";
}

it("an invitation runs on the other machine where the scripts lie in the home, or in the project", () => {
  const dist = dirname(scriptPath("init"));
  const places: [folder: string, typed: RegExp][] = [
    ["consulta", /^node ~\/consulta\/join\.cjs stores$/],
    ["it's $HOME", /^node ~\/'it'\\''s \$HOME\/join\.cjs' stores$/],
    ["~", /^node '\/.*\/home\/~\/join\.cjs' stores$/],
    ["project/tools", /^node tools\/join\.cjs stores$/],
  ];
  for (const [folder, typed] of places) {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    for (const at of [ana, bo]) symlinkSync(dist, join(at.home, folder));
    const inside = join(ana.folder, "src");
    mkdirSync(inside, { recursive: true });
    const line = invite(ana, join(ana.home, folder), inside);
    assert.match(line, typed);
    assert.match(runPrinted(bo, line), /^joined: session stores/);
  }
});

it("an agent shares a session only where its user named the store", () => {
  const at = new Laptop(makeBareRepository());
  const env = { CLAUDECODE: "1" };
  const asked = [
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
  name(at, "team", host);
  assert.equal(at.run("init", [...opening, "--store", "git:team"], "", { env }).code, 0);
});

it("a project's config names a store, and it counts where the user named it too", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  const set = (at: Laptop, store: string) => {
    mkdirSync(at.path(), { recursive: true });
    writeFileSync(at.path("config.json"), JSON.stringify({ store }));
  };
  set(ana, "git:team");
  const unknown = ana.run("init", opening);
  assert.deepEqual([unknown.code, isOneLine(unknown.stderr)], [2, true], unknown.stderr);
  assert.match(
    unknown.stderr,
    /^error: this project keeps its sessions on git:team .*: name team there, under stores:, .* or give --store files/,
  );
  assert.doesNotMatch(ana.done("init", [...opening, "--store", "files"]), /on another machine/);
  name(ana, "team", makeBareRepository());
  const shared = ana.done("init", ["--topic", "Another", "--session", "other", ...who]);
  assert.match(shared, /join\.cjs other --store git:team\n$/);
  for (const address of ["git", "git:https://example.org/x.git", "s3:team"]) {
    set(bo, address);
    const ran = bo.run("init", opening);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /config\.json: store is .*, expected files, git:NAME or etcd:NAME/);
  }
});

it("who waits for a session of a store joins it first", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  ana.done("init", [...opening, "--store", "git"]);
  const wait = [
    "--session",
    "stores",
    "--participant",
    "gemini",
    "--store",
    "git",
    "--timeout",
    "1",
  ];
  const early = bo.run("wait-for-turn", wait);
  assert.equal(early.code, 1, early.stderr);
  ana.say("stores", "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  const asked = bo.run("wait-for-turn", wait);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /Files or SQLite\?/);
  const nowhere = bo.run("wait-for-turn", ["--participant", "gemini", "--store", "git"]);
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /^error: --store needs --session ID to join/);
});

it("addresses that are no store's are told in one line, which holds no password", () => {
  const secret = "hunter2".repeat(9);
  const wrong: [settings: string, said: RegExp][] = [
    [
      '{etcd: ["https://ana:SECRET@example.org:2379"]}',
      /stores\.team\.etcd\[0\] has an @, expected an address such as https:\/\/HOST:2379: .* user, .* password_file/,
    ],
    ['{etcd: ["https://ana:a/SECRET@example.org:2379"]}', /etcd\[0\] has an @/],
    ['{etcd: "https://ana:a@SECRET@example.org:2379"}', /etcd is "https:.*expected a list/],
    ['{etcd: ["https://example.org:2379", 7, "https://ana:SECRET@h"]}', /etcd\[1\] is 7, /],
    ["[https://ana:SECRET@example.org/sessions.git]", /team is \["https:.*expected a string/],
    ["{etcd: []}", /stores\.team\.etcd is \[\], expected at least one address, such as https:/],
  ];
  for (const [settings, said] of wrong)
    for (const password of ["hunter2", secret]) {
      const at = new Laptop(makeBareRepository());
      name(at, "team", settings.replace("SECRET", password));
      for (const store of ["git:team", "etcd:team"]) {
        const ran = at.run("init", [...opening, "--store", store]);
        assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], ran.stderr);
        assert.match(ran.stderr, /^error: ~\/\.consulta\/config\.yaml: .*; correct the file\n$/);
        assert.match(ran.stderr, said);
        assert(!ran.stderr.includes("hunter2"), ran.stderr);
      }
    }
});
