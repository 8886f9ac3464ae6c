import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn } from "../../scripts-src/files/atomic-file.ts";
import { Project, type Ran, recordOf } from "../dialogue/project.ts";
import { type Told, toldBy } from "./told.ts";
import { adr, conclusion, deliverable, readiness } from "./written-documents.ts";

/** Options of `append-event` by name; `review` is the text itself and goes in by standard input. */
export interface Fields {
  readonly summary?: string;
  readonly "reply-to"?: number | string | undefined;
  readonly doc?: string;
  readonly role?: string;
  readonly sha256?: string;
  readonly review?: string;
  readonly "allow-extension"?: true;
}

export interface Opening {
  readonly schema?: 1 | 2;
  readonly participants?: readonly string[];
  readonly gates?: readonly string[];
  /** The folder's name on the command line. */
  readonly name?: string;
}

export const primary = deliverable;

/** A collaboration in a folder of its own, worked on by the compiled scripts as real processes. */
export class Collaboration {
  readonly project: Project;
  readonly opening: Required<Opening>;

  constructor(opening: Opening = {}) {
    const defaults = { schema: 1, participants: ["a", "b"], gates: ["Codes are listed"] } as const;
    this.opening = { name: "shared", ...defaults, ...opening };
    this.project = new Project();
  }

  /** The same collaboration in another place. */
  copy(): Collaboration {
    const other = new Collaboration(this.opening);
    cpSync(this.project.folder, other.project.folder, { recursive: true });
    return other;
  }

  get folder(): string {
    return join(this.project.folder, this.opening.name);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  events(): Record<string, unknown>[] {
    const lines = this.read("events.jsonl").split("\n");
    return lines.filter((line) => line.trim() !== "").map(recordOf);
  }

  get seq(): number {
    return this.events().length;
  }

  /** What `protocol.json` says. */
  get state(): Record<string, unknown> {
    return recordOf(this.read("protocol.json"));
  }

  run(script: string, args: string[] = [], input = ""): Ran {
    return this.project.run(script, ["--folder", this.opening.name, ...args], input);
  }

  start(script: string, args: string[] = [], input = "") {
    return this.project.start(script, ["--folder", this.opening.name, ...args], input);
  }

  initArgs(): string[] {
    const { participants, gates, schema } = this.opening;
    return [
      ...["--objective", "Agree on the sync API"],
      ...participants.flatMap((name) => ["--participant", name]),
      ...gates.flatMap((gate) => ["--completion", gate]),
      ...(schema === 2 ? ["--primary-deliverable-type", "adr"] : []),
    ];
  }

  init(...args: string[]): this {
    const ran = this.run("init", [...this.initArgs(), ...args]);
    assert.equal(ran.code, 0, ran.stderr);
    return this;
  }

  /** The command line of `append-event`; --reply-to names the newest event unless given. */
  appendArgs(by: string, event: string, fields: Fields = {}): string[] {
    const { review, "allow-extension": extension, ...others } = fields;
    const answered = "reply-to" in fields ? {} : { "reply-to": this.seq };
    const given = { summary: "Done.", ...answered, ...others };
    const words = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    );
    return [
      ...["--participant", by, "--event", event, ...words],
      ...(review === undefined ? [] : ["--review", "-"]),
      ...(extension ? ["--allow-extension"] : []),
    ];
  }

  append(by: string, event: string, fields: Fields = {}): Ran {
    return this.run("append-event", this.appendArgs(by, event, fields), fields.review);
  }

  startAppend(by: string, event: string, fields: Fields = {}) {
    return this.start("append-event", this.appendArgs(by, event, fields), fields.review);
  }

  /** Appends what must be accepted. */
  say(by: string, event: string, fields: Fields = {}): void {
    const ran = this.append(by, event, fields);
    assert.equal(ran.code, 0, `${event} by ${by}: ${ran.stderr}`);
  }

  next(by: string): Ran {
    return this.run("next-action", ["--participant", by]);
  }

  /** What `next-action --json` prints. */
  guidance(by: string): Told {
    const ran = this.run("next-action", ["--participant", by, "--json"]);
    assert.equal(ran.code, 0, ran.stderr);
    return toldBy(ran.stdout);
  }

  wait(by: string, ...args: string[]): Ran {
    return this.run("wait-for-turn", ["--participant", by, ...args]);
  }

  validate(...args: string[]): Ran {
    return this.run("validate", args);
  }

