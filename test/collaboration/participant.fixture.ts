/**
 * One participant as a process of its own, which knows nothing but what the scripts print: it runs
 * `wait-for-turn`, asks `next-action --json`, does what is owed and runs the command that it was
 * given. Prints one line of JSON for each event that it appended.
 *
 *   node participant.cjs <first wait command> <folder> [file]
 *
 * The file gets a line of JSON for each moment between two scripts: the last event of the log and what the
 * documents hold. Only where nobody else works in the folder do they belong together.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { meet } from "./obligation.ts";
import { type Told, toldBy } from "./told.ts";

const [firstWait = "", folder = "", record = ""] = process.argv.slice(2);
const scriptNamed = (line: string, script: string) => line.replace("wait-for-turn", script);
const askAgainMax = 4;

function shell(line: string, input = ""): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { input, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

function run(line: string, input = ""): string {
  const { code, out, err } = shell(line, input);
  assert.equal(code, 0, `${line}\n${out}${err}`);
  return out;
}

function note(): void {
  if (record === "") return;
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const [line = ""] = read("events.jsonl").trimEnd().split("\n").slice(-1);
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const documents = Object.fromEntries(names.map((name) => [name, read(name)]));
  appendFileSync(record, `${JSON.stringify({ seq: JSON.parse(line).seq, documents })}\n`);
}

const ask = (): Told => toldBy(run(`${scriptNamed(firstWait, "next-action")} --json`));

/** Does what is owed until nothing is; each round may show what the one before has hidden. */
function work(first: Told): Told {
  let told = first;
  for (let round = 0; round < askAgainMax; round += 1, told = ask()) {
    if (told.turn !== "yours" || told.obligations.length === 0) return told;
    for (const owed of told.obligations) {
      const path = told.documents.find((document) => owed.startsWith(`${document}: `));
      assert(path !== undefined, `${owed} is in no document of mine: ${told.documents.join(", ")}`);
      const file = join(folder, path);
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      writeFileSync(file, meet(owed.slice(path.length + 2), text));
    }
  }
  return assert.fail(`still owed: ${told.obligations.join("\n")}`);
}

/** The printed command with its summary filled in, and the printed draft with its blanks. */
function append({ lines: [line = ""], moves: [move = {}], input }: Told): void {
  assert.match(line, / --summary '<[^<>']+>'(?: |$)/);
  const { event } = move;
  // What changes tells versions apart.
  if (record !== "" && event === "proposal_revised")
    appendFileSync(join(folder, "proposal.md"), "\nAs the reviews ask.\n");
  const filled = line.replace(/ --summary '<[^<>']+>'/, " --summary 'Done as agreed.'");
  const appended = run(filled, input.replace(/<[^>]*>/g, "as it says"));
  note();
  // Where machines are its own, what it has is looked at when all are done.
  const verdict = record === "" ? shell(validate) : { out: "" };
  const said = { event, appended: appended.trim(), verdict: verdict.out.trim() };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

const validate = scriptNamed(firstWait, "validate").replace(/ --participant .*$/, "");

for (let wait = firstWait; ; ) {
  const first = toldBy(run(`${wait} --json`));
  note();
  const told = work(first);
  if (told.turn === "ended") break;
  assert.equal(told.turn, "yours", "wait-for-turn returned, and next-action gives no turn");
  append(told);
  ({ wait } = told);
}
