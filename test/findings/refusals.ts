import assert from "node:assert/strict";
import { isOneLine } from "../dialogue/project.ts";
import { runsInThread } from "../script-host.ts";
import { type Board, boardOf, reportText } from "./board.ts";

// What the tests of bad input share: a board that stays as it is, and how a refusal looks.

export const posix = {
  skip: process.platform === "win32" && "Windows has other permissions and links",
};

/** alice and bob are on it, alice has posted; tests that change it work on a copy. */
export const base = boardOf(3, "alice", "bob");
base.post("alice", "cause");
export const good = base.put("good.md", reportText());

export type Call = readonly [script: string, words: readonly string[], code: number];

/** What every script answers where DIR is no board. */
export const withoutBoard: readonly Call[] = [
  ["register", ["cy"], 2],
  ["post", ["alice", "t"], 2],
  ["post", ["alice", "t", "--file", good], 2],
  ["ready", ["alice"], 2],
  ["poll", ["alice"], 2],
  ["poll", ["alice", "--wait"], 2],
  ["read-all", ["bob"], 2],
];

/** All of them at once: each is refused in one line, and together they change nothing. */
export async function allRefused(at: Board, reason: RegExp, calls: readonly Call[]): Promise<void> {
  const before = at.project.listing();
  const begun = calls.map(([script, words]) =>
    runsInThread(script, words)
      ? at.project.run(script, [...words])
      : at.project.start(script, [...words], "").done,
  );
  for (const [index, ran] of (await Promise.all(begun)).entries()) {
    const [script, words, code] = calls[index] ?? [];
    const call = `${script} ${words?.join(" ")}`.slice(0, 80);
    assert.deepEqual([ran.code, ran.stdout], [code, ""], `${call}: ${ran.stderr.slice(0, 400)}`);
    assert.match(ran.stderr, reason, call);
    assert.match(ran.stderr, /^error: /, call);
    assert(isOneLine(ran.stderr), `${call}: ${ran.stderr}`);
  }
  assert.deepEqual(at.project.listing(), before);
}

/** The calls with a folder's name before their other words. */
export function callsOn(dir: string, calls: readonly Call[]): Call[] {
  return calls.map(([script, words, code]) => [script, [dir, ...words], code]);
}
