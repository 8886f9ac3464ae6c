import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { limits } from "../../scripts-src/base/limits.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { appendAll, checkEventLog, hasCode, makeEvent, readEvents } from "./check-event-log.ts";

const posixOnly = { skip: process.platform === "win32" && "needs POSIX files" };

checkEventLog("FileEventLog", () => {
  const folder = makeScratchFolder();
  return {
    log: new FileEventLog(folder),
    other: () => new FileEventLog(folder),
    close: () => removeFolder(folder),
  };
});

checkEventLog("FileEventLog without fsync", () => {
  const folder = makeScratchFolder();
  return {
    log: new FileEventLog(folder, { durable: false }),
    other: () => new FileEventLog(folder, { durable: false }),
    close: () => removeFolder(folder),
  };
});

function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

describe("FileEventLog", () => {
  let folder: string;
  let log: FileEventLog;
  let path: string;
  beforeEach(() => {
    folder = makeScratchFolder();
    log = new FileEventLog(folder);
    path = join(folder, "events.jsonl");
  });
  afterEach(() => removeFolder(folder));

  const lineOf = (seq: number, fields = {}) => JSON.stringify(makeEvent(seq, fields));
  const seqs = async () => (await readEvents(log)).map(({ seq }) => seq);
  const commitsLeft = () => readdirSync(join(folder, ".commits"));

  it("keeps one line for each event, and nothing else, in files of the owner", async () => {
    const session = join(folder, "session");
    const events = [makeEvent(1), makeEvent(2)];
    const fresh = new FileEventLog(session);
    assert(await fresh.append(fresh.start, events[0] ?? makeEvent(1)));
    assert(await fresh.append((await fresh.read(fresh.start)).cursor, events[1] ?? makeEvent(2)));
    const text = readFileSync(join(session, "events.jsonl"), "utf8");
    const first = JSON.stringify({ ...events[0], prev: hashOf("") });
    assert.equal(text, `${first}\n${JSON.stringify({ ...events[1], prev: hashOf(first) })}\n`);
    assert.deepEqual(readdirSync(session).sort(), [".commits", "events.jsonl"]);
    assert.deepEqual(readdirSync(join(session, ".commits")), []);
    if (process.platform === "win32") return;
    assert.equal(statSync(join(session, "events.jsonl")).mode & 0o777, 0o600);
    assert.equal(statSync(session).mode & 0o777, 0o700);
    assert.equal(statSync(join(session, ".commits")).mode & 0o777, 0o700);
  });

  it("finds an event whose line begins at the very middle of those around it", async () => {
    const summary = "x".repeat(100_000);
    await appendAll(log, [{ summary }, { summary }, { summary }, { summary }]);
    for (const seq of [1, 2, 3, 4]) assert.equal((await log.at(seq))?.seq, seq);
  });

  const junk: [name: string, bytes: string | Buffer][] = [
    ["shorter than the next line", '{"seq":3,"fro'],
    ["longer than the next line", `{"seq":3,"summary":"${"x".repeat(5_000)}`],
    ["longer than an event may be", "y".repeat(limits.eventLineBytes + 9)],
    ["of zeros", Buffer.alloc(300)],
    ["that ends like an event", '{"seq":3}'],
    ["of another seq", lineOf(7)],
    ["that is cut inside a character", Buffer.from('{"seq":3,"summary":"ж').subarray(0, -1)],
    ["with zeros and a newline, as after a power cut", `\0\0\0\0 tail of a line"}\n`],
  ];
  for (const [name, bytes] of junk) {
    it(`does not show a torn tail ${name}, and writes over it`, async () => {
      const cursor = await appendAll(log, [{}, {}]);
      appendFileSync(path, bytes);
      assert.deepEqual(await seqs(), [1, 2]);
      assert.deepEqual((await log.read(cursor)).cursor, cursor);
      const next = await log.append(cursor, makeEvent(3));
      assert(next);
      await appendAll(log, [{}], next);
      assert.deepEqual(await seqs(), [1, 2, 3, 4]);
      const lines = readFileSync(path, "utf8").split("\n");
      assert.equal(lines.length, 5);
      for (const line of lines.slice(0, 4)) JSON.parse(line);
    });
  }

  it("adopts an event of a foreign writer that lacks its newline", async () => {
    const cursor = await appendAll(log, [{}]);
    appendFileSync(path, lineOf(2));
    assert.deepEqual(await seqs(), [1, 2]);
    assert.equal(await log.append(cursor, makeEvent(2)), undefined);
    const open = (await log.read(cursor)).cursor;
    assert.deepEqual((await log.read(open)).events, []);
    assert(await log.append(open, makeEvent(3)));
    assert.deepEqual(await seqs(), [1, 2, 3]);
    assert.deepEqual((await readEvents(log, open)).length, 1);
    assert.equal(readFileSync(path, "utf8").split("\n").length, 4);
  });

  it("goes on behind such an event when its writer added the newline later", async () => {
    writeFileSync(path, lineOf(1));
    const open = (await log.read(log.start)).cursor;
    appendFileSync(path, "\n");
    const closed = (await log.read(open)).cursor;
    assert.notDeepEqual(closed, open);
    await appendAll(new FileEventLog(folder), [{}, {}], open);
    assert.deepEqual(await seqs(), [1, 2, 3]);
    assert.equal(await log.append(closed, makeEvent(2)), undefined);
  });

  it("writes over a torn tail behind an event that lacks its newline", async () => {
    writeFileSync(path, lineOf(1));
    const open = (await log.read(log.start)).cursor;
    appendFileSync(path, `junk${"k".repeat(900)}`);
    await appendAll(log, [{}], open);
    assert.deepEqual(await seqs(), [1, 2]);
  });

  const damages: [name: string, line: string, reason: RegExp][] = [
    ["text that is not JSON", "{oops", /line 2 is not JSON: "\{oops"; the log is damaged: run val/],
    ["a blank line", "", /line 2 is blank/],
    ["a missing event", lineOf(3), /line 2 has seq 3 where 2 must come/],
    ["an event that comes twice", lineOf(1), /line 2 has seq 1 where 2 must come/],
    ["a line that is no event", '{"seq":2}', /line 2 is not an event/],
    [
      "nesting",
      lineOf(2).replace(/\}$/, `,"x":${"[".repeat(99)}${"]".repeat(99)}}`),
      /deeper than/,
    ],
    ["zeros", "\0\0\0", /line 2 is not JSON/],
    ["a giant line", lineOf(2, { x: "x".repeat(limits.eventLineBytes) }), /line 2 is longer than/],
    ["a line beyond a page", "x".repeat(limits.pageBytes + 99), /line 2 is longer than/],
  ];
  for (const [name, line, reason] of damages) {
    it(`stops at damage: ${name}`, async () => {
      writeFileSync(path, `${lineOf(1)}\n${line}\n${lineOf(3)}\n`);
      await assert.rejects(readEvents(log), hasCode("REFUSED", reason));
      const after = { seq: 1, mark: { offset: readFileSync(path).indexOf("\n") + 1 } };
      await assert.rejects(log.append(after, makeEvent(2)), hasCode("REFUSED", reason));
    });
  }

  it("stops at damage: bytes that are not UTF-8", async () => {
    const bad = Buffer.from(`${lineOf(1)}\n${lineOf(2, { x: "?" })}\n${lineOf(3)}\n`);
    bad[bad.indexOf("?")] = 0xff;
    writeFileSync(path, bad);
    await assert.rejects(readEvents(log), hasCode("REFUSED", /line 2 is not UTF-8/));
  });

  it("stops when the log is shorter than what was read from it, or gone", async () => {
    const first = await appendAll(log, [{}]);
    const cursor = await appendAll(log, [{}], first);
    truncateSync(path, 10);
    await assert.rejects(log.read(cursor), hasCode("REFUSED", /line 2 ends at byte 10/));
    await assert.rejects(log.append(cursor, makeEvent(3)), hasCode("REFUSED", /ends at byte 10/));
    rmSync(path);
    await assert.rejects(log.read(cursor), hasCode("REFUSED", /is gone/));
  });

  it("takes a cursor of another store for a bug", async () => {
    await assert.rejects(log.read({ seq: 0, mark: null }), TypeError);
  });

  describe("checkpoint", () => {
    const checkpointPath = () => join(folder, ".checkpoint.json");

    it("is loaded from one small file", async () => {
      const cursor = await appendAll(log, [{}, { x: "x".repeat(40_000) }]);
      await log.saveCheckpoint({ cursor, value: 7 });
      const shape = /^[0-9a-f]{32} {"seq":2,"offset":\d+,"line":"[0-9a-f]{64}","value":7}\n$/;
      assert.match(readFileSync(checkpointPath(), "utf8"), shape);
      assert.deepEqual(await log.loadCheckpoint(), { cursor, value: 7 });
      assert.deepEqual(readdirSync(folder).sort(), [
        ".checkpoint.json",
        ".commits",
        "events.jsonl",
      ]);
    });

    it("fits behind an event that lacks its newline", async () => {
      writeFileSync(path, `${lineOf(1)}\n${lineOf(2)}`);
      const { cursor } = await log.read(log.start);
      await log.saveCheckpoint({ cursor, value: {} });
      await appendAll(log, [{}], cursor);
      assert.deepEqual(await log.loadCheckpoint(), { cursor, value: {} });
    });

    const misfits: [name: string, spoil: () => void][] = [
      ["is newer than the log", () => truncateSync(path, readFileSync(path).length - 3)],
      [
        "is from another log",
        () => writeFileSync(path, readFileSync(path, "utf8").replace(/e-2-.../, "e-2-000")),
      ],
      ["has no log", () => rmSync(path)],
      [
        "has a log without its line break",
        () => writeFileSync(path, readFileSync(path, "utf8").replace("\n", " ")),
      ],
      ["is cut short", () => truncateSync(checkpointPath(), 40)],
      ["is empty", () => truncateSync(checkpointPath(), 0)],
      ["is foreign", () => writeFileSync(checkpointPath(), '{"phase":"open"}')],
      [
        "has another content",
        () =>
          writeFileSync(
            checkpointPath(),
            readFileSync(checkpointPath(), "utf8").replace("open", "shut"),
          ),
      ],
      ["is nothing with a proof", () => writeFileSync(checkpointPath(), `${"0".repeat(32)} \n`)],
      [
        "is a folder",
        () => {
          rmSync(checkpointPath());
          mkdirSync(checkpointPath());
        },
      ],
    ];
    for (const [name, spoil] of misfits) {
      it(`is left out when it ${name}`, async () => {
        const cursor = await appendAll(log, [{}, {}]);
        await log.saveCheckpoint({ cursor, value: "open" });
        assert(await log.loadCheckpoint());
        spoil();
        assert.equal(await log.loadCheckpoint(), undefined);
        await log.saveCheckpoint({ cursor, value: "open" });
      });
    }

    it("is not saved when it is too large or its folder is gone", async () => {
      const cursor = await appendAll(log, [{}]);
      await log.saveCheckpoint({ cursor, value: "x".repeat(limits.pageBytes) });
      assert.equal(existsSync(checkpointPath()), false);
      await new FileEventLog(join(folder, "none")).saveCheckpoint({ cursor, value: 1 });
    });
  });

  it("refuses links in place of the log, the commits or the folder", posixOnly, async () => {
    writeFileSync(join(folder, "real.jsonl"), "");
    symlinkSync("real.jsonl", path);
    await assert.rejects(log.read(log.start), hasCode("REFUSED", /events\.jsonl is a link/));
    await assert.rejects(log.append(log.start, makeEvent(1)), hasCode("REFUSED", /is a link/));
    rmSync(path);
    rmSync(join(folder, ".commits"), { recursive: true });
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync("elsewhere", join(folder, ".commits"));
    await assert.rejects(
      log.append(log.start, makeEvent(1)),
      hasCode("REFUSED", /\.commits is a l/),
    );
    symlinkSync(join(folder, "elsewhere"), join(folder, "session"));
    const linked = new FileEventLog(join(folder, "session"));
    await assert.rejects(
      linked.append(log.start, makeEvent(1)),
      hasCode("REFUSED", /session is a/),
    );
    assert.deepEqual(readdirSync(join(folder, "elsewhere")), []);
  });

  it("refuses a FIFO or a folder in place of the log and does not wait", posixOnly, async () => {
    execFileSync("mkfifo", [path]);
    await assert.rejects(log.read(log.start), hasCode("REFUSED", /is not a regular file/));
    await assert.rejects(log.append(log.start, makeEvent(1)), hasCode("REFUSED", /not a regular/));
    rmSync(path);
    mkdirSync(path);
    await assert.rejects(log.read(log.start), hasCode("REFUSED", /is not a regular file/));
    await assert.rejects(log.append(log.start, makeEvent(1)), hasCode("REFUSED", /not a regular/));
  });

  describe("commit", () => {
    const leaveCommit = (seq: number, offset: number, bytes: string) => {
      mkdirSync(join(folder, ".commits"), { recursive: true });
      writeFileSync(join(folder, ".commits", String(seq)), `${offset}\n${bytes}`);
    };

    for (const padding of ["", "    "]) {
      it(`left by a dead writer is finished by the next, wherever (padding: "${padding}")`, async () => {
        const base = await appendAll(log, [{}]);
        const { length } = readFileSync(path);
        const line = Buffer.from(`${lineOf(2, { x: "ж" })}${padding}\n`);
        // A line is padded only over a torn one that reaches as far.
        const torn = Buffer.alloc(padding === "" ? 0 : line.length, "t");
        for (let written = 0; written <= line.length; written += 1) {
          truncateSync(path, length);
          leaveCommit(2, length, line.toString());
          appendFileSync(path, Buffer.concat([line.subarray(0, written), torn.subarray(written)]));
          assert((await readEvents(log)).length <= 2);
          assert.equal(await log.append(base, makeEvent(2)), undefined);
          const { cursor } = await log.read(base);
          await appendAll(log, [{}], cursor);
          assert.deepEqual(await seqs(), [1, 2, 3]);
          assert(readFileSync(path).subarray(length).indexOf(line) === 0);
          assert.deepEqual(commitsLeft(), []);
        }
      });
    }

    it("that came too late is not written and is cleared away", async () => {
      const base = await appendAll(log, [{}]);
      const cursor = await appendAll(log, [{}], base);
      const before = readFileSync(path, "utf8");
      leaveCommit(2, readFileSync(path).indexOf("\n") + 1, `${lineOf(2)}\n`);
      assert.equal(await log.append(base, makeEvent(2)), undefined);
      assert.equal(readFileSync(path, "utf8"), before);
      await appendAll(log, [{}], cursor);
      assert.deepEqual(await seqs(), [1, 2, 3]);
      assert.deepEqual(commitsLeft(), []);
    });

    const strange: [name: string, offset: (size: number) => number][] = [
      ["would write into older events", () => 3],
      ["would leave a gap", (size) => size + 9],
    ];
    for (const [name, offset] of strange) {
      it(`that ${name} is refused and named`, async () => {
        const base = await appendAll(log, [{}]);
        const before = readFileSync(path, "utf8");
        leaveCommit(2, offset(before.length), `${lineOf(2)}\n`);
        const reason = hasCode("REFUSED", /\.commits.2 is not a commit that fits/);
        await assert.rejects(log.append(base, makeEvent(2)), reason);
        assert.equal(readFileSync(path, "utf8"), before);
      });
    }

    const torn: [name: string, content: string][] = [
      ["is empty", ""],
      ["is full of zeros", "\0".repeat(300)],
      ["has another seq", `LENGTH\n${lineOf(3)}\n`],
      ["has two lines", `LENGTH\n${lineOf(2)}\n${lineOf(3)}\n`],
      ["has no newline", `LENGTH\n${lineOf(2)}`],
      ["ends within the event", `LENGTH\n${lineOf(2).slice(0, 40)}`],
    ];
    for (const [name, content] of torn) {
      for (const names of [["2"], ["2", "2.1"]]) {
        it(`that a power cut left and that ${name} is passed over (${names.join(", ")})`, async () => {
          const base = await appendAll(log, [{}]);
          const { length } = readFileSync(path);
          for (const file of names) {
            writeFileSync(join(folder, ".commits", file), content.replace("LENGTH", `${length}`));
          }
          const event = makeEvent(2);
          const place = await log.append(base, event);
          assert(place);
          assert(await log.append(place, makeEvent(3)));
          assert.deepEqual((await readEvents(log))[1], event);
          assert.deepEqual(commitsLeft(), []);
        });
      }
    }

    it("behind a torn one is finished by the next writer", async () => {
      const base = await appendAll(log, [{}]);
      const { length } = readFileSync(path);
      writeFileSync(join(folder, ".commits", "2"), "");
      writeFileSync(join(folder, ".commits", "2.1"), `${length}\n${lineOf(2)}\n`);
      assert.equal(await log.append(base, makeEvent(2)), undefined);
      assert.equal((await readEvents(log)).length, 2);
      assert.deepEqual(commitsLeft(), []);
    });

    it("drafts of dead writers are swept after a minute", async () => {
      const base = await appendAll(log, [{}]);
      const [old, young] = ["tmp-old", "tmp-young"].map((name) => join(folder, ".commits", name));
      for (const draft of [old, young]) writeFileSync(draft ?? "", "0\n");
      linkSync(young ?? "", join(folder, ".commits", "unknown"));
      const past = Date.now() / 1000 - 61;
      utimesSync(old ?? "", past, past);
      await appendAll(log, [{}], base);
      assert.deepEqual(commitsLeft().sort(), ["tmp-young", "unknown"]);
    });
  });
});
