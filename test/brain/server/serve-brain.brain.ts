import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ensureBrainFolder,
  readEndpoint,
  writeEndpoint,
} from "../../../scripts-src/brain/endpoint.ts";
import { BrainLog } from "../../../scripts-src/brain/server/brain-log.ts";
import { openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { folderIdentity } from "../../../scripts-src/files/folder-identity.ts";
import { hasOwnSqlite } from "../../other-node.ts";
import { BrainPlace } from "../brain-process.ts";

let place: BrainPlace;
beforeEach(() => {
  place = new BrainPlace();
});
afterEach(() => place.remove());

const endpointPath = () => join(place.folder, "endpoint.json");

describe("a project's one brain", () => {
  it("makes the second starter step back, and the folder its owner's only", async () => {
    const first = await place.start();
    const second = await place.start();
    assert.deepEqual(await second.said(1), ["ended: undefined"]);
    assert.equal(await second.exited, 0);
    assert.equal(first.child.exitCode, null);
    await place.assertAlive();
  });

  it("is one of many that were started at once, also where its database has to be replaced first", async () => {
    const first = await place.start();
    const hasBackup = () => readdirSync(place.folder).some((it) => it.startsWith("brain.backup-2"));
    while (!hasBackup()) await sleep(50);
    first.child.kill("SIGKILL");
    await first.exited;
    for (const ending of ["", "-wal"]) rmSync(join(place.folder, `brain.db${ending}`));
    const all = await Promise.all(Array.from({ length: 5 }, () => place.start()));
    const lines = await Promise.all(all.map((it) => it.said(1)));
    const others = lines.filter(([line]) => line === "ended: undefined");
    assert.equal(others.length, 4, JSON.stringify(lines));
    await place.assertAlive();
  });

  it("does not start where a program holds the database, and its log says so", async () => {
    const holders: (() => Promise<{ close(): void }>)[] = [() => openStore(place.folder)];
    if (hasOwnSqlite)
      holders.push(async () => {
        const { DatabaseSync } = await import("node:sqlite");
        const database = new DatabaseSync(join(place.folder, "brain.db"));
        database.exec("begin exclusive");
        return database;
      });
    for (const hold of holders) {
      const holder = await hold();
      const brain = await place.start();
      assert.notEqual(await brain.exited, 0);
      holder.close();
      const log = readFileSync(join(place.folder, "brain.log"), "utf8");
      assert.match(log, /failed: .*brain\.(?:db|lock): another process holds it/);
      rmSync(join(place.folder, "brain.log"));
    }
  });

  it("is started anew after it was killed, on a new port with a new token", async () => {
    const first = await place.start();
    const before = place.endpoint();
    first.child.kill("SIGKILL");
    await first.exited;
    await place.start();
    const after = place.endpoint();
    assert(after.token !== before.token && after.pid !== before.pid);
    await place.assertAlive();
  });

  it("leaves in order when it is told to, and takes its address along", async () => {
    const brain = await place.start();
    const client = await place.client();
    const waiting = client.ask("session.wait", { session: "one" });
    await sleep(50);
    brain.child.kill("SIGTERM");
    await assert.rejects(waiting, /the connection is closed/);
    assert.equal(await brain.exited, 0);
    assert(!existsSync(endpointPath()));
    const log = readFileSync(join(place.folder, "brain.log"), "utf8");
    assert.match(log, /listens on 127\.0\.0\.1:\d+.*\n.*ends: it was told to\n$/);
    assert.doesNotMatch(log, /[0-9a-f]{64}/);
  });

  it("leaves when nobody has needed it for long, not while somebody is there", async () => {
    const brain = await place.start(1_000);
    const client = await place.client();
    await sleep(2_500);
    assert.equal(brain.child.exitCode, null);
    client.line?.close();
    assert.deepEqual((await brain.said(2))[1], "ended: nobody has needed it");
    assert.equal(await brain.exited, 0);
  });

  it("leaves when its folder is gone", async () => {
    const brain = await place.start();
    rmSync(place.root, { recursive: true });
    assert.deepEqual((await brain.said(2))[1], "ended: its folder is gone");
    mkdirSync(place.root);
  });

  it("leaves when the project's config switches it off, and not for one that is half written", async () => {
    const config = join(place.root, "config.json");
    writeFileSync(config, '{"brain": fal');
    const brain = await place.start(400);
    const client = await place.client();
    await sleep(1_000);
    assert.equal(brain.child.exitCode, null);
    writeFileSync(config, '{"brain": false}');
    assert.deepEqual((await brain.said(2))[1], "ended: config.json has switched it off");
    client.line?.close();
  });
});

describe("the address of a brain", () => {
  const endpoint = { protocol: 3, port: 4_000, token: "t", pid: 7, started: "now" };

  it("is read as it was written", () => {
    writeEndpoint(place.folder, endpoint);
    assert.deepEqual(readEndpoint(place.folder), endpoint);
  });

  const odd: [name: string, text: string][] = [
    ["empty", ""],
    ["torn", '{"protocol":1,"po'],
    ["no object", "[]"],
    ["of another protocol", JSON.stringify({ ...endpoint, protocol: 4 })],
    ["without a token", JSON.stringify({ ...endpoint, token: undefined })],
    ["of port 0", JSON.stringify({ ...endpoint, port: 0 })],
    ["of a port that is text", JSON.stringify({ ...endpoint, port: "80" })],
    ["of process -1", JSON.stringify({ ...endpoint, pid: -1 })],
    ["with a token that no header may hold", JSON.stringify({ ...endpoint, token: "a\r\nX: y" })],
    ["with an empty token", JSON.stringify({ ...endpoint, token: "" })],
    ["with a token that is too long", JSON.stringify({ ...endpoint, token: "t".repeat(300) })],
    ["larger than any", JSON.stringify({ ...endpoint, more: "x".repeat(20_000) })],
  ];
  it("is none when it makes no sense", () => {
    writeEndpoint(place.folder, endpoint);
    const where = folderIdentity(place.folder);
    for (const [name, text] of odd) {
      const whole = text.startsWith("{") && text.endsWith("}");
      const given = whole ? JSON.stringify({ ...JSON.parse(text), ...where }) : text;
      writeFileSync(endpointPath(), given);
      assert.equal(readEndpoint(place.folder), undefined, name);
    }
  });

  it("is none in a copy of its folder, nor where that was moved to", () => {
    writeEndpoint(place.folder, endpoint);
    const [copy, moved] = [`${place.folder}-copy`, `${place.folder}-moved`];
    cpSync(place.folder, copy, { recursive: true });
    assert.equal(readEndpoint(copy), undefined);
    renameSync(place.folder, moved);
    assert.equal(readEndpoint(moved), undefined);
    renameSync(moved, place.folder);
    assert.deepEqual(readEndpoint(place.folder), endpoint);
  });
});

describe("the log of a brain", () => {
  it("keeps to a line each and to its size", () => {
    const folder = ensureBrainFolder(place.root);
    const log = new BrainLog(folder, () => "now");
    log.note("one\n  two\u001b[31m");
    assert.equal(readFileSync(join(folder, "brain.log"), "utf8"), "now one | two\\u001b[31m\n");
    for (let count = 0; count < 600; count += 1) log.note("x".repeat(3_000));
    const sizes = ["brain.log", "brain.log.old"].map(
      (name) => readFileSync(join(folder, name)).length,
    );
    assert(
      sizes.every((size) => size > 1_000 && size < 530_000),
      sizes.join(),
    );
  });
});
