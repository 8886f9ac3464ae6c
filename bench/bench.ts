/**
 * The measures of Consulta, through the built scripts as processes: `npm run bench`, or a choice of
 * sections, `npm run bench -- start wake`. `--write` puts all figures into docs/benchmarks.md.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureBrain } from "./brain.ts";
import { measureCollaboration, measureReviewers } from "./collaboration.ts";
import { measureBoardWake, measureCrowd, measureReadAll } from "./findings.ts";
import { measureHooks } from "./hooks.ts";
import type { Section } from "./measure.ts";
import { measureRemotes } from "./remotes.ts";
import { measureStart } from "./start.ts";
import { measureView } from "./view.ts";
import { measureWake } from "./wake.ts";
import { measureWriters } from "./writers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    /** Events of the large log. */
    events: { type: "string", default: "1000000" },
    /** The scripts of an older build, which hooks are compared with. */
    other: { type: "string" },
    rounds: { type: "string", default: "61" },
    loops: { type: "string", default: "32" },
    /** Events that each loop appends. */
    each: { type: "string", default: "100" },
    /** Rounds in which all reviewers submit at once. */
    reviews: { type: "string", default: "200" },
    samples: { type: "string", default: "100" },
    /** Rounds in which all agents of a board act at once. */
    crowds: { type: "string", default: "50" },
    agents: { type: "string", default: "32" },
    findings: { type: "string", default: "1000" },
    /** Events of a long session that machines share. */
    shared: { type: "string", default: "20000" },
    /** Memories of the largest brain; the others have a tenth and a hundredth of them. */
    memories: { type: "string", default: "1000000" },
  },
});

const rounds = Number(values.rounds);
const sections = new Map<string, (folder: string) => Promise<Section> | Section>([
  [
    "start",
    (folder) => {
      const largeEventsCount = Number(values.events);
      return measureStart({ folder, largeEventsCount, rounds });
    },
  ],
  [
    "writers",
    (folder) => {
      const loopsCount = Number(values.loops);
      return measureWriters({ folder, loopsCount, eventsEach: Number(values.each) });
    },
  ],
  ["wake", (folder) => measureWake(folder, Number(values.samples))],
  ["view", (folder) => measureView({ folder, samples: Number(values.samples), rounds })],
  [
    "collaboration",
    (folder) =>
      measureCollaboration({
        folder,
        rounds,
        eventsCounts: [10, 1_000, 100_000, Number(values.events)],
        original: process.env["CONSULTA_ORIGINAL"],
      }),
  ],
  [
    "findings",
    (folder) =>
      measureCrowd({
        folder,
        rounds: Number(values.crowds),
        agents: Number(values.agents),
        reports: 3,
      }),
  ],
  [
    "board-wake",
    (folder) =>
      measureBoardWake(folder, { agents: Number(values.agents), rounds: 10, idleSeconds: 60 }),
  ],
  ["read-all", (folder) => measureReadAll(folder, Number(values.findings), 11)],
  [
    "brain",
    (folder) => {
      const largest = Number(values.memories);
      return measureBrain({ folder, counts: [largest / 100, largest / 10, largest] });
    },
  ],
  ["hooks", (folder) => measureHooks({ folder, rounds, other: values.other })],
  ["reviewers", (folder) => measureReviewers(folder, Number(values.reviews), 8)],
  ["remotes", () => measureRemotes(Number(values.samples) / 4, Number(values.shared))],
]);

if (values.write && positionals.length > 0) {
  throw new Error("--write takes no choice of sections: the document holds all figures of one run");
}
const document = join(import.meta.dirname, "..", "docs", "benchmarks.md");
const texts = [
  "# Benchmarks\n",
  `Written by \`npm run bench -- --write\` on ${machine()}. The scripts of \`dist/\` run as processes;`,
  "every figure that is compared with `node -e 0` was taken beside it, in the same run.\n",
];
for (const name of positionals.length > 0 ? positionals : sections.keys()) {
  const text = markdown(await measured(name));
  console.log(text);
  texts.push(text);
}
if (values.write) {
  mkdirSync(join(document, ".."), { recursive: true });
  writeFileSync(document, texts.join("\n"));
}

async function measured(name: string): Promise<Section> {
  const measure = sections.get(name);
  if (measure === undefined) {
    throw new Error(`no section ${name}; there are: ${[...sections.keys()].join(", ")}`);
  }
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "consulta-bench-"));
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function machine(): string {
  return `${availableParallelism()} CPUs, Node ${process.version}, ${process.platform} ${process.arch}`;
}

function markdown({ title, columns, rows, notes }: Section): string {
  const lines = [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [`## ${title}`, "", ...lines, "", ...notes, ""].join("\n");
}
