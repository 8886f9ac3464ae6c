import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { Cursor } from "../../scripts-src/log/event-log.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { checkHistory } from "./append-loop.ts";
import { makeEvent, readEvents } from "./check-event-log.ts";

type OpenLog = (folder: string) => FileEventLog;
const openLog: OpenLog = (folder) => new FileEventLog(folder, { durable: false });

type EventOf = (seq: number, id: string) => LogEvent;
const eventWithId: EventOf = (seq, id) => makeEvent(seq, { id });
/** As those of a collaboration, which the originals read as well: nothing tells who wrote it. */
const equalEvent: EventOf = (seq) => {
  const { id: _, ...event } = makeEvent(seq);
  return event;
};

/** A writer that stops wherever another may act; it retries until its event is stored. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly seqs: number[] = [];
  readonly #log: FileEventLog;
  readonly #name: string;
  readonly #eventOf: EventOf;
  #cursor: Cursor;
  #steps: Generator<string, Cursor | undefined> | undefined;
  #id = "";

  constructor(log: FileEventLog, name: string, eventOf: EventOf = eventWithId) {
    this.#log = log;
    this.#name = name;
    this.#eventOf = eventOf;
    this.#cursor = log.start;
  }

  /** Does one step; gives the name of the next, or undefined at the end of an append. */
  async step(): Promise<string | undefined> {
    if (this.#steps === undefined) {
      ({ cursor: this.#cursor } = await this.#log.read(this.#cursor));
      this.#id = `${this.#name}-${this.acknowledged.length}`;
      const event = this.#eventOf(this.#cursor.seq + 1, this.#id);
      this.#steps = this.#log.appendSteps(this.#cursor, event);
    }
    const step = this.#steps.next();
    if (!step.done) return step.value;
    this.#steps = undefined;
    if (step.value === undefined) return undefined;
    this.acknowledged.push(this.#id);
    this.seqs.push(step.value.seq);
    return undefined;
  }

  async stepUntil(name: string | undefined): Promise<void> {
    while ((await this.step()) !== name);
  }

  /** Closes the files of an append that was left in the middle. */
  release(): void {
    this.#steps?.return(undefined);
  }
}

/** Two writers are late with their link, and the second meets the stale commit of the first. */
async function playLateLinks(open: OpenLog, folder: string, meet: boolean): Promise<void> {
  const [late, helper, winner] = ["late", "helper", "winner"].map(
    (name) => new Writer(open(folder), name),
  );
  assert(late && helper && winner);
  await late.stepUntil("link");
  if (meet) await helper.stepUntil("link");
  await winner.stepUntil(undefined);
  if (meet) {
    await late.stepUntil("look again");
    await helper.stepUntil(undefined);
  }
  await late.stepUntil(undefined);
  const all = [late, helper, winner].flatMap(({ acknowledged }) => acknowledged);
  assert(all.includes("winner-0"));
  await checkHistory(folder, all);
}

describe("writers that stop anywhere", { timeout: 240_000 }, () => {
  let scratch: string;
  let runs = 0;
  before(() => {
    scratch = makeScratchFolder();
  });
  after(() => removeFolder(scratch));
  const newFolder = () => join(scratch, `run-${runs++}`);

  it("lose nothing when a link comes too late", () => playLateLinks(openLog, newFolder(), false));
  it("lose nothing when a helper meets it", () => playLateLinks(openLog, newFolder(), true));

  const mutations: [name: string, meet: boolean, from: string, to: string][] = [
    ["the writer's", false, "if (readTail(append).events.length > 0 && ", "if (false && "],
    ["the helper's", true, "if (tail.events.length > 0) return;", ""],
  ];
  for (const [name, meet, from, to] of mutations) {
    it(`would lose events without ${name} second look`, async () => {
      const open = await openMutant(scratch, from, to);
      await assert.rejects(
        playLateLinks(open, newFolder(), meet),
        /are lost|is damaged|fits the log/,
      );
    });
  }

  it("lose and double nothing in any order, whoever dies", async (t) => {
    let played = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (bursts) => {
        const folder = newFolder();
        const writers = await play(bursts, folder, eventWithId);
        await checkHistory(
          folder,
          writers.flatMap((writer) => writer.acknowledged),
        );
        for (const writer of writers) writer.release();
        played += 1;
      }),
      { numRuns: 600 },
    );
    t.diagnostic(`${played} schedules`);
  });
});

/** Its link comes after an equal event was stored and its commit cleared away. */
async function playEqualLateLink(open: OpenLog, folder: string): Promise<Writer[]> {
  const [late, winner] = ["late", "winner"].map(
    (name) => new Writer(open(folder), name, equalEvent),
  );
  assert(late && winner);
  await late.stepUntil("link");
  await winner.stepUntil(undefined);
  await late.stepUntil(undefined);
  return [late, winner];
}

