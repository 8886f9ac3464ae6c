import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { surveyProject } from "./survey.ts";

/** A fact that can be assumed without looking, and the real check that decides about it. */
export interface Probe {
  readonly claim: string;
  readonly tool: string;
  run(project: string, terms: readonly string[]): ProbeResult;
}

export interface ProbeResult {
  readonly outcome: "confirmed" | "refuted";
  readonly evidence: string;
}

const writesMax = 20;
const writeBytes = 4_096;
const probeMs = 4_000;

const durableWrite: Probe = {
  claim: "one durable write takes more than 100 ms on this machine",
  tool: `${writesMax} writes of ${writeBytes} bytes with fsync in a temporary folder, timed`,
  run() {
    const times = timedWrites().sort((one, other) => one - other);
    const median = times[Math.floor(times.length / 2)] ?? 0;
    return {
      outcome: median > 100 ? "confirmed" : "refuted",
      evidence:
        `${times.length} durable writes of ${writeBytes} bytes in ${tmpdir()}: ` +
        `median ${median.toFixed(2)} ms, slowest ${(times.at(-1) ?? 0).toFixed(2)} ms`,
    };
  },
};

const projectSearch: Probe = {
  claim: "searching this project for the words of the question takes more than 5 s",
  tool: "a search through every text file of the project, timed",
  run(project, terms) {
    const start = performance.now();
    const { files, bytes } = surveyProject(project, terms);
    const seconds = (performance.now() - start) / 1_000;
    return {
      outcome: seconds > 5 ? "confirmed" : "refuted",
      evidence: `searched ${files} files (${bytes} characters) in ${seconds.toFixed(3)} s`,
    };
  },
};

const aboutStorage =
  /stor(?:e|age)|file|disk|sqlite|database|\bdb\b|sql|session|cache|log|persist|save|redis|durab|write|queue|\u0444\u0430\u0439\u043b|\u0431\u0430\u0437|\u0445\u0440\u0430\u043d|\u0434\u0438\u0441\u043a/i;

/** The two assumptions of a rehearsal, the one that is nearer to the question first. */
export function probesFor(question: string): readonly [Probe, Probe] {
  return aboutStorage.test(question)
    ? [durableWrite, projectSearch]
    : [projectSearch, durableWrite];
}

function timedWrites(): number[] {
  const folder = mkdtempSync(join(tmpdir(), "consulta-rehearsal-"));
  const file = openSync(join(folder, "probe"), "w");
  const block = Buffer.alloc(writeBytes, "consulta ");
  const times: number[] = [];
  const end = performance.now() + probeMs;
  try {
    while (times.length < writesMax && performance.now() < end) {
      const start = performance.now();
      writeSync(file, block);
      fsyncSync(file);
      times.push(performance.now() - start);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
  return times;
}
