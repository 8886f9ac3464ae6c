import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft, isOneLine } from "../dialogue/project.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { checkNothingLeft } from "./sent-once.ts";

const id = "stores";
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", id, ...who];
const open = { position: undefined };

describe("a dialogue of two machines over a git remote", () => {
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  before(() => {
    host = makeBareRepository();
    ana = new Laptop(host);
    bo = new Laptop(host);
  });

  it("begins with a line for the other machine", () => {
    const printed = ana.done("init", [...opening, "--store", "git"]);
    assert.match(
      printed,
      /\non another machine, in a clone of the project:\nnode \S+join\.cjs stores\n$/,
    );
    assert.equal(git(host, "for-each-ref", "--format=%(refname)"), "refs/consulta/stores");
    const joined = runPrinted(bo, printed);
    assert.match(joined, /^joined: session stores, 1 event, about "Which store\?"\n/);
    assert.match(
      bo.done("join", [id, "--participant", "gemini"]),
      /^joined before: session stores/,
    );
    assert.match(bo.done("join", [id]), /^joined before: session stores/);
    assert.equal(bo.log(id), ana.log(id));
  });

  it("wakes who waits on the other machine", { timeout: 60_000 }, async () => {
    const waiting = bo.begin("wait-for-turn", [
      "--session",
      id,
      "--participant",
      "gemini",
      "--timeout",
      "50",
    ]);
    const anywhere = bo.begin("wait-for-turn", ["--participant", "gemini", "--timeout", "50"]);
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite for the settings?", open));
    for (const { done } of [waiting, anywhere]) {
      const { code, stdout, stderr } = await done;
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        /gemini has the turn in stores[\s\S]*Files or SQLite for the settings\?/,
      );
    }
  });

  it("is read without a network; what is sent then is kept, and sent later by the same line", () => {
    renameSync(host, `${host}.away`);
    const shown = bo.next(id, "gemini");
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /Files or SQLite/);
    assert.match(
      shown.stderr,
      /^note: refs\/consulta\/stores on origin is out of reach .*here it stands at event \d+\n/,
    );
    for (const script of ["status", "report"])
      assert.equal(bo.run(script, ["--session", id]).code, 0);
    const answer = draft("RESPONSE", "Files: they are few.", { position: "Files." });
    const sent = bo.send(id, "gemini", answer);
    assert.equal(sent.code, 4);
    assert.match(sent.stderr, /error: refs\/consulta\/stores on origin is out of reach/);
    const before = bo.log(id);
    renameSync(`${host}.away`, host);
    bo.say(id, "gemini", answer);
    assert(bo.log(id).startsWith(before));
    const again = bo.send(id, "gemini", answer);
    assert.match(again.stdout, /already sent as seq/);
  });

  it("ends on both machines with the same report of the same log", () => {
    ana.next(id, "claude");
    ana.say(id, "claude", draft("AGREE", "Files it is."));
    bo.next(id, "gemini");
    bo.say(id, "gemini", draft("AGREE", "Yes."));
    for (const at of [ana, bo]) {
      assert.match(at.done("status", ["--session", id]), /consensus/i);
      assert.match(at.done("validate", ["--session", id]), /validation passed/);
    }
    assert.equal(bo.log(id), ana.log(id));
    const reports = [ana, bo].map((at) => at.done("report", ["--session", id]));
    assert.match(reports[0] ?? "", /Files it is\./);
    assert.match(reports[0] ?? "", /who wrote what is not authenticated/);
    assert.equal(reports[1], reports[0]);
  });

  it("stops where the copy or the remote was changed, and validate says so", () => {
    const path = bo.path("sessions", id, "events.jsonl");
    const log = bo.log(id);
    writeFileSync(path, log.replace("Files: they are few.", "SQLite: it is one file."));
    const changed = bo.run("validate", ["--session", id]);
    assert.equal(changed.code, 2);
    assert.match(
      changed.stdout + changed.stderr,
      /event \d+ is not what refs\/consulta\/stores on origin has/,
    );
    writeFileSync(path, log);
    const tip = git(host, "rev-parse", `refs/consulta/${id}`);
    git(host, "update-ref", `refs/consulta/${id}`, `${tip}~1`);
    const cut = bo.run("validate", ["--session", id]);
    assert.equal(cut.code, 2);
    assert.match(cut.stdout + cut.stderr, /history was rewritten/);
    git(host, "update-ref", `refs/consulta/${id}`, tip);
    assert.equal(bo.run("validate", ["--session", id]).code, 0);
  });
});

