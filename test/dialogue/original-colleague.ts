import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, isStringArray, type JsonObject } from "../../scripts-src/base/json.ts";
import { type Project, recordOf } from "./project.ts";

const defaults: Record<string, boolean> = { AGREE: false, CONSENSUS: false, ESCALATE: false };

/**
 * A colleague with the original ConsultaSkill (originals.md 1): it runs none of our scripts, writes
 * every field of a message itself, names its files by its clock, moves what it reads to the archive,
 * keeps its own session file and solution, and waits with the watchers of the workspace.
 */
export class OriginalColleague {
  readonly project: Project;
  #second = Math.floor(Date.now() / 1_000) - 100;

  constructor(project: Project) {
    this.project = project;
    // Step 1 of both of its skills.
    for (const folder of ["presence", "profiles", "journal", "inbox-claude", "inbox-gemini"])
      mkdirSync(project.path(folder), { recursive: true, mode: 0o700 });
    for (const folder of ["sessions", "artifacts", "archive", "errors", "scripts"])
      mkdirSync(project.path(folder), { recursive: true, mode: 0o700 });
  }

  /** What its pre-flight looks for; where one is missing it stops and tells its user. */
  missing(): string[] {
    const wanted = ["watcher.sh", "watcher.ps1", "wait-for-message.sh"];
    return wanted.filter((name) => !this.project.files("scripts").includes(name));
  }

  /** Writes a message into our inbox; gives the name of its file. */
  send(session: string, type: string, content: string, fields: JsonObject = {}): string {
    const { timestamp, file } = this.#nameFor(session, type);
    const pending = fields["disagreements_pending"];
    const isOpen = Array.isArray(pending) && pending.length > 0;
    const message = {
      id: `${session}-${timestamp.replace(/[-:]/g, "")}`,
      session_id: session,
      timestamp,
      from: "gemini",
      to: "claude",
      type,
      round: 1,
      context: { user_instructions: "as asked", project_state: "new", conversation_summary: "-" },
      discoveries: { analysis: "", code_examined: [], conclusions: "" },
      references: [],
      tried_and_discarded: [],
      question_or_proposal: { type: "proposal", content, specific_questions: [] },
      confidence: 0.9,
      agreements_so_far: [],
      disagreements_pending: [],
      expects_reply: type === "AGREE" ? isOpen : (defaults[type] ?? true),
      meta: { model: "gemini", round_budget_remaining: 0, session_cost_usd: 0 },
      ...fields,
    };
    // Straight into the inbox and without a line feed at its end, as its tool writes.
    writeFileSync(this.project.path("inbox-claude", file), JSON.stringify(message, undefined, 2));
    return file;
  }

  /** Begins a session as its step 4 does: the message first, then its own session file. */
  ask(session: string, topic: string, content: string): string {
    const file = this.send(session, "REQUEST", content, { confidence: 0.5 });
    this.writeSession(session, topic, "IN_PROGRESS");
    return file;
  }

  writeSession(session: string, topic: string, state: string): void {
    const entry = { session_id: session, topic, initiated_by: "gemini", started_at: "-", state };
    const text = JSON.stringify({ ...entry, current_round: 1 });
    writeFileSync(this.project.path("sessions", `${session}.json`), text);
  }

  writeSolution(session: string, text: string): void {
    mkdirSync(this.project.path("artifacts", session), { recursive: true });
    writeFileSync(this.project.path("artifacts", session, "merged-solution.md"), text);
  }

  /** Blocks in the workspace's one-shot waiter; the file's name, or TIMEOUT. */
  wait(seconds: number): string {
    const script = join(this.project.path("scripts"), "wait-for-message.sh");
    const args = [script, `${this.project.path("inbox-gemini")}/`, `${seconds}`, "1"];
    try {
      return execFileSync("bash", args, { encoding: "utf8" }).trim();
    } catch (error) {
      const stdout = error instanceof Error && "stdout" in error ? error.stdout : "";
      return String(stdout).trim();
    }
  }

  /** Reads its inbox, oldest first, and moves each message to the archive at once: each has every field. */
  read(): Record<string, unknown>[] {
    const names = this.project.files("inbox-gemini").filter((name) => name.endsWith(".json"));
    const stampOf = (name: string) => /-(\d{8}T\d{6}Z)-/.exec(name)?.[1] ?? "";
    names.sort((one, other) => (stampOf(one) < stampOf(other) ? -1 : 1));
    return names.map((name) => {
      const message = recordOf(readFileSync(this.project.path("inbox-gemini", name), "utf8"));
      renameSync(this.project.path("inbox-gemini", name), this.project.path("archive", name));
      assert.deepEqual(faultsIn(message), [], name);
      return message;
    });
  }

  /** Starts the workspace's watcher as its Monitor tool does; `lines` grows as it prints. */
  watch() {
    const script = join(this.project.path("scripts"), "watcher.sh");
    const ready = this.project.path("presence", "gemini.ready");
    const args = [script, `${this.project.path("inbox-gemini")}/`, ready, "1", "1"];
    const child = spawn("bash", args, { stdio: ["ignore", "pipe", "ignore"] });
    const lines: string[] = [];
    child.stdout.on("data", (part: Buffer) => {
      lines.push(...part.toString().split("\n").filter(Boolean));
    });
    const done = new Promise<number | null>((settle) => child.on("close", settle));
    return { child, lines, done };
  }

  /** Its clock has whole seconds, and it never writes twice in one. */
  #nameFor(session: string, type: string): { timestamp: string; file: string } {
    this.#second += 1;
    const timestamp = new Date(this.#second * 1_000).toISOString().replace(".000", "");
    const stamp = timestamp.replace(/[-:]/g, "");
    return { timestamp, file: `${session}-${stamp}-gemini-${type.toLowerCase()}.json` };
  }
}

/** Which fields of its schema a message lacks, by their paths. */
function faultsIn(message: Record<string, unknown>): string[] {
  const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
  const isSure = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;
  const fields: [path: string, isRight: (value: unknown) => boolean][] = [
    ...["id", "session_id", "timestamp", "from", "to", "type"].map(
      (path) => [path, isText] as [string, typeof isText],
    ),
    ["round", Number.isInteger],
    ["expects_reply", (value) => typeof value === "boolean"],
    ["context.user_instructions", isText],
    ["context.project_state", isText],
    ["context.conversation_summary", isText],
    ["discoveries.analysis", (value) => typeof value === "string"],
    ["discoveries.code_examined", isStringArray],
    ["discoveries.conclusions", (value) => typeof value === "string"],
    ["references", isStringArray],
    ["tried_and_discarded", Array.isArray],
    ["question_or_proposal.type", isText],
    ["question_or_proposal.content", isText],
    ["question_or_proposal.specific_questions", isStringArray],
    ["confidence", isSure],
    ["agreements_so_far", isStringArray],
    ["disagreements_pending", isStringArray],
  ];
  const valueAt = (path: string) =>
    path.split(".").reduce<unknown>((it, key) => (isRecord(it) ? it[key] : undefined), message);
  return fields.flatMap(([path, isRight]) => (isRight(valueAt(path)) ? [] : [path]));
}
