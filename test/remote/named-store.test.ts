import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { draft, isOneLine, scriptPath } from "../dialogue/project.ts";
import { git, makeBareRepository } from "./git-remote.ts";
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

it("a board that lies outside of the workspace is here, until its folder is gone", () => {
  const host = makeBareRepository();
  const ana = new Laptop(host);
  name(ana, "team", host);
  ana.done("init", ["pool", "2", "600", "--store", "git:team"]);
  ana.done("init", [...opening, "--store", "git:team"]);
  const listed = (...words: string[]) => ana.done("status", ["--store", "git:team", ...words]);
  assert.doesNotMatch(listed(), /not joined here/);
  const second = join(ana.home, "second");
  git(ana.home, "clone", "--quiet", host, second);
  assert.match(listed("--workspace", second), /^pool: not joined here.*\nstores: not joined here/m);
  rmSync(join(ana.folder, "pool"), { recursive: true });
  assert.match(listed(), /^pool: not joined here/m);
  assert.doesNotMatch(listed(), /^stores: not joined here/m);
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

it("a store is an address, or another remote of the project: begun and joined, on that host alone", () => {
  const [origin, other] = [makeBareRepository(), makeBareRepository()];
  const [ana, bo] = [new Laptop(origin), new Laptop(origin)];
  for (const at of [ana, bo]) git(at.folder, "remote", "add", "second", other);
  for (const [index, store] of [`git:${other}`, `git:file://${other}`, "git:second"].entries()) {
    const id = `talk-${index}`;
    ana.done("init", ["--topic", "Which store?", "--session", id, ...who, "--store", store]);
    const refs = [origin, other].map((host) => git(host, "for-each-ref", "--format=%(refname)"));
    assert.deepEqual([refs[0], refs[1]?.includes(`refs/consulta/${id}`)], ["", true]);
    assert.match(bo.done("join", [id, "--store", store]), new RegExp(`^joined: session ${id}`));
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    assert.match(bo.next(id, "gemini").stdout, /Files or SQLite\?/);
  }
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
  name(at, "team", host);
  assert.equal(at.run("init", [...opening, "--store", "git:team"], "", { env }).code, 0);
});

it("an agent that may not share is told the command for its user, after which it goes on", () => {
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  ana.done("init", [...opening, "--store", "git"]);
  const env = { CLAUDECODE: "1" };
  const who = ["--session", "stores", "--participant", "gemini"];
  const refused = (script: string, words: string[], by: RegExp) => {
    const { code, stderr } = bo.run(script, words, "", { env });
    assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
    assert.match(stderr, by);
    assert.match(
      stderr,
      /; ask your user to name it in ~\/\.consulta\/config\.yaml \(stores: \{NAME: ADDRESS\}\), after which you give --store git:NAME, or to run this in a terminal: cd \S+ && node /,
    );
    return stderr;
  };
  refused("status", ["--store", `git:${host}`], /^error: --store shares/);
  refused("wait-for-turn", [...who, "--store", "git"], /^error: --store shares/);
  const secret = ["--store", "git:https://me:hunter2@example.org/x.git"];
  assert.doesNotMatch(bo.run("join", ["stores", ...secret], "", { env }).stderr, /hunter2/);
  const said = refused("join", ["stores"], /^error: the remote origin shares/);
  const [, command = ""] = /in a terminal: (cd .*)\n$/.exec(said) ?? [];
  assert.match(runPrinted(bo, command), /^joined: session stores/);
  const { code, stdout } = bo.run("next-action", who, "", { env });
  assert.deepEqual([code, /Which store\?/.test(stdout)], [0, true], stdout);
});

it("a name of the other kind of store is told with the kind that it is, to agents as well", () => {
  const host = makeBareRepository();
  const at = new Laptop(host);
  const refused = (store: string, said: RegExp) => {
    for (const env of [{}, { CLAUDECODE: "1" }]) {
      const { code, stderr } = at.run("init", [...opening, "--store", store], "", { env });
      assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
      assert.match(stderr, said);
    }
  };
  name(at, "team", '{etcd: ["https://example.org:2379"]}');
  refused("git:team", /^error: team is a cluster of etcd in ~\S+: give --store etcd:team\n/);
  assert.match(
    at.run("init", [...opening, "--store", "git:none"]).stderr,
    /no git remote "none" \(there are: origin\): .*; NAME may also stand in ~\/\.consulta\/config\.yaml, under stores\n/,
  );
  name(at, "team", host);
  refused("etcd:team", /^error: team is a git remote in ~\S+: give --store git:team\n/);
  // The project may have a remote of that name.
  name(at, "origin", '{etcd: ["https://example.org:2379"]}');
  at.done("init", [...opening, "--store", "git"]);
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
  for (const address of ["git", `git:${host}`, "git:https://example.org/x.git", "s3:team"]) {
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
