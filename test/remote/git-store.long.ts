import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import type { LogFollower } from "../../scripts-src/log/event-log.ts";
import { chainedLine } from "../../scripts-src/log/log-line.ts";
import { remoteLimits } from "../../scripts-src/remote/limits.ts";
import { StoreWatch } from "../../scripts-src/remote/watch-store.ts";
import { draft } from "../dialogue/project.ts";
import { appendAll, hasCode, makeEvent, readEvents } from "../log/check-event-log.ts";
import { checkRemoteLog } from "./check-remote-log.ts";
import { git, gitWith, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { newMachineAt, type SharedMachine, sessionRef } from "./machine-at.ts";

checkRemoteLog("git", makeBareRepository);

const posixOnly = { skip: process.platform === "win32" && "needs hooks of a shell" };

describe("a session on a git remote", () => {
  let host: string;
  let ana: SharedMachine;
  let bo: SharedMachine;
  beforeEach(() => {
    host = makeBareRepository();
    ana = newMachineAt(host);
    bo = newMachineAt(host);
  });

  const lines = ({ folder }: SharedMachine) => readFileSync(join(folder, "events.jsonl"), "utf8");
  const seqs = async (machine: SharedMachine) =>
    (await readEvents(machine.open())).map(({ seq }) => seq);
  const tip = () => git(host, "rev-parse", sessionRef);

  it("is one commit an event, whose message is the line and whose parent the event before", async () => {
    await appendAll(ana.open(), [{}, {}, {}]);
    const messages = git(host, "log", "--reverse", "--format=%B", sessionRef);
    assert.equal(messages.replace(/\n\n/g, "\n"), lines(ana).trim());
    assert.equal(git(host, "rev-list", "--count", "--max-parents=1", sessionRef), "3");
    assert.equal(git(host, "for-each-ref", "--format=%(refname)"), sessionRef);
  });

  it("knows its event again when the host's answer was lost", posixOnly, async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    setHook(host, "post-receive", "kill -9 $PPID");
    assert.equal((await ana.open().append(cursor, makeEvent(2)))?.seq, 2);
    await bo.open().fetch();
    assert.deepEqual(await seqs(bo), [1, 2]);
  });

  it("says that the host takes nothing, and loses nothing", posixOnly, async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    setHook(host, "pre-receive", "echo 'ask the owner' >&2; exit 1");
    const refused = ana.open().append(cursor, makeEvent(2));
    await assert.rejects(
      refused,
      hasCode("UNAVAILABLE", /origin does not take refs\/consulta\/talk/),
    );
    assert.deepEqual(await seqs(ana), [1]);
    rmSync(join(host, "hooks", "pre-receive"));
    assert.equal((await ana.open().append(cursor, makeEvent(2)))?.seq, 2);
  });

  it("names both tips where history was rewritten, and forces nothing back", async () => {
    await appendAll(ana.open(), [{}, {}]);
    const seen = tip();
    git(host, "update-ref", sessionRef, `${sessionRef}~1`);
    const there = tip();
    const rewritten = hasCode("REFUSED", new RegExp(`was rewritten.* ${there}.* ${seen}`));
    await assert.rejects(ana.open().fetch(), rewritten);
    assert.equal(tip(), there);
  });

  it("goes on where the ref was deleted by the line that says how to put it back", async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    const last = tip();
    git(host, "update-ref", "-d", sessionRef);
    await assert.rejects(ana.open().fetch(), ({ message }: Error) => {
      const [, line = ""] = / put it back: (git -C .*)$/.exec(message) ?? [];
      execFileSync("sh", ["-c", line], { stdio: "ignore" });
      return message.includes(last);
    });
    assert(await ana.open().append(cursor, makeEvent(2)));
  });

  it("stops where somebody wrote into the copy", async () => {
    await appendAll(ana.open(), [{}]);
    await bo.open().fetch();
    const { prev: _, ...first } = JSON.parse(lines(bo));
    writeFileSync(
      join(bo.folder, "events.jsonl"),
      `${JSON.stringify({ ...first, summary: "x" })}\n`,
    );
    await appendAll(ana.open(), [{}], (await ana.open().read(ana.open().start)).cursor);
    await assert.rejects(bo.open().fetch(), hasCode("REFUSED", /has another event 1 than is here/));
    assert.match(
      (await bo.open().differences()).join(),
      /event 1 is not what refs\/consulta\/talk/,
    );
  });

  it("goes on where somebody had git tidy up the repository here", async () => {
    const cursor = await appendAll(ana.open(), [{}, {}]);
    await bo.open().fetch();
    for (const { repository } of [ana, bo]) git(repository, "gc", "--quiet", "--prune=now");
    assert.equal((await ana.open().append(cursor, makeEvent(3)))?.seq, 3);
    await bo.open().fetch();
    assert.deepEqual(await seqs(bo), [1, 2, 3]);
  });

  it("names the lock that a git left which was stopped, and goes on without it", async () => {
    const lock = join(bo.repository, `${sessionRef}.lock`);
    await appendAll(ana.open(), [{}]);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
    const named = hasCode(
      "UNAVAILABLE",
      /talk\.lock': File exists.* has left that file: remove it/,
    );
    await assert.rejects(bo.open().fetch(), named);
    rmSync(lock);
    await bo.open().fetch();
    assert.deepEqual(await seqs(bo), [1]);
  });

  it("makes one pack of those that many fetches leave", async () => {
    const before = remoteLimits.packs;
    Object.assign(remoteLimits, { packs: 4 });
    try {
      const counts: number[] = [];
      let cursor = ana.open().start;
      for (let event = 1; event <= 7; event += 1) {
        const bytes = Buffer.from(`version ${event}`);
        const carried = async () => [{ path: "proposal.md", bytes }];
        cursor = (await ana.open().append(cursor, makeEvent(event), carried)) ?? assert.fail();
        await bo.open().fetch();
        const names = readdirSync(join(bo.repository, "objects", "pack"));
        counts.push(names.filter((name) => name.endsWith(".pack")).length);
      }
      assert.deepEqual(counts, [1, 2, 3, 1, 2, 3, 1]);
      assert.deepEqual(await bo.open().differences(), []);
    } finally {
      Object.assign(remoteLimits, { packs: before });
    }
  });
});

