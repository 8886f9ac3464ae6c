import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { chainedLine } from "../../scripts-src/log/chain.ts";
import {
  appendAll,
  checkEventLog,
  hasCode,
  makeEvent,
  makeSignal,
  readEvents,
} from "../log/check-event-log.ts";
import { removeFolder } from "../scratch-folder.ts";
import {
  fetching,
  git,
  gitWith,
  type Machine,
  makeBareRepository,
  makeMachine,
  sessionRef,
  setHook,
} from "./git-remote.ts";

checkEventLog("RemoteEventLog over git, of one machine", () => {
  const url = makeBareRepository();
  const machine = makeMachine(url);
  return { log: machine.open(), other: machine.open, close: () => removeFolder(url) };
});

checkEventLog("RemoteEventLog over git, of two machines", () => {
  const url = makeBareRepository();
  const [one, two] = [makeMachine(url), makeMachine(url)];
  return {
    log: fetching(one.open()),
    other: () => fetching(two.open(), one.open()),
    close: () => removeFolder(url),
  };
});

const posixOnly = { skip: process.platform === "win32" && "needs hooks of a shell" };

describe("a session on a git remote", () => {
  let host: string;
  let ana: Machine;
  let bo: Machine;
  beforeEach(() => {
    host = makeBareRepository();
    ana = makeMachine(host);
    bo = makeMachine(host);
  });

  const lines = ({ folder }: Machine) => readFileSync(join(folder, "events.jsonl"), "utf8");
  const seqs = async (machine: Machine) => (await readEvents(machine.open())).map(({ seq }) => seq);
  const tip = () => git(host, "rev-parse", sessionRef);

  it("is one commit an event, whose message is the line and whose parent the event before", async () => {
    await appendAll(ana.open(), [{}, {}, {}]);
    const messages = git(host, "log", "--reverse", "--format=%B", sessionRef);
    assert.equal(messages.replace(/\n\n/g, "\n"), lines(ana).trim());
    assert.equal(git(host, "rev-list", "--count", "--max-parents=1", sessionRef), "3");
    assert.equal(git(host, "for-each-ref", "--format=%(refname)"), sessionRef);
  });

  it("comes to another machine byte by byte, with one event as with many", async () => {
    const cursor = await appendAll(ana.open(), Array(70).fill({ text: "a\u2028b" }));
    await bo.open().fetch();
    assert.equal(lines(bo), lines(ana));
    await appendAll(ana.open(), [{}, {}], cursor);
    await bo.open().fetch();
    assert.equal(lines(bo), lines(ana));
    assert.deepEqual(await bo.open().differences(), []);
  });

  it("tells the machine that was slower, and brings it what came", async () => {
    await appendAll(ana.open(), [{}]);
    const log = bo.open();
    assert.equal(await log.append(log.start, makeEvent(1)), undefined);
    assert.equal(lines(bo), lines(ana));
    const cursor = (await log.read(log.start)).cursor;
    assert.equal((await log.append(cursor, makeEvent(2)))?.seq, 2);
  });

  it("goes on where a machine stopped before it copied what it had pushed", async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    const event = makeEvent(2);
    const before = Buffer.from(lines(ana).trim());
    assert.equal(await ana.store().append(2, chainedLine(event, before), []), "stored");
    assert.deepEqual(await seqs(ana), [1]);
    const log = ana.open();
    assert.equal(await log.append(cursor, makeEvent(2)), undefined);
    assert.deepEqual(await seqs(ana), [1, 2]);
    assert.equal((await log.at(2))?.["id"], event["id"]);
  });

  it("knows its event again when the host's answer was lost", posixOnly, async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    setHook(host, "post-receive", "kill -9 $PPID");
    assert.equal((await ana.open().append(cursor, makeEvent(2)))?.seq, 2);
    await bo.open().fetch();
    assert.deepEqual(await seqs(bo), [1, 2]);
  });

  it("knows it again also when others went on from it meanwhile", posixOnly, async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    const event = makeEvent(2);
    const second = chainedLine(event, Buffer.from(lines(ana).trim()));
    const message = join(host, "third");
    writeFileSync(message, `${chainedLine(makeEvent(3), Buffer.from(second))}\n`);
    const commit = `GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x \
      git commit-tree $new^{tree} -p $new -F ${message}`;
    const next = `read old new ref; c=$(${commit}); git update-ref $ref $c; kill -9 $PPID`;
    setHook(host, "post-receive", next);
    assert.equal((await ana.open().append(cursor, event))?.seq, 2);
    rmSync(join(host, "hooks", "post-receive"));
    await ana.open().fetch();
    assert.deepEqual(await seqs(ana), [1, 2, 3]);
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

  it(
    "asks a host that takes only branches once, and keeps the session as one",
    posixOnly,
    async () => {
      setHook(
        host,
        "update",
        'case "$1" in refs/heads/*) ;; *) echo "only branches" >&2; exit 1;; esac',
      );
      const cursor = await appendAll(ana.open(), [{}]);
      assert.deepEqual(ana.refs, ["refs/heads/consulta/talk"]);
      await appendAll(ana.open(), [{}], cursor);
      assert.equal(git(host, "for-each-ref", "--format=%(refname)"), "refs/heads/consulta/talk");
    },
  );

  it("is read where the host is out of reach, and takes nothing", async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    removeFolder(host);
    const out = hasCode("UNAVAILABLE", /is out of reach .*run the same command again/);
    await assert.rejects(ana.open().fetch(), out);
    await assert.rejects(ana.open().append(cursor, makeEvent(2)), out);
    assert.deepEqual(await seqs(ana), [1]);
  });

  it("stops when history was rewritten, and names both tips", async () => {
    const cursor = await appendAll(ana.open(), [{}, {}]);
    await bo.open().fetch();
    const seen = tip();
    git(host, "update-ref", sessionRef, `${sessionRef}~1`);
    const other = chainedLine(makeEvent(2), Buffer.from(lines(ana).split("\n")[0] ?? ""));
    const tree = git(host, "rev-parse", `${seen}^{tree}`);
    const forged = gitWith(host, `${other}\n`, "commit-tree", tree, "-p", `${seen}~1`, "-F", "-");
    git(host, "update-ref", sessionRef, forged);
    const rewritten = hasCode("REFUSED", new RegExp(`history was rewritten.* ${forged}.* ${seen}`));
    await assert.rejects(bo.open().fetch(), rewritten);
    await assert.rejects(ana.open().append(cursor, makeEvent(3)), rewritten);
    assert.deepEqual(await seqs(bo), [1, 2]);
    assert.equal(tip(), forged, "nothing is forced back");
  });

  it("stops when events were cut off", async () => {
    await appendAll(ana.open(), [{}, {}]);
    git(host, "update-ref", sessionRef, `${sessionRef}~1`);
    await assert.rejects(ana.open().fetch(), hasCode("REFUSED", /history was rewritten/));
  });

  it("stops when the ref was deleted, and says how to put it back", async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    const last = tip();
    git(host, "update-ref", "-d", sessionRef);
    await assert.rejects(
      ana.open().fetch(),
      hasCode("REFUSED", new RegExp(`was deleted.*${last}`)),
    );
    git(ana.repository, "push", host, `${last}:${sessionRef}`);
    await ana.open().fetch();
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

  it("sends no credential", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const log = ana.open();
    const secret = hasCode("REFUSED", /holds a GitHub token.*nothing was sent/);
    await assert.rejects(log.append(log.start, makeEvent(1, { text: token })), secret);
    const document = { path: "proposal.md", bytes: Buffer.from(`take ${token}`) };
    const carried = async () => [document];
    await assert.rejects(log.append(log.start, makeEvent(1), carried), secret);
    assert.equal(git(host, "for-each-ref"), "");
  });

  it("runs no hook of the user's, and no housekeeping", posixOnly, async () => {
    const hooks = join(ana.folder, "..", "hooks");
    mkdirSync(hooks);
    git(ana.repository, "config", "core.hooksPath", hooks);
    git(ana.repository, "config", "gc.auto", "1");
    for (const name of ["pre-push", "reference-transaction", "post-update"])
      setHook(join(hooks, ".."), name, `touch ${join(ana.folder, "hook-ran")}`);
    await appendAll(ana.open(), [{}, {}]);
    assert(!existsSync(join(ana.folder, "hook-ran")));
    assert(!existsSync(join(ana.repository, "gc.pid")));
  });

  it("wakes who waits on another machine, by one process of all that wait", {
    timeout: 60_000,
  }, async () => {
    const cursor = await appendAll(ana.open(), [{}]);
    await bo.open().fetch();
    const [first, second] = [makeSignal(), makeSignal()];
    const [one, two] = [bo.open(), bo.open()];
    const stops = [await one.watch(first.resolve), await two.watch(second.resolve)];
    await appendAll(ana.open(), [{}], cursor);
    await Promise.all([first.promise, second.promise]);
    for (const stop of stops) await stop();
    assert.deepEqual(await seqs(bo), [1, 2]);
  });
});

