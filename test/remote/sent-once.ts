import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { draft, isOneLine, type Ran } from "../dialogue/project.ts";
import type { Laptop } from "./laptop.ts";

/** What keeps an event from the store, until somebody puts it right. */
export interface Fault {
  readonly code: 2 | 4;
  /** The one line of error. */
  readonly said: RegExp;
  begin(): unknown;
  end(): unknown;
  /** All events that the store holds of the session. */
  stored(): string;
}

const question = "Files or SQLite for the settings?";
const topic = "Which store?";
const who = ["--participant", "a", "--participant", "b"];

/** A session begins by the same line after a fault, once, and nothing is left of the first try. */
export async function checkBegunOnce(
  at: Laptop,
  id: string,
  fault: Fault,
  ...store: readonly string[]
): Promise<void> {
  const init = ["--topic", topic, "--session", id, ...who, "--store", ...store];
  const before = keys(at);
  await fault.begin();
  checkFailed(at.run("init", init), fault);
  checkNothingLeft(at, id, before);
  await fault.end();
  at.done("init", init);
  assert.equal(count(fault.stored(), topic), 1);
}

/** In a session that is here: an event is sent by the same line after a fault, once, and nothing is lost. */
export async function checkSentOnce(
  at: Laptop,
  id: string,
  fault: Fault,
  env: Record<string, string> = {},
): Promise<void> {
  const args = ["--session", id, "--participant", "a", "--message", "-"];
  const message = JSON.stringify(draft("REQUEST", question, { position: undefined }));
  const before = at.log(id);
  await fault.begin();
  checkFailed(at.run("append-event", args, message, { env }), fault);
  assert.match(at.done("report", ["--session", id]), /Which store\?/, "it is read on");
  assert.equal(at.log(id), before);
  await fault.end();
  at.done("append-event", args, message);
  assert.match(
    at.done("append-event", args, message),
    /^already sent as seq \d+; nothing was added/,
  );
  assert.equal(count(fault.stored(), question), 1);
  assert.equal(count(at.log(id), question), 1);
}

/** A script says in one line what is wrong, and nothing else. */
export function checkFailed({ code, stdout, stderr }: Ran, fault: Pick<Fault, "code" | "said">) {
  assert.deepEqual([code, stdout], [fault.code, ""], stderr);
  assert(isOneLine(stderr) && stderr.startsWith("error: "), stderr);
  assert.match(stderr, fault.said);
}

/** The stores that this machine knows of some session. */
export function keys(at: Laptop): string[] {
  const folder = join(at.home, ".consulta", "stores");
  return existsSync(folder) ? readdirSync(folder).filter((it) => it !== "nobody") : [];
}

/** Of a session that did not begin. */
export function checkNothingLeft(at: Laptop, id: string, before: readonly string[] = []): void {
  assert(!existsSync(at.path("sessions", id)), "nothing began");
  assert.deepEqual(keys(at), before);
}

/** How many events of a log hold some words. */
export function count(log: string, words: string): number {
  return log.split("\n").filter((line) => line.includes(words)).length;
}
