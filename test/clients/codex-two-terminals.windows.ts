import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { type ClientName, clientNames } from "./client.ts";
import { follows } from "./follow.ts";
import type { Mind } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { eventsOf } from "./talk.ts";
import { showsReport, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

/** The two lines that README tells to type for a pair with Codex. */
function typedLines(): [codex: string, other: string] {
  const row = /\| the same with Codex \| `([^`]+)` in Codex, then `([^`]+)` in the other CLI \|/;
  const [, codex = "", other = ""] = row.exec(readFileSync("README.md", "utf8")) ?? [];
  assert(codex !== "" && other !== "", "README shows no two lines to type");
  return [codex, other.replace("...", "we should store sessions in SQLite or in files")];
}

/** Acts as the skill says at first, then as the scripts print. */
function begins(line: string, then: Mind): Mind {
  return (seen) => (seen.count === 0 ? { run: line } : then(seen));
}

/** Codex hands a command that goes on back to its model, which looks at it again. */
function looksAgain(mind: Mind): Mind {
  return (seen) => {
    const [, session] = /Process running with session ID (\d+)/.exec(seen.latest) ?? [];
    const input = { session_id: Number(session), chars: "", yield_time_ms: 30_000 };
    return session === undefined ? mind(seen) : { call: "write_stdin", input };
  };
}

/** Opens both windows, answers the CLIs' own questions of trust and no other, and sees the report in both. */
async function walk(stage: Stage, client: ClientName): Promise<void> {
  stage.isTrusted = false;
  mkdirSync(join(stage.project, ".git"));
  await stage.install();
  const [toCodex, toOther] = typedLines();
  const voices = makeVoices(2);
  const listen = `node ${projectScripts}/wait-for-turn.cjs --participant codex --timeout 240`;
  const names = `--participant ${client} --participant codex`;
  const open = `node ${projectScripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
  const codex = await stage.model(
    "codex",
    looksAgain(begins(listen, follows({ voice: voices.gemini }))),
  );
  const other = await stage.model(client, begins(open, follows({ voice: voices.claude })));
  const windows = { codex: await stage.window("codex"), other: await stage.window(client) };
  // It asks when its user begins to type.
  await windows.codex.press("Space");
  await windows.codex.shows(/Trust this folder\?/);
  await windows.codex.press("Enter");
  await windows.codex.shows(/Hooks need review/);
  await windows.codex.press("Down");
  await windows.codex.press("Enter");
  await windows.codex.loses(/Hooks need review/);
  await windows.codex.type(toCodex);
  const { context } = await codex.until("in which it is asked to listen", () => true);
  assert.match(context, /You and a peer \(another AI CLI/, "the skill that was named");
  await windows.other.type(toOther);
  for (const window of [windows.codex, windows.other]) await showsReport(window);
  assert.deepEqual(stage.faults(), []);
  assert(other.turns().length > 3);
  for (const name of ["codex", client])
    assert(eventsOf(stage).split(`"from":"${name}","event":"message_sent"`).length > 3, name);
}

await describeClients(
  "Two terminals with Codex in one, as README has them",
  (play) => {
    for (const client of clientNames)
      play(`asks for nothing but trust: ${client}`, (stage) => walk(stage, client));
  },
  terminalFault,
  ["codex"],
);
