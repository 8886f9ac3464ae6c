import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { draft, scriptPath } from "../dialogue/project.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who];
const question = draft("REQUEST", "Files or SQLite?", { position: undefined });

/** What a user writes into their own settings. */
function name(at: Laptop, as: string, address: string): void {
  mkdirSync(join(at.home, ".consulta"), { recursive: true });
  const path = join(at.home, ".consulta", "config.yaml");
  writeFileSync(path, `stores:\n  ${as}: ${address}\n`, { mode: 0o600 });
}

/** Two clones of a project whose remote keeps the session. */
function shared() {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  return { host, ana, bo, printed: ana.done("init", [...opening, "--store", "git"]) };
}

it("a store has the name that its user gave it, each their own", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(makeBareRepository()), new Laptop(makeBareRepository())];
  name(ana, "team", host);
  name(bo, "ours", host);
  const store = ["--store", "git:ours"];
  const begun = ana.done("init", [...opening, "--store", "git:team"]);
  assert.match(begun, /join\.cjs stores --store git:team\n/);
  const told = /^stores: not joined here; to join it: node .*join\.cjs stores --store git:ours$/m;
  assert.match(bo.done("status", store), told);
  bo.done("join", ["stores", ...store]);
  assert.equal(bo.log("stores"), ana.log("stores"));
  assert.doesNotMatch(bo.done("status", store), /not joined here/);
});

it("a session that is here is none of another store, whatever its name", () => {
  const { host, bo } = shared();
  git(bo.folder, "remote", "add", "other", host);
  bo.done("join", ["stores"]);
  const said = /a session stores is here already, and it is kept on git:origin, not on git:other: /;
  checkFailed(bo.run("join", ["stores", "--store", "git:other"]), { code: 2, said });
  assert.match(bo.done("join", ["stores", "--store", "git"]), /^joined before: /);
});

it("a clone without a workspace is told what can be joined, and stays as it is", () => {
  const { bo } = shared();
  assert.match(
    bo.done("status", ["--store", "git"]),
    /^stores: not joined here; to join it: node .*join\.cjs stores\n.* --signed,.*\n0 sessions shown\n$/,
  );
  const { sessions, remote } = JSON.parse(bo.done("status", ["--store", "git", "--json"]));
  assert.deepEqual([sessions, remote[0].id], [[], "stores"]);
  assert.deepEqual(readdirSync(bo.folder), [".git"]);
  const unnamed = bo.run("status", ["--store", "git", "--session", "stores"]);
  checkFailed(unnamed, { code: 2, said: /./ });
  assert.match(runPrinted(bo, remote[0].join), /^joined: session stores/);
});

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
    const cwd = join(ana.folder, "src");
    mkdirSync(cwd);
    const words = [join(ana.home, folder, "init.cjs"), ...opening, "--store", "git"];
    const env = { ...process.env, HOME: ana.home };
    const { stdout } = spawnSync(process.execPath, words, { cwd, env, encoding: "utf8" });
    const line = stdout.trimEnd().split("\n").at(-1) ?? "";
    assert.match(line, typed);
    assert.match(runPrinted(bo, line), /^joined: session stores/);
  }
});

it("an agent shares a session only where its user named the store", () => {
  const at = new Laptop(makeBareRepository());
  const env = { CLAUDECODE: "1" };
  const said = /^error: --(?:store|public) .*which an agent may not \(Claude Code runs this\)/;
  for (const store of [
    ["--store", "git"],
    ["--store", "git", "--public"],
  ]) {
    checkFailed(at.run("init", [...opening, ...store], "", { env }), { code: 2, said });
    checkFailed(at.run("join", ["stores", ...store], "", { env }), { code: 2, said });
  }
  name(at, "team", makeBareRepository());
  assert.equal(at.run("init", [...opening, "--store", "git:team"], "", { env }).code, 0);
});

it("a project's config names a store, and it counts where the user named it too", () => {
  const at = new Laptop(makeBareRepository());
  const set = (store: string) => {
    mkdirSync(at.path(), { recursive: true });
    writeFileSync(at.path("config.json"), JSON.stringify({ store }));
  };
  for (const address of ["git", "git:https://example.org/x.git", "s3:team"]) {
    set(address);
    const said = /config\.json: store is .*, expected files, git:NAME or etcd:NAME/;
    checkFailed(at.run("init", opening), { code: 2, said });
  }
  set("git:team");
  const said =
    /^error: this project keeps its sessions on git:team .*: name team there, under stores:, .* or give --store files/;
  checkFailed(at.run("init", opening), { code: 2, said });
  assert.doesNotMatch(at.done("init", [...opening, "--store", "files"]), /on another machine/);
  name(at, "team", makeBareRepository());
  const begun = at.done("init", ["--topic", "Another", "--session", "other", ...who]);
  assert.match(begun, /join\.cjs other --store git:team\n$/);
});

it("who waits for a session of a store joins it first", () => {
  const { ana, bo } = shared();
  const by = ["--participant", "gemini", "--store", "git"];
  const wait = () => bo.run("wait-for-turn", [...by, "--session", "stores", "--timeout", "1"]);
  assert.equal(wait().code, 1);
  ana.say("stores", "claude", question);
  assert.match(wait().stdout, /Files or SQLite\?/);
  const said = /^error: --store needs --session ID to join/;
  checkFailed(bo.run("wait-for-turn", by), { code: 2, said });
});

it("a project that was moved goes on with its sessions, and knows what was seen of them", () => {
  const { host, ana, bo } = shared();
  ana.say("stores", "claude", question);
  bo.done("join", ["stores"]);
  const folder = join(bo.home, "work", "renamed");
  mkdirSync(join(bo.home, "work"));
  renameSync(bo.folder, folder);
  Object.assign(bo, { folder });
  bo.next("stores", "gemini");
  bo.say("stores", "gemini", draft("RESPONSE", "Files.", { position: "Files." }));
  assert.match(ana.next("stores", "claude").stdout, /Files\./);
  // Another session that is begun there forgets none of it.
  bo.open("other", "--store", "git");
  git(host, "update-ref", "refs/consulta/stores", "refs/consulta/stores~2");
  checkFailed(bo.next("stores", "gemini"), { code: 2, said: /history was rewritten/ });
});

it("addresses that are no store's are told in one line, which holds no password", () => {
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
  const at = new Laptop(makeBareRepository());
  for (const [settings, told] of wrong)
    for (const password of ["hunter2", "hunter2".repeat(9)]) {
      name(at, "team", settings.replace("SECRET", password));
      for (const store of ["git:team", "etcd:team"]) {
        const ran = at.run("init", [...opening, "--store", store]);
        checkFailed(ran, { code: 2, said: told });
        assert.match(ran.stderr, /^error: ~\/\.consulta\/config\.yaml: .*; correct the file\n$/);
        assert(!ran.stderr.includes("hunter2"), ran.stderr);
      }
    }
});
