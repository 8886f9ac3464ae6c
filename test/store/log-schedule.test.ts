import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import type { Cursor } from "../../scripts-src/store/event-log.ts";
import { FileEventLog } from "../../scripts-src/store/file-event-log.ts";
import { checkHistory } from "./append-loop.ts";
import { makeEvent } from "./check-event-log.ts";
import { makeScratchFolder, removeFolder } from "./scratch-folder.ts";

type OpenLog = (folder: string) => FileEventLog;
const openLog: OpenLog = (folder) => new FileEventLog(folder, { durable: false });

/** A writer that stops wherever another may act; it retries until its event is stored. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly #log: FileEventLog;
  readonly #name: string;
  #cursor: Cursor;
  #steps: Generator<string, Cursor | undefined> | undefined;
  #id = "";

  constructor(log: FileEventLog, name: string) {
    this.#log = log;
    this.#name = name;
    this.#cursor = log.start;
  }

  /** Does one step; gives the name of the next, or undefined at the end of an append. */
  async step(): Promise<string | undefined> {
    if (this.#steps === undefined) {
      ({ cursor: this.#cursor } = await this.#log.read(this.#cursor));
      this.#id = `${this.#name}-${this.acknowledged.length}`;
      const event = makeEvent(this.#cursor.seq + 1, { id: this.#id });
      this.#steps = this.#log.appendSteps(this.#cursor, event);
    }
    const step = this.#steps.next();
    if (!step.done) return step.value;
    this.#steps = undefined;
    if (step.value !== undefined) this.acknowledged.push(this.#id);
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

describe("writers that stop anywhere", { timeout: 60_000 }, () => {
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
    const burst = fc.record({
      writer: fc.nat(2),
      steps: fc.integer({ min: 1, max: 16 }),
      dies: fc.integer({ min: 0, max: 11 }).map((number) => number === 0),
    });
    const schedule = fc.array(burst, { minLength: 5, maxLength: 30 });
    let played = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (bursts) => {
        await play(bursts, newFolder());
        played += 1;
      }),
      { numRuns: 600 },
    );
    t.diagnostic(`${played} schedules`);
  });
});

interface Burst {
  readonly writer: number;
  readonly steps: number;
  readonly dies: boolean;
}

async function play(bursts: Burst[], folder: string): Promise<void> {
  let born = 0;
  const newWriter = () => new Writer(openLog(folder), `w${born++}`);
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
  const acknowledged = everybody.flatMap((writer) => writer.acknowledged);
  await checkHistory(folder, acknowledged);
  for (const writer of everybody) writer.release();
}

/** The same store with one text of the algorithm replaced. */
async function openMutant(scratch: string, from: string, to: string): Promise<OpenLog> {
  const entry = fileURLToPath(
    new URL("../../scripts-src/store/file-event-log.ts", import.meta.url),
  );
  const outfile = join(scratch, `mutant-${to.length}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["chokidar"],
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