  /**
   * The folder passes the original's validator; stderr tells of rules that it does not look at, and
   * of lines that others wrote, which lack the hash of the line before: of those and no others.
   */
  checkValid(context = ""): void {
    const { code, stdout, stderr } = this.validate();
    assert.deepEqual([code, stdout], [0, "ACP validation passed\n"], context + stderr);
    assert.match(stderr, /^(?:mark: unchained: .*\n)?(?:WARNING: .*\n)*$/, context);
    const byOthers = this.events().filter((event) => event["prev"] === undefined);
    assert.equal(stderr.startsWith("mark: "), byOthers.length > 0, context + stderr);
  }

  /** Lets texts that wait for their event look as old as those of a dead writer. */
  ageAdditions(): void {
    const then = Date.now() / 1_000 - 3_600;
    for (const name of namesIn(this.path(".additions"))) {
      utimesSync(this.path(".additions", name), then, then);
    }
  }

  /** A review that passes every check. */
  review(position = "accept"): string {
    const scope =
      this.opening.schema === 1
        ? ""
        : `- Reviewed primary deliverable: \`${primary}\`\n\nReview Scope:\n` +
          "- Primary deliverable completeness\n";
    const sections = ["Concerns", "Required Changes", "Questions"];
    return [
      `Context:\n- Read proposal.md:1 to its end.\n${scope}`,
      `Position:\n- ${position}`,
      ...sections.map((section) => `\n${section}:\n- None.`),
    ].join("\n");
  }

  /** Documents with which every gate opens. */
  writeDocuments(): void {
    this.write("readiness.md", this.readiness());
    if (this.opening.schema === 1) this.write("decisions.md", "# Decisions\n\n- Use the table.\n");
    this.write("conclusion.md", conclusion(this.opening.schema));
  }

  readiness(...items: string[]): string {
    const gates = this.state["completionGates"];
    assert(Array.isArray(gates));
    const texts = gates.map((gate) => (typeof gate === "string" ? gate : gate.text));
    const resolved = "[resolved] Which codes? Those of the table.";
    const deferred = "[deferred_nonblocking] Metrics. Reason: nobody reads them yet.";
    return readiness(texts, [resolved, deferred, ...items.map((item) => item.slice(2))]);
  }

  writeDeliverable(status: string): void {
    this.write(primary, adr(status));
  }

  hash(path = primary): string {
    return createHash("sha256")
      .update(readFileSync(this.path(path)))
      .digest("hex");
  }
}

/** Rules that the original does not look at are told on stderr. */
export function withoutWarnings(stderr: string): string {
  return stderr.replace(/^WARNING: .*\n/gm, "");
}

/** How far a collaboration has come; each is one or a few events beyond the one before. */
const stages = [
  ...(["drafting", "drafted", "reviewing", "revising", "revised", "classified"] as const),
  ...(["readiness", "frozen", "passed", "completed"] as const),
];
export type Stage = (typeof stages)[number];

const role = "primary";
const steps: Record<Stage, (at: Collaboration, owner: string, others: string[]) => void> = {
  drafting: (at) => at.init(),
  drafted: (at, owner) => {
    if (at.opening.schema === 1) return;
    at.writeDeliverable("Draft");
    at.say(owner, "deliverable_drafted", { doc: primary, role });
  },
  reviewing: (at, owner) => at.say(owner, "proposal_submitted", { doc: "proposal.md" }),
  revising: (at, _owner, others) => {
    for (const name of others) at.say(name, "review_submitted", { review: at.review() });
  },
  revised: (at, owner) => at.say(owner, "proposal_revised", { doc: "proposal.md" }),
  classified: (at, owner) => {
    at.writeDocuments();
    at.say(owner, "question_classified", { doc: "readiness.md" });
  },
  readiness: (at, owner, others) => {
    for (const name of [owner, ...others]) at.say(name, "decision_accepted");
  },
  frozen: (at, owner) => {
    if (at.opening.schema === 1) return;
    at.writeDeliverable("Frozen");
    at.say(owner, "deliverable_frozen", { doc: primary, role, sha256: at.hash() });
  },
  passed: (at, owner) => at.say(owner, "readiness_passed"),
  completed: (at, owner) => at.say(owner, "completed", { doc: "conclusion.md" }),
};

const models = new Map<string, Collaboration>();

/** A collaboration that has come so far, in a folder of its own. */
export function collaborationAt(stage: Stage, opening: Opening = {}): Collaboration {
  return modelAt(stage, opening).copy();
}

function modelAt(stage: Stage, opening: Opening): Collaboration {
  const key = JSON.stringify([stage, opening]);
  const known = models.get(key);
  if (known !== undefined && existsSync(known.folder)) return known;
  const earlier = stages[stages.indexOf(stage) - 1];
  const model =
    earlier === undefined ? new Collaboration(opening) : modelAt(earlier, opening).copy();
  const [owner = "", ...others] = model.opening.participants;
  steps[stage](model, owner, others);
  models.set(key, model);
  return model;
}