/** A helper writes what a writer has linked, before that writer looks again. */
async function playHelped(open: OpenLog, folder: string): Promise<Writer[]> {
  const [slow, helper] = ["slow", "helper"].map(
    (name) => new Writer(open(folder), name, equalEvent),
  );
  assert(slow && helper);
  await slow.stepUntil("look again");
  await helper.stepUntil(undefined);
  await slow.stepUntil(undefined);
  return [slow, helper];
}

/** Each acknowledgement is of an event of its own. */
async function checkSeqs(folder: string, writers: Writer[]): Promise<void> {
  const { length } = await readEvents(openLog(folder));
  const seqs = writers.flatMap((writer) => writer.seqs);
  assert.equal(new Set(seqs).size, seqs.length, "an event is acknowledged twice");
  assert(
    seqs.every((seq) => seq <= length),
    "an acknowledged event is lost",
  );
}

describe("writers of equal events", { timeout: 240_000 }, () => {
  let scratch: string;
  let runs = 0;
  before(() => {
    scratch = makeScratchFolder();
  });
  after(() => removeFolder(scratch));
  const newFolder = () => join(scratch, `run-${runs++}`);

  it("take no other's event for their own", async () => {
    const folder = newFolder();
    const [late, winner] = await playEqualLateLink(openLog, folder);
    assert.deepEqual([late?.seqs, winner?.seqs], [[], [1]]);
    assert.equal((await readEvents(openLog(folder))).length, 1);
  });

  it("know the event that a helper wrote for them", async () => {
    const folder = newFolder();
    const [slow, helper] = await playHelped(openLog, folder);
    assert.deepEqual([slow?.seqs, helper?.seqs], [[1], []]);
    assert.equal((await readEvents(openLog(folder))).length, 1);
  });

  it("would not without the mark", async () => {
    const byBytes = await openMutant(
      scratch,
      "&& !isCommitMarked(own)",
      "&& !isStored(append.logFile, commit)",
    );
    const [late, winner] = await playEqualLateLink(byBytes, newFolder());
    assert.deepEqual([late?.seqs, winner?.seqs], [[1], [1]]);
    const unmarked = await openMutant(scratch, "    markCommit(file);\n", "");
    const [slow] = await playHelped(unmarked, newFolder());
    assert.deepEqual(slow?.seqs, []);
  });

  it("are acknowledged once for each event, in any order, whoever dies", async (t) => {
    let played = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (bursts) => {
        const folder = newFolder();
        const writers = await play(bursts, folder, equalEvent);
        await checkSeqs(folder, writers);
        for (const writer of writers) writer.release();
        played += 1;
      }),
      { numRuns: 300 },
    );
    t.diagnostic(`${played} schedules`);
  });
});

const burst = fc.record({
  writer: fc.nat(2),
  steps: fc.integer({ min: 1, max: 16 }),
  dies: fc.integer({ min: 0, max: 11 }).map((number) => number === 0),
});
const schedule = fc.array(burst, { minLength: 5, maxLength: 30 });

interface Burst {
  readonly writer: number;
  readonly steps: number;
  readonly dies: boolean;
}

/** Gives all that ever wrote. */
async function play(bursts: Burst[], folder: string, eventOf: EventOf): Promise<Writer[]> {
  let born = 0;
  const newWriter = () => new Writer(openLog(folder), `w${born++}`, eventOf);
  const everybody = [newWriter(), newWriter(), newWriter()];
  const living = [...everybody];
  for (const { writer, steps, dies } of bursts) {
    for (let count = 0; count < steps; count += 1) await living[writer]?.step();
    if (!dies) continue;
    const heir = newWriter();
    everybody.push(heir);
    living[writer] = heir;
  }
  // Whoever is left can always go on.
  await living[0]?.stepUntil(undefined);
  for (let tries = 0; tries < 3; tries += 1) await living[1]?.stepUntil(undefined);
  assert(living[1]?.acknowledged.length, "a dead writer stands in the way");
  return everybody;
}

let mutants = 0;

/** The same store with one text of the algorithm replaced. */
async function openMutant(scratch: string, from: string, to: string): Promise<OpenLog> {
  const entry = fileURLToPath(new URL("../../scripts-src/log/file-event-log.ts", import.meta.url));
  const outfile = join(scratch, `mutant-${mutants++}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: [
      {
        name: "mutate",
        setup({ onLoad }) {
          onLoad({ filter: /compare-and-swap\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, "utf8");
            assert.equal(text.split(from).length, 2, `${from} is not in the algorithm once`);
            return { contents: text.replace(from, to), loader: "ts" };
          });
        },
      },
    ],
  });
  const mutant: { FileEventLog: typeof FileEventLog } = await import(pathToFileURL(outfile).href);
  return (folder) => new mutant.FileEventLog(folder, { durable: false });
}
