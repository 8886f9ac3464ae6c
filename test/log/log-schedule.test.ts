import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { Cursor } from "../../scripts-src/log/event-log.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { randomRuns } from "../random-runs.ts";
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

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));
let runs = 0;
const newFolder = () => join(scratch, `run-${runs++}`);

function writersOf<Names extends string>(
  open: OpenLog,
  folder: string,
  names: readonly Names[],
  eventOf = eventWithId,
) {
  const writers = names.map((name) => [name, new Writer(open(folder), name, eventOf)] as const);
  return Object.fromEntries(writers) as Record<Names, Writer>;
}

/** A writer is late with its link. */
async function playLateLink(open: OpenLog): Promise<void> {
  const folder = newFolder();
  const { late, winner } = writersOf(open, folder, ["late", "winner"]);
  await late.stepUntil("link");
  await winner.stepUntil(undefined);
  await late.stepUntil(undefined);
  assert.deepEqual(winner.acknowledged, ["winner-0"]);
  await checkHistory(folder, [...late.acknowledged, "winner-0"]);
}

/** Two writers are late with their link, and the second meets the stale commit of the first. */
async function playMetLateLink(open: OpenLog): Promise<void> {
  const folder = newFolder();
  const { late, helper, winner } = writersOf(open, folder, ["late", "helper", "winner"]);
  await late.stepUntil("link");
  await helper.stepUntil("link");
  await winner.stepUntil(undefined);
  await late.stepUntil("look again");
  await helper.stepUntil(undefined);
  await late.stepUntil(undefined);
  assert.deepEqual(winner.acknowledged, ["winner-0"]);
  await checkHistory(
    folder,
    [late, helper, winner].flatMap(({ acknowledged }) => acknowledged),
  );
}

/** Its link comes after an equal event was stored and its commit cleared away. */
async function playEqualLateLink(open: OpenLog): Promise<void> {
  const folder = newFolder();
  const { late, winner } = writersOf(open, folder, ["late", "winner"], equalEvent);
  await late.stepUntil("link");
  await winner.stepUntil(undefined);
  await late.stepUntil(undefined);
  assert.deepEqual([late.seqs, winner.seqs], [[], [1]], "an event is acknowledged twice");
  assert.equal((await readEvents(openLog(folder))).length, 1);
}

/** A helper writes what a writer has linked, before that writer looks again. */
async function playHelped(open: OpenLog): Promise<void> {
  const folder = newFolder();
  const { slow, helper } = writersOf(open, folder, ["slow", "helper"], equalEvent);
  await slow.stepUntil("look again");
  await helper.stepUntil(undefined);
  await slow.stepUntil(undefined);
  assert.deepEqual([slow.seqs, helper.seqs], [[1], []], "a writer does not know its event");
  assert.equal((await readEvents(openLog(folder))).length, 1);
}

/** What happens, how the algorithm takes it, and what would go wrong without one text of it. */
const plays: [
  name: string,
  play: (open: OpenLog) => Promise<void>,
  from: string,
  to: string,
  fault: RegExp,
][] = [
  [
    "a link that comes too late",
    playLateLink,
    "if (readTail(append).events.length > 0 && ",
    "if (false && ",
    /are lost|is damaged|fits the log/,
  ],
  [
    "a stale link that a helper meets",
    playMetLateLink,
    "if (tail.events.length > 0) return;",
    "",
    /are lost|is damaged|fits the log/,
  ],
  [
    "an equal event of another writer",
    playEqualLateLink,
    "&& !isCommitMarked(own)",
    "&& !isStored(append.logFile, commit)",
    /acknowledged twice/,
  ],
  [
    "an equal event that a helper wrote",
    playHelped,
    "    markCommit(file);\n",
    "",
    /does not know its event/,
  ],
];

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

describe("writers that stop anywhere", { timeout: 240_000 }, () => {
  for (const [name, play, from, to, fault] of plays) {
    it(`lose and double nothing by ${name}`, () => play(openLog));

    it(`would by ${name}, without ${from.trim()}`, async () => {
      await assert.rejects(play(await openMutant(scratch, from, to)), fault);
    });
  }

  const orders: [what: string, eventOf: EventOf, numRuns: number][] = [
    ["events with ids", eventWithId, 150],
    ["equal events", equalEvent, 100],
  ];
  for (const [what, eventOf, numRuns] of orders) {
    it(`lose and double no ${what} in any order, whoever dies`, async (t) => {
      let played = 0;
      const property = fc.asyncProperty(schedule, async (bursts) => {
        const folder = newFolder();
        const writers = await play(bursts, folder, eventOf);
        await checkSeqs(folder, writers);
        const acknowledged = writers.flatMap((writer) => writer.acknowledged);
        if (eventOf === eventWithId) await checkHistory(folder, acknowledged);
        for (const writer of writers) writer.release();
        played += 1;
      });
      await fc.assert(property, { numRuns: randomRuns(numRuns) });
      t.diagnostic(`${played} schedules`);
    });
  }
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
