import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import { homeFolder } from "../../scripts-src/files/home-folder.ts";
import { conclusion } from "../collaboration/written-documents.ts";
import { Project, recordOf } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";

const examples = resolve(import.meta.dirname, "../../examples");

/** Sessions of every kind in one project, written by the built scripts as agents and people run them. */
export class Stories {
  readonly project: Project;

  constructor(project = new Project()) {
    this.project = project;
    const config = join(homeFolder(), ".consulta", "config.yaml");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, "checks: [[node, probe.js]]\n");
  }

  /** A script that must succeed. */
  done(script: string, args: string[], input = ""): string {
    const ran = this.project.run(script, args, input);
    assert(ran.code === 0 || ran.code === 1, `${script} ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  }

  /** One of the examples, as far as so many of its steps. */
  example(name: string, id: string, steps = Number.POSITIVE_INFINITY): void {
    const recording = recordOf(readFileSync(join(examples, name, "session.json"), "utf8"));
    const { topic, participants, mode, steps: all } = recording;
    assert(Array.isArray(participants) && Array.isArray(all));
    cpSync(join(examples, name, "project"), this.project.folder, { recursive: true });
    const who = participants.flatMap((it) => ["--participant", String(it)]);
    const how = typeof mode === "string" ? ["--mode", mode] : [];
    this.done("init", ["--topic", String(topic), "--session", id, ...who, ...how]);
    const names = new Map<string, number>();
    for (const step of all.slice(0, steps)) this.#play(id, step, names);
  }

  #play(id: string, step: JsonObject, names: Map<string, number>): void {
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => String(names.get(name)));
    const on = ["--session", id, "--participant", String(step["by"])];
    const check = step["check"];
    this.done("next-action", on);
    if (Array.isArray(check)) this.done("check", [...on, ...check.map((it) => fill(String(it)))]);
    else {
      const text = JSON.stringify(filled(step["message"], fill));
      this.done("append-event", [...on, "--message", "-"], text);
    }
    const kinds = Array.isArray(check) ? ["evidence"] : ["message_sent", "position_sealed"];
    const last = this.project.acts(id).findLast(({ event }) => kinds.includes(String(event)))?.[
      "seq"
    ];
    if (typeof step["name"] === "string") names.set(step["name"], Number(last));
  }

  open(id: string, topic: string, ...args: string[]): void {
    const who = ["--participant", "claude", "--participant", "gemini"];
    this.done("init", ["--topic", topic, "--session", id, ...who, ...args]);
  }

  /** Looks at what is new, then says something. */
  say(id: string, by: string, message: JsonObject): void {
    this.done("next-action", ["--session", id, "--participant", by]);
    this.project.say(id, by, message);
  }

  /** A collaboration of three whose proposal was reviewed and revised. */
  collaboration(id: string): void {
    const names = ["ana", "bruno", "chen"];
    const who = names.flatMap((it) => ["--participant", it]);
    const gates = ["Everybody knows how old exports are read", "The restore was tried once"];
    const done = gates.flatMap((it) => ["--completion", it]);
    const objective = "How do we move customers' exports to the new storage?";
    this.done("init", ["--objective", objective, "--folder", this.folderOf(id), ...who, ...done]);
    this.write(id, "proposal.md", proposals[0]);
    this.append(id, "ana", "proposal_submitted", "Copy at night, switch per customer");
    this.append(id, "bruno", "review_submitted", "The way back is missing", reviews[0]);
    this.append(id, "chen", "review_submitted", "Two numbers are guesses", reviews[1]);
    this.write(id, "proposal.md", proposals[1]);
    this.append(id, "ana", "proposal_revised", "A way back, and measured numbers");
  }

  folderOf(id: string): string {
    return this.project.path("sessions", id);
  }

  write(id: string, name: string, text: string): void {
    const path = join(this.folderOf(id), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  append(id: string, by: string, event: string, summary: string, review?: string): void {
    const log = readFileSync(join(this.folderOf(id), "events.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    const doc = event.startsWith("proposal") ? ["--doc", "proposal.md"] : [];
    const text = review === undefined ? [] : ["--review", "-"];
    const reply = ["--reply-to", String(log.length)];
    const on = ["--folder", this.folderOf(id), "--participant", by];
    this.done(
      "append-event",
      [...on, "--event", event, "--summary", summary, ...reply, ...doc, ...text],
      review,
    );
  }

  /** A board where two have reported, one of them again, and one is missing. */
  board(id: string): void {
    const folder = this.folderOf(id);
    writeFileSync(join(this.project.folder, "cache.ts"), cacheSource);
    writeFileSync(
      join(this.project.folder, "session.ts"),
      cacheSource.replaceAll("cache", "session"),
    );
    this.done("init", [folder, "3"]);
    for (const name of ["otter", "heron", "lynx"]) this.done("register", [folder, name]);
    const post = (by: string, topic: string, parts: Parameters<typeof reportText>[0]) =>
      this.done("post", [folder, by, topic, "--file", "-"], reportText(parts));
    post("otter", "stale-cache", {
      title: "Logins fail because the cache keeps entries that have ended",
      summary: "The cache looks at the age of an entry only when it writes.",
      investigated: ["cache.ts:3-5"],
      rest: "## Notes\n\nAn entry is read without a look at its end: `cache.ts:4`.\n\n- seen in 3 of 3 tries\n",
    });
    post("heron", "session-clock", {
      title: "Sessions end an hour early where the clock changes",
      summary: "The end is compared in local time.",
      investigated: ["session.ts:2"],
    });
    post("heron", "session-clock-2", {
      title: "Sessions end early only where the server runs in local time",
      summary: "With TZ=UTC the fault is gone; the comparison itself is right.",
      modified: ["cache.ts:3"],
      investigated: ["session.ts:2"],
      rest: "## Notes\n\nSupersedes: heron/01-session-clock.md\n\nConfirms: otter/01-stale-cache.md\n",
    });
    this.done("ready", [folder, "otter"]);
    writeFileSync(
      join(this.project.folder, "cache.ts"),
      cacheSource.replace("get(key)", "get(key, now)"),
    );
  }

  /** A collaboration's documents with which it can be completed. */
  conclude(id: string): void {
    this.write(id, "conclusion.md", conclusion(1));
  }
}

function filled(value: JsonValue | undefined, fill: (text: string) => string): JsonValue {
  if (typeof value === "string") return /^\{\w+\}$/.test(value) ? Number(fill(value)) : fill(value);
  if (Array.isArray(value)) return value.map((it) => filled(it, fill));
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, filled(it, fill)]));
}

const cacheSource = `export class cache {
  entries = new Map();
  get(key) {
    return this.entries.get(key);
  }
}
`;

const proposals = [
  `# Proposal

## Plan

- Copy all exports at night, oldest first.
- Switch a customer as soon as its copy is complete.
- Remove the old storage after a week.

## Numbers

- About 2 million files.
- About 40 GB a night.

## Risks

- A customer writes while its files are copied.
`,
  `# Proposal

## Plan

- Copy all exports at night, oldest first.
- Switch a customer as soon as its copy is complete and its checksums agree.
- Keep the old storage readable for 30 days; one setting leads a customer back.
- Remove the old storage after that, customer by customer.

## Numbers

- 1,870,212 files, counted on Monday.
- 31 GB in the slowest night of a trial week.

## Risks

- A customer writes while its files are copied: its night is repeated.
`,
] as const;

const reviews = [
  `Context:
- Read proposal.md:1 to its end.

Position:
- Accept with changes.

Concerns:
- After the switch there is no way back: the old storage is gone after a week, and nobody says who would notice that a copy is wrong.

Required Changes:
- Keep the old storage readable until checksums agree, with one step that leads back.

Questions:
- None.
`,
  `Context:
- Read proposal.md:10-12.

Position:
- Accept with changes.

Concerns:
- "About 2 million" and "about 40 GB" are guesses; the nights depend on both.

Required Changes:
- Count the files, and measure one week.

Questions:
- None.
`,
] as const;

const webhookSource = `export const call = (url: string, order: Order) =>
  post(url, order, { timeoutMs: 1_000 });
`;

/** A dialogue about a real choice, as far as one side's change of mind. */
export function talkAboutRetries(at: Stories, id = "retry-or-queue"): void {
  writeFileSync(join(at.project.folder, "webhook.ts"), webhookSource);
  at.open(id, "Retry failed webhooks in the request, or put them into a queue?");
  at.say(id, "claude", {
    type: "REQUEST",
    question_or_proposal: {
      content:
        "Our shop calls partners' webhooks while an order is stored. Three in a hundred calls fail. Do we **retry inside the request**, or put failed calls **into a queue**?\n\nWhat counts: no order may wait longer than two seconds, and no call may be lost.",
      specific_questions: ["How long may a retry take at most?"],
    },
    position: "Retry inside the request, at most twice",
    confidence: 0.75,
  });
  at.say(id, "gemini", {
    type: "RESPONSE",
    question_or_proposal: {
      content:
        'A queue. Two retries of a call that times out after one second cost three seconds, which breaks the first rule; and a process that dies between two tries loses the call, which breaks the second.\n\n| way | slowest order | calls lost |\n| --- | --- | --- |\n| retry twice | 3 s | when a process dies |\n| queue | 1 s | none |\n\n```ts\nawait queue.add(call, { tries: 5, backoff: "exponential" });\n```',
    },
    answers: [
      {
        question: "How long may a retry take at most?",
        answer: "One second, so one retry fits and two do not.",
      },
    ],
    position: "A queue with five tries, outside of the request",
    claims: [{ text: "A call times out after one second", check: "webhook.ts:2", expect: "1_000" }],
    confidence: 0.82,
  });
}