describe("what can be wrong with a store is said in one line, and nothing is left behind", () => {
  const fresh = () => new Laptop(makeBareRepository());
  type Case = [
    what: string,
    code: number,
    said: RegExp,
    args: string[],
    make?: (at: Laptop) => void,
  ];
  const inits: Case[] = [
    [
      "a remote that is not there",
      2,
      /no git remote "nowhere" \(there are: origin\)/,
      ["--store", "git:nowhere"],
    ],
    [
      "no remote at all",
      2,
      /no git remote "origin" \(it has none\): add it with git remote add/,
      ["--store", "git"],
      (at) => git(at.folder, "remote", "remove", "origin"),
    ],
    [
      "another store",
      2,
      /--store takes files, git, git:NAME, etcd or etcd:NAME; an address has its name in/,
      ["--store", "s3"],
    ],
    [
      "an address in place of its name",
      2,
      /^error: --store takes files, git, git:NAME.*an address has its name in/,
      ["--store", "git:https://me:secret@example.org/x.git"],
    ],
    [
      "a project's address that runs a program",
      2,
      /no address for sessions/,
      ["--store", "git"],
      (at) => git(at.folder, "remote", "set-url", "origin", "ext::sh -c id"),
    ],
    [
      "a folder that is no repository",
      4,
      /is out of reach \(fatal: .*not appear to be a git repository/,
      ["--store", "git"],
      (at) => git(at.folder, "remote", "set-url", "origin", "/dev/null/x.git"),
    ],
    [
      "a name that git does not take",
      2,
      /no session whose name ends in \.lock/,
      ["--store", "git", "--session", "a.lock"],
    ],
    [
      "a host that takes nothing",
      4,
      /origin does not take refs\/consulta\/stores \(\[remote rejected\] \(pre-receive hook declined\): remote: Only Ana pushes here\. *\); may you push there\?/,
      ["--store", "git"],
      (at) => {
        const say = "echo ====== >&2; echo Only Ana pushes here. >&2; exit 1";
        setHook(git(at.folder, "remote", "get-url", "origin"), "pre-receive", say);
      },
    ],
  ];
  for (const [what, code, said, args, make] of inits) {
    it(`${what}: init`, () => {
      const at = fresh();
      make?.(at);
      const ran = at.run("init", [...opening, ...args]);
      assert.deepEqual([ran.code, ran.stdout, isOneLine(ran.stderr)], [code, "", true], ran.stderr);
      assert.match(ran.stderr, said);
      assert(!ran.stderr.includes("secret"));
      checkNothingLeft(at, id);
    });
  }

  it("a session that is there already: init, which says how to join it; join, which says what there is", () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    ana.done("init", [...opening, "--store", "git"]);
    const taken = bo.run("init", [...opening, "--store", "git"]);
    assert.equal(taken.code, 3);
    assert.match(
      taken.stderr,
      /session stores is on origin already: choose another --session, or join it: node \S+join\.cjs stores\n/,
    );
    const gone = bo.run("join", ["storse"]);
    assert.equal(gone.code, 2);
    assert.match(gone.stderr, /no session storse on origin; .*stores/);
    assert.match(bo.done("join", [id]), /^joined: session stores/);
  });

  it("no git: only what needs the remote, everything is still read", () => {
    const host = makeBareRepository();
    const at = new Laptop(host);
    at.done("init", [...opening, "--store", "git"]);
    const env = { PATH: "/nonexistent" };
    const message = JSON.stringify(draft("REQUEST", "Files or SQLite?", open));
    const append = ["--session", id, "--participant", "claude", "--message", "-"];
    const kept = () => [at.log(id), git(host, "for-each-ref")];
    const before = kept();
    const sent = at.run("append-event", append, message, { env });
    assert.deepEqual([sent.code, sent.stdout, isOneLine(sent.stderr)], [2, "", true]);
    assert.match(sent.stderr, /^error: there is no git on PATH, .*: install git\n/);
    for (const [script, shown] of [
      ["report", /Which store\?/],
      ["status", /^stores: dialogue/m],
    ] as const) {
      const { code, stdout, stderr } = at.run(script, ["--session", id], "", { env });
      assert.equal(code, 0, `${script}: ${stderr}`);
      assert.match(stdout, shown);
      assert.match(stderr, /^note: there is no git on PATH, .*; here it stands at event 1\n/);
    }
    assert.deepEqual(kept(), before);
    at.done("append-event", append, message);
    assert.match(at.done("append-event", append, message), /already sent as seq 2/);
    assert.equal(git(host, "rev-list", "--count", `refs/consulta/${id}`), "2");
    assert.equal(at.log(id).match(/Files or SQLite\?/g)?.length, 1);
  });

  for (const [where, key] of [
    ["to nothing", "0".repeat(32)],
    ["out of the home's own folder, to an entry of the clone", "../../project/evil"],
  ] as const) {
    it(`a mark that came with a clone leads nowhere: ${where}`, () => {
      const at = fresh();
      at.done("init", opening);
      const folder = at.path("sessions", id);
      const entry = { store: "git", session: id, remote: "origin", project: at.folder, folder };
      mkdirSync(join(at.folder, "evil"), { mode: 0o700 });
      const text = JSON.stringify({ ...entry, ref: `refs/consulta/${id}`, isSigned: false });
      writeFileSync(join(at.folder, "evil", "entry.json"), text, { mode: 0o600 });
      writeFileSync(join(folder, ".store"), JSON.stringify({ store: "git", key }));
      const ran = at.next(id, "claude");
      assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], ran.stderr);
      assert.match(
        ran.stderr,
        /your home does not know where: move the folder away and join the session again/,
      );
    });
  }
});

