import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clientNames } from "./client.ts";
import { follows } from "./follow.ts";
import { besides, copyPack, run } from "./pack.ts";
import type { Mind } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { eventsOf, openingLine } from "./talk.ts";
import { showsReport, type Terminal, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

/**
 * The walk through the two terminals of getting started, with nothing but what it says: install with
 * hooks, open both CLIs, trust the folder if they ask, type its two lines. Nobody answers any other question.
 */
const questions =
  /Do you want to (?:proceed|create|make|allow)|requires approval|Allow execution|Apply this change\?|Action Required|Yes, allow|No, and tell/i;

/** The two lines that the page tells to type, in its order. */
function typedLines(): [gemini: string, claude: string] {
  const text = readFileSync("docs/getting-started.md", "utf8").replaceAll("\n", " ");
  const [, gemini = "", claude = ""] =
    /In Gemini CLI type `(\/[^`]+)`.*?In Claude Code type `(\/consulta-gemini [^`]+)`/.exec(text) ??
    [];
  assert(claude !== "" && gemini !== "", "getting started shows no two lines to type");
  return [gemini, claude];
}

/** Acts as the slash command says at first, then as the scripts print. */
function begins(line: string, then: Mind): Mind {
  return (seen) => (seen.count === 0 ? { run: line } : then(seen));
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

function turnsOf(stage: Stage, name: string): number {
  return eventsOf(stage).split(`"from":"${name}","event":"message_sent"`).length - 1;
}

/** Opens both windows, types the page's lines, and sees the report in both. */
async function walk(stage: Stage): Promise<void> {
  const [toGemini, toClaude] = typedLines();
  const voices = makeVoices(2);
  const scripts = ".agents/skills/consulta/scripts";
  const listen = `node ${scripts}/wait-for-turn.cjs --participant gemini --timeout 240`;
  await stage.model(
    "claude",
    begins(openingLine("claude", scripts), follows({ voice: voices.claude })),
  );
  const gemini = await stage.model("gemini", begins(listen, follows({ voice: voices.gemini })));
  const windows = {
    claude: await stage.window("claude"),
    gemini: await stage.window("gemini"),
  };
  const { asked, stop } = watch(Object.values(windows));
  try {
    await windows.gemini.type(toGemini);
    await windows.claude.type(toClaude);
    await windows.claude.shows(/I sent it and wait/);
    for (const client of clientNames) await showsReport(windows[client]);
  } finally {
    stop();
  }
  assert.deepEqual(asked, []);
  assert.deepEqual(stage.faults(), []);
  assert(gemini.turns().length > 3);
  for (const client of clientNames) assert(turnsOf(stage, client) >= 3, eventsOf(stage));
}

await describeClients(
  "Two terminals, as getting started has them",
  (play) => {
    play("asks for nothing in three turns of each to the report", async (stage) => {
      stage.isTrusted = false;
      await stage.install();
      await walk(stage);
    });

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
      await walk(stage);
    });
  },
  terminalFault,
);
