import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve, sep } from "node:path";
import { startsProcess } from "./starts-process.ts";

/** What takes longest comes first, so that both lanes end together. */
const slowRooms = ["consult", "install", "wake", "trust", "security", "dialogue", "collaboration"];
const groupFilesMax = 4;
const lanes = 2;

/** Runs test files in two processes at a time, several in each; true when all of them passed. */
export async function runInGroups(files: readonly string[]): Promise<boolean> {
  const groups = groupsOf(files);
  const totals = new Map<string, number>();
  let hasPassed = true;
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const { code, output, seconds } = await runGroup(group);
      const counts = countsIn(output);
      const found = `${counts.get("tests") ?? 0} tests, ${counts.get("fail") ?? 0} failed`;
      console.log(
        `${code === 0 ? "ok" : "FAILED"} ${seconds.toFixed(1)} s: ${group.join(" ")}: ${found}`,
      );
      if (code !== 0) console.log(output.slice(Math.max(0, output.indexOf("✖ failing tests:"))));
      hasPassed &&= code === 0;
      for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  console.log([...totals].map(([name, count]) => `${name} ${count}`).join(", "));
  return hasPassed;
}

/** Files of one room together, those that start processes first; the others are of one sort, and quick. */
function groupsOf(files: readonly string[]): string[][] {
  const rank = (file: string) => {
    const at = slowRooms.indexOf(file.split(sep)[1] ?? "");
    return at < 0 ? slowRooms.length : at;
  };
  const starting = files.filter((file) => startsProcess(resolve(file)));
  const rules = files.filter((file) => !starting.includes(file));
  const sorted = [...starting].sort((one, other) => rank(one) - rank(other));
  const groups: string[][] = [];
  for (const file of sorted) {
    const last = groups.at(-1);
    const isFull = last?.length === groupFilesMax || rank(last?.[0] ?? "") !== rank(file);
    if (last === undefined || isFull) groups.push([file]);
    else last.push(file);
  }
  const halves = [0, 1].map((half) => rules.filter((_, index) => index % 2 === half));
  return [...groups, ...halves.filter((half) => half.length > 0)];
}

async function runGroup(files: readonly string[]) {
  const started = performance.now();
  const words = ["--import", "tsx", "--test-reporter=spec", "test/in-one-process.fixture.ts"];
  const child = spawn(process.execPath, [...words, ...files], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
  const [code] = await once(child, "close");
  return { code: Number(code ?? 1), output, seconds: (performance.now() - started) / 1_000 };
}

/** The figures below a report of `spec`: `tests 12`. */
function countsIn(output: string): Map<string, number> {
  const lines = output.matchAll(/^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/gm);
  return new Map([...lines].map(([, name = "", count]) => [name, Number(count)]));
}
