import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { follows } from "./follow.ts";
import { besides, copyPack, run } from "./pack.ts";
import type { Mind, ScriptedModel } from "./scripted-model.ts";
import { describeClients, type Stage, trustHooks, type WindowClient } from "./stage.ts";
import { eventsOf } from "./talk.ts";
import { showsReport, type Terminal, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

/**
 * The walk through two terminals with nothing but what README says: install with hooks, open both CLIs, answer their
 * own questions of trust, type its two lines. Nobody answers any other question.
 */
const questions =
  /Do you want to (?:proceed|create|make|allow)|requires approval|Allow execution|Apply this change\?|Action Required|Yes, allow|No, and tell|Would you like to|Permission required|Allow once/i;

/** Who listens, and who asks. */
type Pair = readonly [listener: keyof typeof ofReadme, asker: WindowClient];
const pairs: readonly Pair[] = [
  ["gemini", "claude"],
  ["codex", "claude"],
  ["codex", "gemini"],
  ["codex", "opencode"],
  ["opencode", "claude"],
  ["opencode", "gemini"],
];

/** The two lines that a text tells to type, in its order. */
function linesIn(file: string, form: RegExp): [toListener: string, toAsker: string] {
  const text = readFileSync(file, "utf8").replaceAll("\n", " ");
  const [, listen = "", ask = ""] = form.exec(text) ?? [];
  assert(listen !== "" && ask !== "", `${file} shows no two lines to type`);
  return [listen, ask.replace("...", "store sessions in SQLite or in files")];
}

const ofReadme = {
  gemini: /two terminals \| `([^`]+)` in Gemini CLI, then `([^`]+)` in Claude Code \|/,
  codex: /the same with Codex \| `([^`]+)` in Codex, then `([^`]+)` in the other CLI \|/,
  opencode: /the same with OpenCode[^|]* \| `([^`]+)` there, then `([^`]+)` in the other CLI \|/,
};
const ofGettingStarted =
  /In Gemini CLI type `(\/[^`]+)`.*?In Claude Code type `(\/consulta-gemini [^`]+)`/;

/** In the text of the skill, or of a slash command. */
const called = /You and a peer \(another AI CLI|your peer is/;

/** Acts as the slash command or the skill says at first, then as the scripts print. */
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

/** Looks at both windows for a question that waits for a person, until told to stop. */
function watch(windows: readonly Terminal[]) {
  const asked: string[] = [];
  const timer = setInterval(() => {
    for (const window of windows) {
      const screen = window.screen();
      if (questions.test(screen)) asked.push(screen);
    }
  }, 300);
  return { asked, stop: () => clearInterval(timer) };
}

/** A window at its prompt, its own questions of trust answered. */
async function open(stage: Stage, client: WindowClient): Promise<Terminal> {
  const window = await stage.window(client);
  if (client !== "codex") return window;
  // It asks when its user begins to type.
  await window.press("Space");
  await window.shows(/Trust this folder\?/);
  await window.press("Enter");
  await trustHooks(window);
  return window;
}

/** How often a model was woken while nothing ran. */
function wakesOf(model: ScriptedModel): number {
  const isWake = /Consulta: you have the turn in session talk/;
  return model.turns().filter(({ called, since }) => !called && isWake.test(since)).length;
}

/** Opens both windows, types the lines, and sees the report in both. */
async function walk(stage: Stage, [listener, asker]: Pair, [listen, ask]: string[]) {
  const voices = makeVoices(3);
  const waiting = `node ${projectScripts}/wait-for-turn.cjs --participant ${listener} --timeout 240`;
  const names = `--participant ${asker} --participant ${listener}`;
  const opening = `node ${projectScripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
  const hearing = looksAgain(begins(waiting, follows({ voice: voices.gemini })));
  const models = [
    await stage.model(listener, hearing),
    await stage.model(asker, looksAgain(begins(opening, follows({ voice: voices.claude })))),
  ] as const;
  const windows = [await open(stage, listener), await open(stage, asker)] as const;
  const { asked, stop } = watch(windows);
  try {
    await windows[0].type(listen ?? "");
    await models[0].until("in which it listens", () => true);
    await windows[1].type(ask ?? "");
    for (const window of windows) await showsReport(window);
  } finally {
    stop();
  }
  assert.deepEqual(asked, []);
  assert.deepEqual(stage.faults(), []);
  const log = eventsOf(stage);
  for (const [at, model] of models.entries()) {
    const name = at === 0 ? listener : asker;
    assert(wakesOf(model) >= 3, `${name} was woken ${wakesOf(model)} times:\n${log}`);
  }
  return models;
}

await describeClients(
  "Two terminals, as README and getting started have them",
  (play) => {
    for (const pair of pairs) {
      const [listener, asker] = pair;
      play(`asks for nothing but trust, to the report: ${asker}, ${listener}`, async (stage) => {
        stage.isTrusted = false;
        if (pair.includes("codex")) mkdirSync(join(stage.project, ".git"));
        await stage.install();
        const models = await walk(stage, pair, linesIn("README.md", ofReadme[listener]));
        // What stands behind the lines that were typed.
        for (const model of models)
          assert(model.turns().some(({ context }) => called.test(context)));
      });
    }

    play("asks for nothing where plugin and extension bring the hooks", async (stage) => {
      const pack = copyPack(besides(stage));
      await run(stage, "claude", "plugin", "marketplace", "add", pack);
      await run(stage, "claude", "plugin", "install", "consulta@consulta");
      await run(stage, "gemini", "extensions", "install", pack, "--consent");
      const { stdout } = await stage.script("doctor", []);
      const [, install = ""] =
        /Claude Code asks before .* -> node (\S+) --permissions$/m.exec(stdout) ?? [];
      assert(install, stdout);
      await run(stage, process.execPath, install, "--permissions");
      await walk(stage, ["gemini", "claude"], linesIn("docs/getting-started.md", ofGettingStarted));
    });
  },
  terminalFault,
  ["codex", "opencode"],
);
