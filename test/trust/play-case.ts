import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { type Ran, recordOf } from "../dialogue/project.ts";
import type { AuditorKind, DishonestCase, HonestCase, Step } from "./case.ts";
import { Stage } from "./stage.ts";

/** What became of a case. */
export interface Playing {
  /** The step that a script rejected, and its words. */
  readonly rejection?: { readonly step: number; readonly reason: string; readonly meant: boolean };
  /** What went wrong in the playing itself: a script that is busy, missing or broken. */
  readonly broken?: string;
  readonly messages: number;
  readonly report: string;
  readonly validate: string;
  readonly status: string;
  readonly events: readonly Record<string, unknown>[];
  /** How often an auditor was asked, and how often that came to an audit. */
  readonly audits?: { readonly asked: number; readonly made: number };
  /** Characters that next-action and append-event added to each message. */
  readonly added: readonly number[];
}

/** One case, from init to report. */
export class CasePlay {
  readonly #stage: Stage;
  readonly #case: DishonestCase | HonestCase;
  readonly #names = new Map<string, number>();
  readonly #added: number[] = [];
  readonly #auditor: AuditorKind | undefined;
  readonly #audits = { asked: 0, made: 0 };
  #messages = 0;

  /** With an auditor, the user has each decision audited before the other side confirms it. */
  constructor(played: DishonestCase | HonestCase, auditor?: AuditorKind) {
    this.#case = played;
    this.#auditor = auditor;
    this.#stage = new Stage(played.config, played.project);
  }

  async play(measured: boolean): Promise<Playing> {
    try {
      const ended = await this.#playSteps(measured);
      const isOver = ended.rejection !== undefined || ended.broken !== undefined;
      const ending = isOver ? unended : await this.#ending();
      const counts = { messages: this.#messages, added: this.#added, audits: this.#audits };
      return { ...counts, ...ended, ...ending };
    } finally {
      this.#stage.remove();
    }
  }

  async #playSteps(measured: boolean): Promise<Pick<Playing, "rejection" | "broken">> {
    const opened = await this.#open();
    if (opened !== undefined) return { broken: opened };
    for (const [index, step] of this.#case.steps.entries()) {
      if (measured && step.act === "say") await this.#measureTurn(step.by);
      const before = this.#events().length;
      const ran = await this.#act(step);
      if (step.act === "say") this.#messages += 1;
      if (ran !== undefined && measured && step.act === "say") this.#addText(ran.stdout);
      const ending = ran === undefined ? undefined : endingOf(step, index, ran);
      if (ending !== undefined) return ending;
      if (step.name !== undefined) this.#note(step, before);
      const isLast = !this.#case.steps.slice(index + 1).some(({ act }) => act === "say");
      if (step.act !== "say" || step.message["type"] !== "AGREE" || isLast) continue;
      const broken = await this.#audit();
      if (broken !== undefined) return { broken };
    }
    return {};
  }