describe("what others push to a session", () => {
  let host: string;
  let ana: Machine;
  let first: string;
  let tree: string;
  beforeEach(async () => {
    host = makeBareRepository();
    ana = makeMachine(host);
    await appendAll(ana.open(), [{}]);
    first = git(host, "rev-parse", sessionRef);
    tree = git(host, "rev-parse", `${first}^{tree}`);
  });

  const line = (fields = {}, seq = 2) => {
    const before = readFileSync(join(ana.folder, "events.jsonl"), "utf8").trim();
    return chainedLine(makeEvent(seq, fields), Buffer.from(before));
  };
  const push = (message: string, ...words: string[]) => {
    const commit = gitWith(host, message, "commit-tree", ...words, "-p", first, "-F", "-");
    git(host, "update-ref", sessionRef, commit);
    return commit;
  };
  const blob = (text: string) => gitWith(host, text, "hash-object", "-w", "--stdin");
  const treeOf = (entry: string) => gitWith(host, `${entry}\n`, "mktree", "--missing");

  const hostile: [name: string, make: () => string, said: RegExp][] = [
    ["a message that is not JSON", () => push("hello\n", tree), /is not JSON: "hello"/],
    ["a message of 2 MB", () => push("x".repeat(2_000_000), tree), /has 2\d+ bytes; the limit is/],
    ["another seq", () => push(`${line({ seq: 7 })}\n`, tree), /has seq 7 where 2 must come/],
    [
      "another chain",
      () => push(`${JSON.stringify({ ...makeEvent(2), prev: "0" })}\n`, tree),
      /as the hash of the event before/,
    ],
    [
      "a line laid out otherwise",
      () => push(`${line().replace('{"seq":2,', '{ "seq":2,')}\n`, tree),
      /is not written as our scripts write/,
    ],
    ["an event without its fields", () => push('{"seq":2}\n', tree), /is not an event/],
    [
      "a merge",
      () => {
        const side = gitWith(host, `${line()}\n`, "commit-tree", tree, "-p", first, "-F", "-");
        return push(`${line()}\n`, tree, "-p", side);
      },
      /is a merge|does not follow/,
    ],
    [
      "a link",
      () => push(`${line()}\n`, treeOf(`120000 blob ${blob("/etc/passwd")}\tproposal.md`)),
      /"proposal.md", which is no plain file/,
    ],
    [
      "another repository",
      () => push(`${line()}\n`, treeOf(`160000 commit ${first}\tlib`)),
      /"lib", which is no plain file/,
    ],
    [
      "a program",
      () => push(`${line()}\n`, treeOf(`100755 blob ${blob("x")}\trun`)),
      /"run", which is no plain file/,
    ],
    [
      "a hidden file",
      () => push(`${line()}\n`, treeOf(`100644 blob ${blob("x")}\t.checkpoint.json`)),
      /no plain path/,
    ],
    [
      "the log itself",
      () => push(`${line()}\n`, treeOf(`100644 blob ${blob("x")}\tevents.jsonl`)),
      /"events.jsonl", which is the log/,
    ],
    [
      "two spellings of a name",
      () =>
        push(
          `${line()}\n`,
          treeOf(`100644 blob ${blob("x")}\ta.md\n100644 blob ${blob("y")}\tA.md`),
        ),
      /under two spellings/,
    ],
    [
      "a document of 2 MB",
      () => push(`${line()}\n`, treeOf(`100644 blob ${blob("x".repeat(2_000_000))}\ta.md`)),
      /has 2000000 bytes; the limit is/,
    ],
  ];
  for (const [name, make, said] of hostile) {
    it(`is not taken with ${name}`, async () => {
      make();
      const before = readFileSync(join(ana.folder, "events.jsonl"), "utf8");
      await assert.rejects(ana.open().fetch(), hasCode("REFUSED", said));
      assert.equal(readFileSync(join(ana.folder, "events.jsonl"), "utf8"), before);
      assert.equal(git(ana.repository, "rev-parse", sessionRef), first);
      // Where somebody takes it back, all goes on.
      git(host, "update-ref", sessionRef, first);
      await ana.open().fetch();
    });
  }

  it("is not taken with .. in a tree", async () => {
    const inner = treeOf(`100644 blob ${blob("x")}\tpasswd`);
    // git itself makes no such tree.
    const bytes = Buffer.concat([Buffer.from("40000 ..\0"), Buffer.from(inner, "hex")]);
    const file = join(ana.folder, "..", "tree");
    writeFileSync(file, bytes);
    const bad = git(host, "hash-object", "-t", "tree", "-w", "--literally", file);
    push(`${line()}\n`, bad);
    await assert.rejects(
      ana.open().fetch(),
      hasCode("UNAVAILABLE", /is out of reach|dotdot|'\.\.'/),
    );
    assert.equal(git(ana.repository, "rev-parse", sessionRef), first);
  });
});

