import { execFile } from "node:child_process";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { plainEnvironment } from "../log/append-loop.ts";
import { findBrainNode } from "./brain-node.ts";

const run = promisify(execFile);
const testTimeoutMs = 600_000;

/**
 * Defines the tests of a file that needs SQLite. Where this Node has none, the file is run once
 * more, by a Node that has it, and passes or fails as that does.
 */
export async function underBrainNode(fileUrl: string, define: () => Promise<void>): Promise<void> {
  const node = await findBrainNode();
  if ("missing" in node) {
    it("runs under a Node with SQLite", { skip: `NO BRAIN WAS TESTED: ${node.missing}` }, () => {});
    return;
  }
  if (node.path === process.execPath) return define();
  it(`passes under ${node.path}`, { timeout: testTimeoutMs }, async (t) => {
    const file = fileURLToPath(fileUrl);
    // Without this the other Node would write for a test runner above it.
    const { NODE_TEST_CONTEXT: _, ...env } = plainEnvironment();
    const words = ["--no-warnings", "--import", "tsx", "--test-reporter=spec", file];
    const ended = await run(node.path, words, { env, maxBuffer: 2 ** 26 }).catch(
      (error: unknown) => error,
    );
    const text = outputOf(ended);
    if (ended instanceof Error) throw new Error(`under ${node.path}:\n${text}`);
    // Its own diagnostics and what it left out; the runner above hides lines such as "pass 3".
    for (const [, said] of text.matchAll(/^ +(?:\u2139|\ufe63) (.*)$/gm)) t.diagnostic(said ?? "");
    t.diagnostic(`passed there: ${/^\u2139 pass (\d+)$/m.exec(text)?.[1]}`);
  });
}

function outputOf(ended: unknown): string {
  if (typeof ended !== "object" || ended === null) return String(ended);
  const out = "stdout" in ended ? String(ended.stdout) : "";
  return "stderr" in ended ? `${out}${String(ended.stderr)}` : out;
}

/**
 * The functions of node:test for a file that needs SQLite: where this Node has none they define nothing, and the
 * file is run once more by a Node that has it.
 */
export async function brainRunner(fileUrl: string): Promise<typeof runner> {
  let isHere = false;
  await underBrainNode(fileUrl, async () => {
    isHere = true;
  });
  return isHere ? runner : nothing;
}

const runner = { after, afterEach, before, beforeEach, describe, it };
const skipped = () => undefined;
const nothing: typeof runner = Object.fromEntries(
  Object.keys(runner).map((name) => [name, skipped]),
) as unknown as typeof runner;
