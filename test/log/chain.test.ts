import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { appendAll, makeEvent } from "./check-event-log.ts";

const hashOf = (line: string) => createHash("sha256").update(line).digest("hex");

describe("the chain of a log", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = makeScratchFolder();
    path = join(folder, "events.jsonl");
  });
  afterEach(() => removeFolder(folder));
  const linesOf = () => readFileSync(path, "utf8").split("\n").slice(0, -1);
  const write = (lines: readonly string[]) => writeFileSync(path, `${lines.join("\n")}\n`);
  const chain = () => new FileEventLog(folder).chain();
  const foreign = (seq: number) => JSON.stringify(makeEvent(seq));

  it("gives every event the hash of the line before it, and the first that of nothing", async () => {
    await appendAll(new FileEventLog(folder), [{}, { text: "ünd\u2028so" }, {}]);
    const lines = linesOf();
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).prev),
      ["", ...lines.slice(0, -1)].map(hashOf),
    );
    assert.deepEqual(await chain(), { links: 3, unchained: 0, changed: [] });
  });

  it("does not take over what somebody gives as prev", async () => {
    await appendAll(new FileEventLog(folder), [{ prev: "f".repeat(64) }]);
    assert.equal(JSON.parse(linesOf()[0] ?? "").prev, hashOf(""));
  });

  it("says which line was changed", async () => {
    await appendAll(new FileEventLog(folder), [{}, { text: "keep WAL" }, {}, {}]);
    write(linesOf().map((line) => line.replace("keep WAL", "drop WAL")));
    const changed = [{ seq: 2, line: 2, nextSeq: 3 }];
    assert.deepEqual(await chain(), { links: 3, unchained: 0, changed });
  });

  it("says so of a first line too, and of one that lost its own prev", async () => {
    await appendAll(new FileEventLog(folder), [{}, {}, {}]);
    const [first = "", second = "", third = ""] = linesOf();
    write([first.replace("event 1", "event one"), second, third]);
    assert.deepEqual((await chain()).changed, [{ seq: 1, line: 1, nextSeq: 2 }]);
    const { prev: _, ...bare } = JSON.parse(second);
    write([first, JSON.stringify(bare), third]);
    const { changed, unchained } = await chain();
    assert.deepEqual(changed, [{ seq: 2, line: 2, nextSeq: 3 }]);
    assert.equal(unchained, 1);
  });

  it("goes on behind a log without any, which stays sound", async () => {
    writeFileSync(path, `${foreign(1)}\n${foreign(2)}\n`);
    const log = new FileEventLog(folder);
    await appendAll(log, [{}], (await log.read(log.start)).cursor);
    assert.equal(JSON.parse(linesOf()[2] ?? "").prev, hashOf(linesOf()[1] ?? ""));
    assert.deepEqual(await chain(), { links: 1, unchained: 2, changed: [] });
    appendFileSync(path, `${foreign(4)}\n`);
    await appendAll(log, [{}], (await log.read(log.start)).cursor);
    assert.deepEqual(await chain(), {
      links: 2,
      unchained: 3,
      changed: [],
    });
  });

  it("is not broken by a torn line, an open one, or blank ones of others", async () => {
    const log = new FileEventLog(folder, { shared: true });
    const first = await appendAll(log, [{}]);
    appendFileSync(path, `{"seq":2,"torn`);
    const second = await appendAll(log, [{}], first);
    appendFileSync(path, `\n  \n${foreign(3)}`);
    assert(second);
    await appendAll(log, [{}], (await log.read(log.start)).cursor);
    const { changed, links } = await chain();
    assert.deepEqual({ changed, links }, { changed: [], links: 3 });
  });

  it("is computed anew by whoever lost a race", async () => {
    const [one, other] = [new FileEventLog(folder), new FileEventLog(folder)];
    const base = await appendAll(one, [{}]);
    await appendAll(one, [{}], base);
    assert.equal(await other.append(base, makeEvent(2)), undefined);
    await appendAll(other, [{}], (await other.read(base)).cursor);
    assert.deepEqual(await chain(), { links: 3, unchained: 0, changed: [] });
  });
});