  /** What the user runs at a terminal; rejected where an AGREE has not brought a decision. */
  async #audit(): Promise<string | undefined> {
    const { kind = "dialogue" } = this.#case;
    if (this.#auditor === undefined || kind !== "dialogue") return undefined;
    const known = `${this.#stage.home}/truth.json`;
    writeFileSync(known, JSON.stringify(knownOf(this.#case)));
    const program = bundledFixture("test/trust/auditor.fixture.ts");
    const line = `command:"${process.execPath}" "${program}" ${this.#auditor} "${known}"`;
    const ran = await this.#stage.run("audit", ["--session", "case", "--auditor", line]);
    this.#audits.asked += 1;
    if (ran.code === 0) this.#audits.made += 1;
    return [0, 1, 2].includes(ran.code ?? -1)
      ? undefined
      : `audit ended with ${ran.code}: ${ran.stderr}`;
  }

  async #open(): Promise<string | undefined> {
    const { kind = "dialogue", topic = "A question", open = [], participants = pair } = this.#case;
    for (const [path, text] of Object.entries(this.#case.files ?? {}))
      this.#touchFile({ act: "write", path, text });
    if (kind !== "dialogue") return undefined;
    const who = participants.flatMap((name) => ["--participant", name]);
    const words = ["--topic", topic, "--session", "case", ...who, ...open];
    const ran = await this.#stage.run("init", words);
    return ran.code === 0 ? undefined : `init: ${ran.stderr}`;
  }

  async #measureTurn(by: string): Promise<void> {
    const { stdout } = await this.#own("next-action", by);
    const ours = stdout.split("\n").filter((line) => !line.startsWith("| "));
    this.#added.push(ours.join("\n").length);
  }

  #addText(text: string): void {
    const turn = this.#added.pop() ?? 0;
    this.#added.push(turn + text.length);
  }

  #own(script: string, by: string, ...words: string[]): Promise<Ran> {
    return this.#stage.run(script, ["--session", "case", "--participant", by, ...words]);
  }

  async #act(step: Step): Promise<Ran | undefined> {
    if (step.act === "say") {
      const words = ["--session", "case", "--participant", step.by, "--message", "-"];
      const text = JSON.stringify(this.#filled(step.message));
      return this.#stage.run("append-event", words, text, step.env);
    }
    if (step.act === "script") {
      const words = step.args.map((word) => this.#words(word));
      const input = this.#words(step.input ?? "");
      return this.#stage.run(step.script, words, input, step.env);
    }
    this.#touch(step);
    return undefined;
  }

  /** What happens to files, without a script. */
  #touch(step: Step): void {
    if (step.act === "git") this.#stage.git(step.args);
    else if (step.act === "letter") this.#putLetter(step.type, step.fields);
    else if (step.act !== "say" && step.act !== "script") this.#touchFile(step);
  }

  #touchFile(step: Extract<Step, { path: string }>): void {
    const path = this.#stage.path(step.path);
    mkdirSync(dirname(path), { recursive: true });
    if (step.act === "write") writeFileSync(path, this.#words(step.text));
    else if (step.act === "link") symlinkSync(step.target, path);
    else if (step.act === "pipe") spawnSync("mkfifo", [path]);
    else if (step.act === "append") appendFileSync(path, this.#forgedLine(path));
    else writeFileSync(path, changedText(readFileSync(path, "utf8"), step.from, step.to));
  }

  /** A record of evidence for the newest claim, as somebody with an editor would add it. */
  #forgedLine(path: string): string {
    const lines = readFileSync(path, "utf8").trimEnd().split("\n").map(recordOf);
    const known = lines.findLast(({ event }) => event === "evidence") ?? {};
    const seq = lines.length + 1;
    return `${JSON.stringify({ ...known, seq, from: "claude", id: `forged-${seq}` })}\n`;
  }

  /** A file of a colleague that works by hand, old enough to be whole. */
  #putLetter(type: string, { content = "", ...fields }: JsonObject): void {
    const second = new Date(Date.now() - 30_000 + this.#messages * 1_000);
    this.#messages += 1;
    const timestamp = `${second.toISOString().slice(0, 19)}Z`;
    const stamp = timestamp.replace(/[-:]/g, "");
    const message = {
      ...{ id: `case-${stamp}`, session_id: "case", timestamp, from: "gemini", to: "claude", type },
      ...{ round: 1, question_or_proposal: { type: "proposal", content, specific_questions: [] } },
      ...{ agreements_so_far: [], disagreements_pending: [], expects_reply: type !== "AGREE" },
      ...fields,
    };
    const name = `case-${stamp}-gemini-${type.toLowerCase()}.json`;
    const path = this.#stage.path(`.consulta/inbox-claude/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(message));
    utimesSync(path, second, second);
  }

  #logPath(): string {
    const { kind = "dialogue" } = this.#case;
    const folder = kind === "dialogue" ? ".consulta/sessions/case" : "case";
    return this.#stage.path(`${folder}/events.jsonl`);
  }

  #events(): Record<string, unknown>[] {
    if (!existsSync(this.#logPath())) return [];
    const lines = readFileSync(this.#logPath(), "utf8").split("\n");
    return lines.flatMap((line) => {
      try {
        return line.trim() === "" ? [] : [recordOf(line)];
      } catch {
        return [];
      }
    });
  }

  /** A message is named by its own event, a check by its evidence. */
  #note(step: Step, before: number): void {
    const fresh = this.#events().slice(before);
    const wanted = step.act === "say" ? isMessage : isAct;
    const seq = fresh.find(wanted)?.["seq"];
    if (step.name !== undefined && typeof seq === "number") this.#names.set(step.name, seq);
  }

  #words(text: string): string {
    return text.replace(/\{([a-z][a-z0-9 ]*)\}/g, (whole, name: string) => {
      const seq = this.#seqOf(name);
      return seq === undefined ? whole : String(seq);
    });
  }