describe("who waits in a dialogue over a git remote", { timeout: 60_000 }, () => {
  const answer = draft("RESPONSE", "Files: they are few.", { position: "Files." });
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    [ana, bo] = [new Laptop(host), new Laptop(host)];
    ana.done("init", [...opening, "--store", "git"]);
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite for the settings?", open));
    bo.done("join", [id]);
  });

  for (const more of [[], ["--session", id]])
    it(`has the store asked before the turn is given, which another of that name may have taken: ${more.join(" ")}`, () => {
      const other = new Laptop(host);
      other.done("join", [id]);
      bo.say(id, "gemini", answer);
      const wait = ["--participant", "gemini", "--timeout", "1"];
      const { code, stdout, stderr } = other.run("wait-for-turn", [...wait, ...more]);
      assert.deepEqual([code, stdout], [1, ""], stderr);
    });

  it("is told once that the store is out of reach, and hears what comes when it is back", async () => {
    const waiting = ana.begin("wait-for-turn", ["--participant", "claude", "--timeout", "50"]);
    let said = "";
    waiting.child.stderr.on("data", (part: Buffer) => {
      said += part;
    });
    while (!existsSync(ana.path("presence", "claude.ready"))) await sleep(50);
    renameSync(host, `${host}.away`);
    while (!said.includes("out of reach")) await sleep(50);
    await sleep(5_000);
    renameSync(`${host}.away`, host);
    bo.say(id, "gemini", answer);
    const { code, stdout, stderr } = await waiting.done;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Files: they are few\./);
    assert.match(
      stderr,
      /^note: refs\/consulta\/stores on origin is out of reach \(fatal: [^\n]*\); the wait goes on until it can be reached\n$/,
    );
  });
});
