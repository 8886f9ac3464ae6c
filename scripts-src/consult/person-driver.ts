import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { asLine } from "../base/visible-text.ts";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { discard } from "../files/safe-open.ts";
import { fileNameOf, safeJoin } from "../files/safe-path.ts";
import type { Move } from "../protocol/protocol.ts";
import { printError } from "../script/output.ts";
import { ensureUntracked } from "../session/workspace/workspace.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";

/**
 * Gives the turn to the person at the terminal: opens the draft in an editor and sends the file.
 * After a rejection it opens again, with the reason. The file stays until the turn counts.
 */
export function personDriver(person: Person): Driver {
  let file = "";
  return {
    name: "me",
    // A person is told what is wrong as often as it takes; --time-limit still ends the run.
    triesMax: Number.POSITIVE_INFINITY,
    async takeTurn(turn, signal) {
      file = draftOf(turn);
      const form = formOf(turn);
      const before = sentPart(file) ?? form;
      writeFileAtomically(file, `${before}${cutLine}\n${explanation(turn)}`);
      person.show(`\n${explanation(turn)}Your editor has ${file}\n`);
      const exitCode = await person.edit(file);
      const answer = sentPart(file) ?? "";
      if (signal.aborted) return nothingSent(person, turn, file, "the run was stopped");
      if (exitCode !== 0)
        return nothingSent(person, turn, file, `the editor ended with ${exitCode}`);
      // A draft kept from an earlier run counts as changed on the first try.
      const isUnchanged = answer === (turn.fault === undefined ? form : before);
      return isUnchanged ? nothingSent(person, turn, file, unchanged) : { answer };
    },
    counted: () => discard(file),
  };
}

const unchanged =
  "nothing was changed (an editor that returns at once needs the option to wait, such as code --wait)";

/** The turn came to nothing; `left` keeps the session open. */
function nothingSent(person: Person, turn: Turn, file: string, why: string): TurnResult {
  person.show(`Your draft is kept in ${file}\n`);
  const failure = `${turn.participant} sent nothing: ${why}; the draft is kept in ${file}`;
  return { answer: "", failure, left: true };
}

/** Where the draft is; an event without a draft of its own is known by what it replies to. */
function draftOf({ place, participant, project, guidance }: Turn): string {
  const [move] = guidance.moves;
  const number = move?.draft ?? Number(move?.options["reply-to"] ?? 0);
  const root = place.workspace?.root ?? join(project, ".consulta");
  ensureUntracked(root, "drafts");
  // In a workspace next-action names drafts so, and removes those that were sent; the draft of a
  // session in a named folder has another name there.
  return safeJoin(
    root,
    "drafts",
    `${fileNameOf(place.id)}+${fileNameOf(participant)}-${number}.md`,
  );
}

const cutLine = "------ >8 ------ What follows is for you to read and is not sent. ------";

/** What the person wrote: all above the first cut line; undefined where there is no draft yet. */
function sentPart(file: string): string | undefined {
  return readFileIfPresent(file, 2 * limits.messageBytes)?.split(cutLine)[0];
}

function explanation({ fault, guidance, place, situation }: Turn): string {
  const { moves, documents } = guidance;
  const events = [...new Set(moves.flatMap(({ options }) => options["event"] ?? []))];
  const files = documents.map((path) => `  ${asLine(resolve(place.folder, path))}\n`).join("");
  return [
    ...(fault === undefined ? [] : [`That did not go through: ${asLine(fault)}\n`]),
    "Put your words for each <...> of the draft, save it and close the editor to send it.\n",
    ...(events.length > 1 ? [`event is one of: ${events.join(", ")}\n`] : []),
    ...(files === "" ? [] : [`Edit these first; they are files of the session:\n${files}`]),
    `\n${situation}\n`,
  ].join("");
}

/** The draft in a block, as an answer holds it. */
function formOf({ guidance }: Turn): string {
  const [move] = guidance.moves;
  if (move?.script?.name === "post") return `\`\`\`\`markdown\n${String(move.input)}\n\`\`\`\`\n`;
  const isEvent = move?.options["event"] !== undefined;
  const draft = isEvent ? eventOf(move) : (move?.input ?? {});
  return `\`\`\`yaml\n${yamlOf(draft).trimStart()}\n\`\`\`\n`;
}

function eventOf({ options, input }: Move): JsonValue {
  const { event: name = "", summary = "" } = options;
  const event = { event: name, summary };
  return options["review"] === undefined ? event : { ...event, review: String(input).trimEnd() };
}

/** Places to fill in and texts of several lines are blocks: what is written there needs no quotes. */
function yamlOf(value: JsonValue, indent = ""): string {
  if (Array.isArray(value))
    return value.map((it) => `\n${indent}- ${yamlOf(it, `${indent}  `).trimStart()}`).join("");
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, part]) => `\n${indent}${name}: ${yamlOf(part ?? null, `${indent}  `)}`)
      .join("");
  if (typeof value !== "string" || !(/^<.*>$/.test(value) || value.includes("\n")))
    return JSON.stringify(value);
  // A number or a choice goes where its place was.
  if (/^<\w+(?:\.\.|\|)[\w|]+>$/.test(value)) return value;
  return `|-\n${value.replace(/^/gm, indent)}`;
}

/** The person at the terminal: reads stderr, and writes in an editor. */
export interface Person {
  show(text: string): void;
  /** Opens a file in the person's editor; returns its exit code when it is closed. */
  edit(path: string): Promise<number>;
}

/** The person at this terminal; undefined where nobody could read or type. */
export function personAtTerminal(): Person | undefined {
  return isatty(0) && isatty(2) ? new TerminalPerson() : undefined;
}

/** One editor is open at a time; what others have to say waits until its screen is gone. */
export class TerminalPerson implements Person {
  #isEditing = false;
  #held = "";
  #last: Promise<unknown> = Promise.resolve();

  show(text: string): void {
    if (this.#isEditing) this.#held += text;
    else printError(text);
  }

  edit(path: string): Promise<number> {
    const closed = this.#last.then(() => this.#editNow(path));
    this.#last = closed.catch(() => undefined);
    return closed;
  }

  async #editNow(path: string): Promise<number> {
    this.#isEditing = true;
    try {
      return await runEditor(path);
    } finally {
      this.#isEditing = false;
      this.show(this.#held);
      this.#held = "";
    }
  }
}

/**
 * The editor is the person's: nothing here ends it, since that would lose what is not saved. It gets
 * stderr as its screen, because stdout may be a file.
 */
async function runEditor(path: string): Promise<number> {
  const { VISUAL, EDITOR } = process.env;
  const isWindows = process.platform === "win32";
  const editor = VISUAL || EDITOR || (isWindows ? "notepad" : "vi");
  // The variable may hold options as well, such as `code --wait`.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { stdio: [0, 2, 2], shell: true })
    : spawn("sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: [0, 2, 2] });
  const [exitCode] = await once(child, "exit");
  return exitCode ?? 1;
}
