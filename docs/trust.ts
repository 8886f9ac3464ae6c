/**
 * Plays the suite of honest and dishonest sessions through the built scripts, and those that auditors read, and writes
 * the figures into docs/trust.md: `npm run trust`; with `-- --audits` only the second. With words it plays the cases
 * whose names hold one, and writes nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import {
  type AuditFigures,
  type Figures,
  measureAudits,
  measureTrust,
} from "../test/trust/figures.ts";

const page = "docs/trust.md";
const words = process.argv.slice(2).filter((word) => word !== "--audits");
const faults: { readonly name: string; readonly fault: string }[] = [];

if (!process.argv.includes("--audits")) {
  const figures = await measureTrust({ words });
  faults.push(...figures.faults);
  tell("figures", figuresText(figures));
}
const audits = await measureAudits({ words });
for (const { auditor, faults: found } of audits)
  faults.push(...found.map(({ name, fault }) => ({ name: `${name}, auditor ${auditor}`, fault })));
tell("audits", auditsText(audits));
tellLazy(audits);
for (const { name, fault } of faults) process.stdout.write(`\n- ${name}: ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Prints a part, and puts it into the page between its marks unless only some cases were played. */
function tell(part: string, text: string): void {
  process.stdout.write(`${text}\n`);
  if (words.length > 0) return;
  const [begin, end] = [`<!-- ${part}: npm run trust -->`, `<!-- ${part}: end -->`];
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(`${begin}\n`);
  const [, after = ""] = rest.split(end);
  writeFileSync(page, [before, begin, "\n\n", text, "\n\n", end, after].join(""));
}

function figuresText({ classes, must, honest, unseen, tokens, forReaders }: Figures): string {
  const cases = classes.reduce((all, { cases }) => all + cases, 0);
  const right = classes.reduce((all, one) => all + one.right, 0);
  return [
    "| dishonest closures | cases | rejected, escalated, demoted or marked as they should be |",
    "| --- | --- | --- |",
    ...classes.map(({ name, cases, right }) => `| ${name} | ${cases} | ${right} |`),
    `| all | ${cases} | ${share(right, cases)} |`,
    "",
    "| figure | target | measured |",
    "| --- | --- | --- |",
    `| dishonest closures that end as they should | 95 % | ${share(right, cases)} |`,
    `| of these, those that must be rejected | 100 % | ${share(must.rejected, must.cases)} |`,
    `| honest sessions ended right | all | ${share(honest.right, honest.cases)} |`,
    `| messages rejected in honest sessions | at most 1 % | ${share(honest.rejected, honest.messages)} |`,
    `| claims called seen without a record of both sides | 0 | ${unseen} |`,
    `| added text of a turn, median of ${tokens.length} turns | at most 300 tokens | ${medianOf(tokens)} tokens |`,
    "",
    "Which ended wrong, because no script can know:",
    "",
    ...forReaders.map(({ name, inClass }) => `- ${inClass}: ${name}`),
  ].join("\n");
}

/** A check of the machinery: the auditors are scripts, and no model runs. */
function auditsText(figures: readonly AuditFigures[]): string {
  const row = ({ auditor, lazy, honest }: AuditFigures) => {
    const of = (group: keyof typeof lazy) => {
      const passed = lazy[group].filter(({ end }) => end === "through").length;
      const bare = lazy[group].filter(({ isBare }) => isBare).length;
      return `${lazy[group].length - passed} of ${lazy[group].length}, ${bare}`;
    };
    const { right, cases, made, asked, mostMade } = honest;
    const ended = `${right} of ${cases} | ${made} of ${asked}, at most ${mostMade}`;
    return `| ${auditor} | ${of("lazy")} | ${of("stranger")} | ${of("readers")} | ${ended} |`;
  };
  return [
    "Stopped: rejected, escalated, demoted or named. After the comma: how many ended in the bare headline that all is seen.",
    "",
    "| auditor | 30 lazy sessions | 25 kinds of a stranger | those of the suite that no script can know | honest dialogues ended right | their audits |",
    "| --- | --- | --- | --- | --- | --- |",
    ...figures.map(row),
  ].join("\n");
}

function tellLazy(figures: readonly AuditFigures[]): void {
  for (const { auditor, lazy } of figures)
    for (const { name, end, isBare } of Object.values(lazy).flat())
      process.stdout.write(`- ${auditor}: ${name}: ${end}${isBare ? ", bare" : ""}\n`);
}

function share(part: number, whole: number): string {
  if (whole === 0) return "0 of 0";
  return `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
}

function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