describe("a talk over a git remote", posixOnly, () => {
  it("runs no hook of the user's, and no housekeeping", () => {
    const host = makeBareRepository();
    // The host is reached by its path, and would run the user's hooks as its own.
    git(host, "config", "core.hooksPath", "hooks");
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    const mark = (at: Laptop) => join(at.home, "hook-ran");
    for (const at of [ana, bo]) {
      mkdirSync(join(at.home, "hooks"));
      for (const name of ["pre-push", "reference-transaction"])
        setHook(at.home, name, `echo ${name} >>${mark(at)}`);
      at.set(`core.hooksPath=${join(at.home, "hooks")}`);
      // This host takes no push with an option.
      for (const setting of ["gc.auto=1", "gc.autoDetach=false", "push.pushOption=ci.skip"])
        at.set(setting);
    }
    const repository = (at: Laptop) => {
      const stores = join(at.home, ".consulta", "stores");
      const [key = ""] = readdirSync(stores).filter((name) => /^[0-9a-f]{32}$/.test(name));
      return join(stores, key, "repository.git");
    };
    const traces = (at: Laptop) => {
      const ofHousekeeping = ["gc.pid", "packed-refs"].map((name) => join(repository(at), name));
      return [mark(at), ...ofHousekeeping].filter(existsSync);
    };

    const who = ["--participant", "a", "--participant", "b"];
    ana.done("init", ["--topic", "Which store?", "--session", "talk", ...who, "--store", "git"]);
    bo.done("join", ["talk"]);
    for (const at of [ana, bo]) makeDue(repository(at));
    ana.say("talk", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    bo.next("talk", "b");
    bo.say("talk", "b", draft("RESPONSE", "Files.", { position: "Files." }));
    assert.match(ana.next("talk", "a").stdout, /Files\./);
    for (const at of [ana, bo]) {
      assert.deepEqual(traces(at), []);
      // The user's own git does both there.
      const env = { ...process.env, HOME: at.home };
      const own = (...words: string[]) =>
        execFileSync("git", ["-C", repository(at), ...words], { env, stdio: "ignore" });
      own("update-ref", "refs/user", "refs/consulta/talk");
      own("gc", "--auto");
      assert.deepEqual(traces(at), [mark(at), join(repository(at), "packed-refs")]);
    }
  });
});

/** As git counts loose objects: by those whose names begin with 17. */
function makeDue(repository: string): void {
  const texts = Array.from({ length: 4_096 }, (_, index) => String(index));
  const nameOf = (text: string) =>
    createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
  for (const text of texts.filter((it) => nameOf(it).startsWith("17")).slice(0, 3))
    gitWith(repository, text, "hash-object", "-w", "--stdin");
}

/** What is said of a push that git's own check does not let through. */
const rejected = (name: string) =>
  new RegExp(
    `^git itself rejects what is refs/consulta/talk on origin \\(object [0-9a-f]{40}: ${name}: .*\\): no script of Consulta wrote it, so nothing from there on is taken; ask who pushed it, and have the ref put back to [0-9a-f]{40}, the last`,
  );

describe("what others push to a session", () => {
  let host: string;
  let ana: SharedMachine;
  let first: string;
  let tree: string;
  before(async () => {
    host = makeBareRepository();
    ana = newMachineAt(host);
    await appendAll(ana.open(), [{}]);
    first = git(host, "rev-parse", sessionRef);
    tree = git(host, "rev-parse", `${first}^{tree}`);
  });

  const line = (fields = {}) => {
    const before = readFileSync(join(ana.folder, "events.jsonl"), "utf8").trim();
    return chainedLine(makeEvent(2, fields), Buffer.from(before));
  };
  const committed = (message: string, ...words: string[]) =>
    gitWith(host, message, "commit-tree", ...words, "-p", first, "-F", "-");
  const sound = (at = tree, ...words: string[]) => committed(`${line()}\n`, at, ...words);
  const blob = (text: string) => gitWith(host, text, "hash-object", "-w", "--stdin");
  const treeOf = (...entries: string[]) =>
    gitWith(host, `${entries.join("\n")}\n`, "mktree", "--missing");
  const withFile = (name: string, text = "x", mode = "100644") =>
    sound(treeOf(`${mode} blob ${blob(text)}\t${name}`));
  // git itself makes no such objects.
  const literally = (type: string, ...parts: (string | Buffer)[]) => {
    const file = join(ana.folder, "..", "object");
    writeFileSync(file, Buffer.concat(parts.map((it) => Buffer.from(it))));
    return git(host, "hash-object", "-t", type, "-w", "--literally", file);
  };
  const id = (name: string) => Buffer.from(name, "hex");
  const oneFile = () => treeOf(`100644 blob ${blob("x")}\tpasswd`);
  const withFolder = (name: string) => sound(literally("tree", `40000 ${name}\0`, id(oneFile())));
  const commitOf = (dates: string, message: string) => {
    const people = `author a <a@x> ${dates}\ncommitter a <a@x> 1 +0000`;
    return literally("commit", `tree ${tree}\nparent ${first}\n${people}\n\n${message}\n`);
  };
  const tagOf = (object: string, type: string, message: string) => {
    const tag = `object ${object}\ntype ${type}\ntag t\ntagger m <m@x> 1 +0000\n\n${message}\n`;
    return gitWith(host, tag, "hash-object", "-t", "tag", "-w", "--stdin");
  };
  const bomb = () => {
    let folder = oneFile();
    for (let level = 0; level < 8; level += 1)
      folder = treeOf(...Array.from({ length: 10 }, (_, it) => `040000 tree ${folder}\td${it}`));
    return folder;
  };

  /** What the ref is made to name, and why nothing of it is taken. */
  const hostile: Readonly<Record<string, readonly [make: () => string, said: RegExp]>> = {
    "a message that is not JSON": [() => committed("hello\n", tree), /is not JSON: "hello"/],
    "a message of 2 MB": [
      () => committed("x".repeat(2_000_000), tree),
      /has 2\d+ bytes; the limit is/,
    ],
    "another seq": [() => committed(`${line({ seq: 7 })}\n`, tree), /has seq 7 where 2 must come/],
    "another chain": [
      () => committed(`${JSON.stringify({ ...makeEvent(2), prev: "0" })}\n`, tree),
      /as the hash of the event before/,
    ],
    "a line laid out otherwise": [
      () => committed(`${line().replace('{"seq":2,', '{ "seq":2,')}\n`, tree),
      /is not written as our scripts write/,
    ],
    "an event without its fields": [() => committed('{"seq":2}\n', tree), /is not an event/],
    "a merge": [() => sound(tree, "-p", sound()), /is a merge|does not follow/],
    "a link": [
      () => withFile("proposal.md", "/etc/passwd", "120000"),
      /"proposal.md", which is no plain file/,
    ],
    "another repository": [
      () => sound(treeOf(`160000 commit ${first}\tlib`)),
      /"lib", which is no plain file/,
    ],
    "a program": [() => withFile("run", "x", "100755"), /"run", which is no plain file/],
    "a hidden file": [() => withFile(".checkpoint.json"), /no plain path/],
    "the log itself": [() => withFile("events.jsonl"), /"events.jsonl", which is the log/],
    "two spellings of a name": [
      () => sound(treeOf(...["a.md", "A.md"].map((it) => `100644 blob ${blob("x")}\t${it}`))),
      /under two spellings/,
    ],
    "a document of 2 MB": [
      () => withFile("a.md", "x".repeat(2_000_000)),
      /has 2000000 bytes; the limit is/,
    ],
    "a tag of an event": [
      () => tagOf(sound(), "commit", "x\nnext:\nrm -rf ~"),
      /which is a tag and no event: no script of Consulta .*; ask who pushed it, and have the ref put back to [0-9a-f]{40}, the last/,
    ],
    "a tag of the last event": [
      () => tagOf(first, "commit", '{"seq":1}'),
      /which is a tag and no event/,
    ],
    "a tag of a tag": [
      () => tagOf(tagOf(sound(), "commit", "x"), "tag", '{"seq":9}'),
      /which is a tag and no event/,
    ],
    "a text for an event": [() => blob("x\nnext:"), /which is a blob and no event/],
    "a folder for an event": [oneFile, /which is a tree and no event/],
    "a name that is not UTF-8": [
      () => sound(literally("tree", "100644 ", Buffer.of(0xff, 0xfe), ".md\0", id(blob("x")))),
      /has "\uFFFD\uFFFD\.md", whose name is not UTF-8/,
    ],
    "more paths than can be counted": [
      () => sound(bomb()),
      /names its paths in more than 8388608 bytes, the limit: .* have the ref put back/,
    ],
    "a folder ..": [() => withFolder(".."), rejected("hasDotdot")],
    "a folder .git": [() => withFolder(".git"), rejected("hasDotgit")],
    "a .gitmodules that names a program": [
      () => withFile(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch x\n'),
      rejected("gitmodulesUrl"),
    ],
    "a tree out of order": [
      () => {
        const file = id(blob("x"));
        return sound(literally("tree", "100644 b\0", file, "100644 a\0", file));
      },
      rejected("treeNotSorted"),
    ],
    "a NUL": [() => commitOf("1 +0000", `${line()}\0`), rejected("nulInCommit")],
    "a date of no calendar": [
      () => commitOf(`${"9".repeat(20)} +0000`, line()),
      rejected("badDateOverflow"),
    ],
  };
  for (const [name, [make, said]] of Object.entries(hostile))
    it(`is not taken with ${name}, and all goes on where somebody takes it back`, async () => {
      git(host, "update-ref", sessionRef, make());
      const before = readFileSync(join(ana.folder, "events.jsonl"), "utf8");
      await assert.rejects(ana.open().fetch(), hasCode("REFUSED", said));
      assert.equal(readFileSync(join(ana.folder, "events.jsonl"), "utf8"), before);
      assert.equal(git(ana.repository, "rev-parse", sessionRef), first);
      git(host, "update-ref", sessionRef, first);
      await ana.open().fetch();
    });

  it("is not joined where the ref is no event", async () => {
    const bo = newMachineAt(host);
    const said = hasCode("REFUSED", /which is a (?:blob|tree|tag) and no event/);
    for (const object of [blob("x"), oneFile(), tagOf(first, "commit", '{"seq":1}')]) {
      git(host, "update-ref", sessionRef, object);
      await assert.rejects(bo.open().fetch(), said);
      assert.equal(git(bo.repository, "for-each-ref"), "");
    }
  });

  it("ends a wait, whatever it is", { timeout: 60_000 }, async () => {
    git(host, "update-ref", sessionRef, tagOf(sound(), "commit", "x\nnext:"));
    const told = await firstFault((follower) => ana.open().follow(follower));
    assert.match(told.message, /which is a tag and no event/);
    const broken = () => Promise.reject(new SyntaxError("x"));
    const file = join(ana.home, "watch.json");
    const bug = await firstFault(async (follower) => {
      const watch = new StoreWatch(file, async () => ana.store(), broken, follower);
      return () => watch.end();
    });
    assert(bug instanceof SyntaxError);
  });
});

/** What ends a watch. */
async function firstFault(
  follow: (follower: LogFollower) => Promise<() => Promise<void>>,
): Promise<Error> {
  let stopped: Promise<() => Promise<void>> | undefined;
  const fault = await new Promise<Error>((resolve) => {
    stopped = follow({ onFault: (it) => it && resolve(it) });
  });
  await (await stopped)?.();
  return fault;
}
