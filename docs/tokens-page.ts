import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { JsonObject } from "../scripts-src/base/json.ts";
import { skillNames } from "../scripts-src/clis/skill-names.ts";
import { auditPacket } from "../scripts-src/protocol/audit.ts";
import { Project } from "../test/dialogue/project.ts";
import { removeFolder } from "../test/scratch-folder.ts";

const root = resolve(import.meta.dirname, "..");

/** What the pack puts before a model, in characters, and how much of it there may be. */
export interface TokenCount {
  readonly what: string;
  readonly characters: number;
  readonly tokensMax: number;
}

/** Tokens as everybody estimates them. */
export function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Counts the texts as they are, and plays a dialogue of six messages through the built scripts. */
export function countTokens(): TokenCount[] {
  const skills = skillNames.map((name) => ({ name, ...skillParts(name) }));
  const offered = skills.reduce((sum, it) => sum + it.name.length + it.description.length, 0);
  const { turns, ended } = playDialogue();
  return [
    { what: "unused: names and descriptions of all skills", characters: offered, tokensMax: 150 },
    ...skills.map(({ name, body }) => ({
      what: `to begin: the skill ${name} as it is loaded`,
      characters: body.length,
      tokensMax: name === "consulta" ? 650 : 900,
    })),
    {
      what: `a turn of a dialogue: next-action beside the message, median of ${turns.length}`,
      characters: median(turns),
      // Whole forms: what is left out of one costs a rejection, which is longer.
      tokensMax: 250,
    },
    { what: "the same when the session has ended", characters: ended, tokensMax: 120 },
    {
      what: "an audit: one request with ten claims of 200 characters, more to see than fits, a decision of 1500",
      characters: auditPacket(tenClaims, "12345678").length,
      tokensMax: 4_000,
    },
  ];
}

const decision = "Sessions stay in files, one for each user. ".repeat(35);
const tenClaims = {
  ...{ question: "Should we store sessions in SQLite or in files?", position: "Plain files" },
  ...{ text: decision, agreeTexts: [decision] },
  claims: Array.from({ length: 10 }, (_, at) => ({
    ...{ id: `C12.${at + 1}`, text: "A session is read once for each request. ".repeat(5) },
    ...{ check: "src/sessions/read-session.ts:10-400", expect: "readSession(" },
    seen: "const session = readSession(user, folder);\n".repeat(390),
  })),
};

function skillParts(name: string): { description: string; body: string } {
  const text = readFileSync(join(root, "skills", name, "SKILL.md"), "utf8");
  const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  return { description: /^description: (.*)$/m.exec(front)?.[1] ?? "", body };
}

interface Step {
  readonly by: string;
  readonly name?: string;
  readonly message?: JsonObject;
  readonly check?: readonly string[];
}

/** The session of examples/escaping-names, each side asking `next-action` before it writes. */
function playDialogue(): { turns: number[]; ended: number } {
  const project = new Project();
  const id = "escaping-names";
  const recorded = JSON.parse(readFileSync(join(root, "examples", id, "session.json"), "utf8"));
  const steps: readonly Step[] = recorded.steps;
  try {
    cpSync(join(root, "examples", id, "project"), project.folder, { recursive: true });
    const env = { HOME: homeThatAllows(project.folder, recorded.checks) };
    const run = (script: string, words: string[], input = "") => {
      const ran = project.run(script, words, input, { env });
      assert.equal(ran.code, 0, `${script}: ${ran.stderr}`);
      return ran.stdout;
    };
    const who = ["--participant", "claude", "--participant", "gemini"];
    run("init", ["--topic", recorded.topic, "--session", id, "--mode", "blind", ...who]);
    const numbers = new Map<string, number>();
    const besideMessage = (by: string) =>
      withoutQuotes(run("next-action", ["--session", id, "--participant", by]));
    const turns: number[] = [];
    for (const { by, name, message, check } of steps) {
      const own = ["--session", id, "--participant", by];
      if (message !== undefined) turns.push(besideMessage(by));
      const text = filled(JSON.stringify(message ?? check), numbers);
      if (message === undefined) run("check", [...own, ...JSON.parse(text)]);
      else run("append-event", [...own, "--message", "-"], text);
      const isIts = message === undefined ? isEvidence : isMessage;
      const { seq } = project.events(id).findLast(isIts) ?? {};
      if (name !== undefined && typeof seq === "number") numbers.set(name, seq);
    }
    return { turns, ended: besideMessage("claude") };
  } finally {
    removeFolder(project.folder);
  }
}

function isEvidence({ event }: Record<string, unknown>): boolean {
  return event === "evidence";
}

function isMessage({ event }: Record<string, unknown>): boolean {
  return event === "message_sent" || event === "position_sealed";
}

/** A home whose settings allow the recorded commands. */
function homeThatAllows(folder: string, checks: unknown): string {
  const home = join(folder, ".home");
  mkdirSync(join(home, ".consulta"), { recursive: true, mode: 0o700 });
  const config = join(home, ".consulta", "config.yaml");
  writeFileSync(config, `checks: ${JSON.stringify(checks)}\n`, { mode: 0o600 });
  return home;
}

/** `{name}` is the number of that step's event; a text that is nothing else becomes the number. */
function filled(text: string, numbers: ReadonlyMap<string, number>): string {
  return text
    .replace(/"\{([a-z]\w*)\}"/g, (whole, name: string) => String(numbers.get(name) ?? whole))
    .replace(/\{([a-z]\w*)\}/g, (whole, name: string) => String(numbers.get(name) ?? whole));
}

/** The peer's words stand after a bar; all else is ours. */
function withoutQuotes(text: string): number {
  const lines = text.split("\n").filter((line) => !line.startsWith("| "));
  // As commands are in a project with the skill.
  const installed = lines
    .join("\n")
    .replaceAll(join(root, "dist"), ".agents/skills/consulta/scripts");
  return installed.length;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low = 0, high = 0] = [(sorted.length - 1) / 2, sorted.length / 2].map(
    (at) => sorted[Math.floor(at)] ?? 0,
  );
  return Math.round((low + high) / 2);
}

/** `docs/tokens.md`. */
export function tokensPage(counts: readonly TokenCount[]): string {
  const rows = counts.map(
    ({ what, characters, tokensMax }) =>
      `| ${what} | ${characters} | ${tokens(characters)} | ${tokensMax} |`,
  );
  return [
    "# What the texts cost a model",
    "",
    "Written by `npx tsx docs/tokens.ts`; do not edit it here. Tokens are characters divided by four. The dialogue is the one of",
    "[examples/escaping-names](../examples/escaping-names/report.md), played through the built scripts.",
    "",
    "| what | characters | tokens | at most |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "What CLIs add around a skill, and requests of whole dialogues: [clients.md](clients.md#what-it-costs).",
    "",
  ].join("\n");
}