describe("the documents of a session on a git remote", () => {
  let ana: Machine;
  let bo: Machine;
  beforeEach(() => {
    const host = makeBareRepository();
    ana = makeMachine(host);
    bo = makeMachine(host);
  });

  const write = ({ folder }: Machine, text: string) =>
    writeFileSync(join(folder, "proposal.md"), text);
  const read = ({ folder }: Machine, path = "proposal.md") =>
    readFileSync(join(folder, path), "utf8");
  const send = async (machine: Machine) => {
    const log = machine.open();
    await log.fetch();
    const { cursor } = await log.read(log.start);
    const bytes = Buffer.from(read(machine));
    return log.append(cursor, makeEvent(cursor.seq + 1), async () => [
      { path: "proposal.md", bytes },
    ]);
  };

  it("come with the event that is about them", async () => {
    write(ana, "first");
    await send(ana);
    await bo.open().fetch();
    assert.equal(read(bo), "first");
    write(bo, "second");
    await send(bo);
    await ana.open().fetch();
    assert.equal(read(ana), "second");
    assert.deepEqual([ana.kept, bo.kept], [[], []]);
  });

  it("stay as they are edited here while events come that change nothing of them", async () => {
    write(ana, "first");
    await send(ana);
    await bo.open().fetch();
    write(bo, "a draft of bo");
    const { cursor } = await ana.open().read(ana.open().start);
    await appendAll(ana.open(), [{}], cursor);
    await bo.open().fetch();
    assert.equal(read(bo), "a draft of bo");
  });

  it("are kept beside where two changed one, and no text is lost", async () => {
    write(ana, "first");
    await send(ana);
    await bo.open().fetch();
    write(ana, "by ana");
    write(bo, "by bo");
    await send(ana);
    await bo.open().fetch();
    assert.equal(read(bo), "by ana");
    const [kept = ""] = bo.kept;
    assert.equal(read(bo, kept), "by bo");
  });

  it("are placed by the next look where a process died before", async () => {
    write(ana, "first");
    await send(ana);
    await bo.open().fetch();
    rmSync(join(bo.folder, "proposal.md"));
    rmSync(join(bo.folder, "..", "documents.json"));
    await bo.open().fetch();
    assert.equal(read(bo), "first");
  });
});