  #seqOf(name: string): number | undefined {
    const events = this.#events();
    if (name === "last message") return numberIn(events.findLast(isMessage));
    if (name === "last") return numberIn(events.at(-1));
    return this.#names.get(name);
  }

  /** A text that is nothing but a name becomes its number. */
  #filled(value: JsonValue): JsonValue {
    if (typeof value === "string") {
      const [, only] = /^\{([a-z][a-z0-9 ]*)\}$/.exec(value) ?? [];
      return only === undefined ? this.#words(value) : (this.#seqOf(only) ?? value);
    }
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#filled(item ?? null)]),
    );
  }

  async #ending(): Promise<Pick<Playing, "report" | "validate" | "status" | "events">> {
    const { kind = "dialogue" } = this.#case;
    const at = kind === "dialogue" ? ["--session", "case"] : ["--folder", "case"];
    const validated = await this.#stage.run("validate", at);
    const reported = await this.#stage.run("report", at);
    const more =
      kind === "board"
        ? await this.#stage.run("read-all", ["case", "reader"])
        : await this.#stage.run("status", [...at, "--all"]);
    const events = this.#events();
    return {
      report: reported.stdout,
      validate: `${validated.stdout}${validated.stderr}${reported.stderr}`,
      status: more.stdout,
      events,
    };
  }
}

/** The truth of a case as the scripted auditor reads it. */
function knownOf({ steps, truth = {} }: DishonestCase | HonestCase): object {
  const { claims = [], ...decision } = truth;
  const texts = steps.flatMap((step) => {
    const made = step.act === "say" ? step.message["claims"] : undefined;
    return Array.isArray(made) ? made.map((it) => String(isRecord(it) ? it["text"] : "")) : [];
  });
  const said = texts.map((text, at) => {
    const [says, why] = [claims[at] ?? "shows"].flat();
    return [text, { says, why: why ?? "the lines say it" }] as const;
  });
  return { claims: Object.fromEntries(said), decision };
}

const pair = ["claude", "gemini"];

/** Of a case that was stopped on its way nothing is looked at. */
const unended = { report: "", validate: "", status: "", events: [] };

function endingOf(
  step: Step,
  index: number,
  ran: Ran,
): Pick<Playing, "rejection" | "broken"> | undefined {
  const reason = (ran.stderr || ran.stdout).trim();
  if (ran.code === 2) {
    // Fields of the protocol that a script does not know are no reason.
    const unknown = /(?:position|expect|accepts|because|reservations) is not a field/.test(reason);
    const meant = !unknown && (step.rejects?.test(reason) ?? false);
    return { rejection: { step: index, reason, meant } };
  }
  if (reason.includes("Cannot find module")) return { broken: `step ${index + 1}: no such script` };
  if ((step.codes ?? [0, 1]).includes(ran.code ?? -1)) return undefined;
  return { broken: `step ${index + 1} ended with ${ran.code}: ${reason}` };
}

function isMessage({ event }: Record<string, unknown>): boolean {
  return event === "message_sent" || event === "position_sealed" || event === "escalated";
}

function isAct({ event }: Record<string, unknown>): boolean {
  return event !== "rung" && event !== "in_turn";
}

function numberIn(event: Record<string, unknown> | undefined): number | undefined {
  const seq = isRecord(event) ? event["seq"] : undefined;
  return typeof seq === "number" ? seq : undefined;
}

/** Every line with the hash of the line before, as somebody would write it who knows how. */
function chainedAnew(text: string): string {
  const written: string[] = [];
  for (const event of text.trimEnd().split("\n").map(recordOf)) {
    const { prev } = event;
    const before = written.at(-1);
    const isChained = before !== undefined && typeof prev === "string";
    written.push(JSON.stringify(isChained ? { ...event, prev: hashOf(before) } : event));
  }
  return `${written.join("\n")}\n`;
}

function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

/** `LINE 3` and `LAST LINE` name lines of a log; all else is text that must be there. */
function changedText(text: string, from: string, to: string): string {
  if (from === "ALL HASHES") return chainedAnew(text);
  if (!/^(?:LINE \d+|LAST LINE)$/.test(from)) {
    if (!text.includes(from)) throw new Error(`nothing to change: ${from}`);
    return text.replaceAll(from, to);
  }
  const lines = text.trimEnd().split("\n");
  const at = from === "LAST LINE" ? lines.length - 1 : Number(from.slice(5)) - 1;
  const [line = ""] = lines.splice(at, 1);
  if (to.startsWith("LINE ")) lines.splice(Number(to.slice(5)) - 1, 0, line);
  return `${lines.join("\n")}\n`;
}
