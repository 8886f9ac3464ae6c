import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../scripts-src/base/json.ts";
import { FileEventLog } from "../scripts-src/log/file-event-log.ts";
import { placeIn } from "../scripts-src/session/place.ts";
import { findWorkspace } from "../scripts-src/session/workspace/workspace.ts";
import { draftFor, participants, sessionId } from "./build-session.ts";
import {
  buildProject,
  environment,
  nothing,
  quantile,
  type Section,
  script,
  verdict,
} from "./measure.ts";

export interface WritersOptions {
  readonly folder: string;
  readonly loopsCount: number;
  /** Processes that each loop runs, one after another. */
  readonly eventsEach: number;
}

/** A process that was waited for. */
interface Run {
  readonly status: number;
  readonly tookMs: number;
}

interface Rate {
  readonly runs: Run[];
  readonly perSecond: number;
}

const builtEvents = 10;

/**
 * Parallel loops that start one `append-event` after another on one session, each side's half of
 * them; before and after, as many loops of `node -e 0`.
 */
export async function measureWriters(options: WritersOptions): Promise<Section> {
  const { folder, loopsCount, eventsEach } = options;
  const project = join(folder, "writers");
  buildProject(project, builtEvents);
  const messages = join(folder, "messages");
  mkdirSync(messages);
  const names: string[] = [];
  for (let loop = 0; loop < loopsCount; loop += 1) {
    for (let turn = 0; turn < eventsEach; turn += 1) {
      const name = `loop ${loop} turn ${turn}`;
      writeFileSync(join(messages, `${loop}-${turn}.json`), JSON.stringify(draftFor(name)));
      names.push(name);
    }
  }
  const half = { ...options, eventsEach: Math.ceil(eventsEach / 2) };
  const before = await inLoops(half, folder, () => nothing);
  const appends = await inLoops(options, project, (loop, turn) =>
    script("append-event", ...wordsOf(loop), join(messages, `${loop}-${turn}.json`)),
  );
  const after = await inLoops(half, folder, () => nothing);
  const bare = (before.perSecond + after.perSecond) / 2;
  return report(options, bare, appends, await audit(project, names));
}

function wordsOf(loop: number): string[] {
  const participant = participants[loop % 2 === 0 ? 0 : 1];
  return ["--session", sessionId, "--participant", participant, "--message"];
}

async function inLoops(
  { loopsCount, eventsEach }: WritersOptions,
  cwd: string,
  argvFor: (loop: number, turn: number) => readonly string[],
): Promise<Rate> {
  const runs: Run[] = [];
  const from = performance.now();
  await Promise.all(
    Array.from({ length: loopsCount }, async (_, loop) => {
      for (let turn = 0; turn < eventsEach; turn += 1) {
        runs.push(await runOnce(argvFor(loop, turn), cwd));
      }
    }),
  );
  return { runs, perSecond: runs.length / ((performance.now() - from) / 1_000) };
}

function runOnce(argv: readonly string[], cwd: string): Promise<Run> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const stdio = ["ignore", "ignore", "inherit"] as const;
    const child = spawn(process.execPath, argv, { cwd, env: environment, stdio: [...stdio] });
    child.on("error", reject);
    child.on("exit", (code) => resolve({ status: code ?? 1, tookMs: performance.now() - from }));
  });
}

interface Audit {
  readonly lost: number;
  readonly duplicated: number;
  readonly seqsContinuous: boolean;
  readonly validate: number;
}

/** Reads the whole log and looks for every message by its words. */
async function audit(project: string, names: readonly string[]): Promise<Audit> {
  const log = new FileEventLog(placeIn(findWorkspace(project), sessionId).folder);
  const found = new Map<string, number>();
  let [cursor, seq, seqsContinuous] = [log.start, 0, true];
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    for (const event of page.events) {
      seqsContinuous &&= event.seq === seq + 1;
      seq = event.seq;
      const content = contentOf(event["message"]);
      found.set(content, (found.get(content) ?? 0) + 1);
    }
    ({ cursor, more } = page);
  }
  const counts = names.map((name) => found.get(`Step ${name}: ${wordsOfStep}`) ?? 0);
  const { status } = await runOnce(script("validate", "--session", sessionId), project);
  return {
    lost: counts.filter((count) => count === 0).length,
    duplicated: counts.filter((count) => count > 1).length,
    seqsContinuous: seqsContinuous && seq === builtEvents + names.length,
    validate: status,
  };
}

const wordsOfStep = "the measurement agrees with the one before.";

function contentOf(message: unknown): string {
  const proposal = isRecord(message) ? message["question_or_proposal"] : undefined;
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  return typeof content === "string" ? content : "";
}

function report(
  { loopsCount, eventsEach }: WritersOptions,
  bare: number,
  { runs, perSecond }: Rate,
  { lost, duplicated, seqsContinuous, validate }: Audit,
): Section {
  const failed = runs.filter(({ status }) => status !== 0).length;
  const times = runs.map(({ tookMs }) => tookMs);
  const count = (value: number) => verdict(value, value === 0, 0);
  return {
    title: `Writers: ${loopsCount} loops of ${eventsEach} \`append-event\` each, on one session`,
    columns: ["what", "value", "target"],
    rows: [
      ["refused", count(failed), "0"],
      ["lost", count(lost), "0"],
      ["duplicated", count(duplicated), "0"],
      ["seq continuous", seqsContinuous ? "yes ok" : "no **missed**", "yes"],
      ["`validate` exit code", verdict(validate, validate === 0, 0), "0"],
      ["bare `node -e 0`, a second", bare.toFixed(1), ""],
      ["`append-event`, a second", perSecond.toFixed(1), ""],
      ["rate against bare", verdict(perSecond / bare, perSecond / bare >= 0.8), "0.80 or more"],
      [
        "one append, p50 / p99 ms",
        `${quantile(times, 0.5).toFixed(0)} / ${quantile(times, 0.99).toFixed(0)}`,
        "",
      ],
    ],
    notes: ["Half of the bare starts run before the appends, half after them."],
  };
}
