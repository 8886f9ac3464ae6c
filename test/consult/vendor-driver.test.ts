import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import type { JsonValue } from "../../scripts-src/base/json.ts";
import { driverProfiles } from "../../scripts-src/clis/known-drivers.ts";
import {
  pluginFile,
  pluginModule,
  pluginText,
  projectScripts,
} from "../../scripts-src/clis/opencode-plugin.ts";
import type { Turn, TurnResult } from "../../scripts-src/consult/driver.ts";
import { placePrompt, vendorDriver } from "../../scripts-src/consult/process-driver.ts";
import { defaultConfig } from "../../scripts-src/protocol/config.ts";
import { rowsOf } from "../rows.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { guidanceWith } from "./guidance.ts";

const folder = makeScratchFolder();
after(() => removeFolder(folder));

function turnOf(resume?: string): Turn {
  const guidance = guidanceWith();
  const turn = {
    place: { id: "s", folder, workspace: undefined, config: defaultConfig },
    participant: "it",
    project: folder,
    scripts: folder,
    prompt: 'Take "your" turn.\n',
    situation: "",
  };
  return { ...turn, guidance, fault: undefined, resume, timeoutMs: 20_000, tell: () => undefined };
}

/** One turn of a CLI that prints this; the shell script stands for the program. */
async function take(
  cli: string,
  script: string,
  drivers: JsonValue = {},
  resume?: string,
): Promise<TurnResult> {
  const program = join(folder, `program-${Math.random().toString(36).slice(2)}`);
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const profile = driverProfiles({ drivers }, "it").find(({ name }) => name === cli);
  assert(profile !== undefined);
  const driver = vendorDriver(profile, program, { PATH: "/usr/bin:/bin" });
  return driver.takeTurn(turnOf(resume), new AbortController().signal);
}

/** What a CLI prints, line by line, after it has read its task. */
function prints(lines: readonly object[], end = ""): string {
  const said = lines.map((it) => JSON.stringify(it)).join("\n");
  return `cat > /dev/null\ncat <<'END'\n${said}\nEND\n${end}`;
}

const codexBegins = { type: "thread.started", thread_id: "t-1" };
const codexSays = (text: string) => ({
  type: "item.completed",
  item: { type: "agent_message", text },
});
const agyEnds = (result: object) => ({
  event: "result",
  result: { conversation_id: "t-1", ...result },
});

describe("what a CLI printed", () => {
  const answers: [cli: string, lines: object[], answer: string][] = [
    ["claude", [{ type: "result", is_error: false, result: "Yes.", session_id: "t-1" }], "Yes."],
    [
      "codex",
      [
        codexBegins,
        { type: "item.completed", item: { type: "error", message: "an old model" } },
        { type: "error", message: "Reconnecting... 1/5" },
        codexSays("I look."),
        codexSays("Yes."),
        { type: "turn.completed" },
      ],
      "Yes.",
    ],
    [
      "opencode",
      [
        { type: "step_start", sessionID: "t-1", part: {} },
        { type: "text", sessionID: "t-1", part: { text: "I look." } },
        { type: "text", sessionID: "t-1", part: { text: "Yes." } },
      ],
      "I look.\n\nYes.",
    ],
    ["agy", [{ event: "init" }, agyEnds({ status: "SUCCESS", response: "Yes." })], "Yes."],
  ];
  for (const [cli, lines, answer] of answers) {
    it(`is the answer of ${cli}, with the conversation that it stands in`, async () => {
      const { failure, left, ...result } = await take(cli, prints(lines));
      assert.deepEqual([result.answer, result.resume], [answer, "t-1"]);
      assert.deepEqual([failure, left], [undefined, undefined]);
    });
  }

  /** A CLI, what it prints (objects, a line each, and what it does then), why it fails, who can help. */
  const failures = rowsOf(String.raw`
claude | {"is_error":true,"result":"API Error: 529 Overloaded","session_id":"t"} & exit 1 |
  claude failed: "API Error: 529 Overloaded"$ | -
claude | {"is_error":true,"result":"Not logged in","session_id":"t"} & exit 1 |
  claude is not signed in: .*/login | its user
claude | {"is_error":true,"result":"You've hit your weekly limit","session_id":"t"} |
  claude has used up its quota | its user
gemini | exit 41 | gemini is not signed in: set GEMINI_API_KEY | its user
gemini | echo "IneligibleTierError: this client is no longer supported" >&2; exit 1 | .*ended personal logins for
  Gemini CLI: set GEMINI_API_KEY, or use Antigravity: gemini=agy | its user
gemini | exit 55 | gemini does not trust this folder: its profile wants --acp among the arguments, or run
  gemini here | its user
claude | echo "error: unknown option '-p'" >&2; exit 1 | claude does not know an option of its profile, which was
  tested with Claude Code 2\.1\.330: update it: npm install -g @anthropic-ai/claude-code | its user
codex | {"type":"thread.started","thread_id":"t-1"} &
  {"type":"item.completed","item":{"type":"agent_message","text":"I look."}} &
  {"type":"turn.failed","error":{"message":"Boom."}} & exit 1 | codex failed: "Boom\."$ | -
codex | {"type":"turn.failed","error":{"message":"unexpected status 401"}} & exit 1 |
  codex is not signed in: run codex login | its user
codex | echo "error: unexpected argument '--json' found" >&2; exit 2 |
  codex does not know an option of its profile, which was tested with Codex CLI 0\.171\.0: update it:
  npm install -g @openai/codex, or correct drivers\.codex\.arguments in ~/\.consulta/config\.yaml | its user
opencode | echo 'opencode run [message..]' >&2; exit 1 |
  opencode does not know an option of its profile | its user
opencode | {"type":"error","sessionID":"t","error":{"data":{"message":"Unexpected server error"}}} & exit 1 |
  opencode failed: "Unexpected server error"$ | -
agy | {"event":"result","result":{"status":"ERROR","error":"RESOURCE_EXHAUSTED (code 429): Individual quota"}}
  & exit 3 | agy has used up its quota | its user
codex | {"type":"item.completed","item":{"type":"agent_message","text":"I look."}} & printf '{"type":"it' |
  codex printed no line of JSON with the field item\.text: what it printed is cut off | -
claude | printf '{"type":"result","result":"Yes' |
  claude printed no JSON with the field result: what it printed is cut off | -
gemini | echo 'at chunk.js:308:429' >&2; echo 'at chunk.js:401:9' >&2; exit 1 |
  gemini ended with exit code 1: "at chunk | -
gemini | exit 0 | gemini ended without an answer$ | -
opencode | kill -TERM $$ | opencode was killed by SIGTERM$ | -`);
  for (const [cli = "", said = "", reason = "", help] of failures) {
    it(`is why it failed, for ${help === "-" ? "another try" : help}: ${reason}`, async () => {
      const [end, ...lines] = said.split(" & ").reverse();
      const isOnlyLines = end?.startsWith("{") === true;
      const shown = (isOnlyLines ? [end, ...lines] : lines).reverse().join("\n");
      const script = shown === "" ? end : `cat > /dev/null\ncat <<'END'\n${shown}\nEND\n`;
      const result = await take(cli, shown === "" || isOnlyLines ? `${script}` : `${script}${end}`);
      assert.match(result.failure ?? "", new RegExp(`^${reason}`));
      assert.equal(result.left, help !== "-");
    });
  }

  it("is no more than eight megabytes of fifty", async () => {
    const result = await take("claude", "head -c 50000000 /dev/zero; sleep 60");
    assert.match(result.failure ?? "", /^claude printed more than 8388608 bytes and was stopped$/);
    assert.equal(result.answer, "");
  });

  const refused: [cli: string, lines: object[]][] = [
    [
      "claude",
      [{ is_error: false, result: "I may not.", session_id: "t", permission_denials: [{}] }],
    ],
    ["agy", [agyEnds({ status: "SUCCESS", response: "", denied_actions: [{ action: "x" }] })]],
    [
      "opencode",
      [
        { type: "tool_use", sessionID: "t", part: { tool: "bash", state: { status: "error" } } },
        { type: "text", sessionID: "t", part: { text: "I may not." } },
      ],
    ],
  ];
  for (const [cli, lines] of refused) {
    it(`tells that ${cli} was refused a tool`, async () => {
      assert.match((await take(cli, prints(lines))).remark ?? "", /were rejected.*answer in words/);
    });
  }

  it("is the answer as it stands where a profile says no more", async () => {
    const drivers = { mine: { command: "mine" } };
    const result = await take("mine", "cat", drivers);
    assert.deepEqual([result.answer, result.failure], ['Take "your" turn.\n', undefined]);
  });

  it("is explained as the user's entry says", async () => {
    const failures = [
      { exit: 9, text: "nap", means: "quota", advice: "wait an hour" },
      { exit: 9, advice: "wake it" },
    ];
    const drivers = { mine: { command: "mine", failures } };
    const asleep = await take("mine", "echo a nap >&2; exit 9", drivers);
    assert.match(
      asleep.failure ?? "",
      /^mine has used up its quota, which is no vote: wait an hour/,
    );
    assert.equal(asleep.left, true);
    const other = await take("mine", "echo no >&2; exit 9", drivers);
    assert.equal(other.failure, 'mine ended with exit code 9: "no"; wake it');
  });
});

describe("programs of a project", () => {
  const says = prints([{ type: "text", sessionID: "t", part: { text: "Yes." } }]);
  const reason =
    /^opencode would run what "(.*)" holds: move it away, or give another CLI the turn; where you trust it: drivers: \{opencode: /;
  const takeBeside = async (path: string, text: string, drivers: JsonValue = {}) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    const result = await take("opencode", says, drivers);
    rmSync(join(folder, path));
    return result;
  };

  for (const [path, text] of [
    [".opencode/plugin/a.js", ""],
    [".opencode/plugins/b.ts", ""],
    [pluginFile, "export const consulta = async () => ({});"],
    // The very text of ours, which loads what the project has where our module would be.
    [pluginFile, pluginText],
    ["opencode.json", '{"plugin":["./d.js"]}'],
    ["opencode.jsonc", '{"\\u0070lugin":["./d.js"]}'],
  ] as const)
    it(`keep opencode from its turn: ${path} ${text.slice(0, 30)}`, async () => {
      const { failure = "", left, answer } = await takeBeside(path, text);
      assert.deepEqual([reason.exec(failure)?.[1], left, answer], [path, true, ""]);
    });

  it("are no settings without plugins, nor our own plugin with the module of these scripts", async () => {
    assert.equal((await takeBeside("opencode.json", '{"model":"a/b"}')).answer, "Yes.");
    for (const scripts of ["", projectScripts]) {
      mkdirSync(join(folder, scripts), { recursive: true });
      writeFileSync(join(folder, scripts, pluginModule), "// ours");
    }
    assert.equal((await takeBeside(pluginFile, pluginText)).answer, "Yes.");
    writeFileSync(join(folder, projectScripts, pluginModule), "// another");
    assert.match((await takeBeside(pluginFile, pluginText)).failure ?? "", reason);
  });

  it("are run where their user says so", async () => {
    const trusting = { opencode: { project_programs: [] } };
    assert.equal((await takeBeside(".opencode/plugin/a.js", "", trusting)).answer, "Yes.");
  });
});

describe("the task of a turn", () => {
  const echo = 'printf "%s\\n" "$@"; cat';
  const entry = (more: object) => ({ mine: { command: "mine", output: "text", ...more } });

  it("goes to standard input as JSON where the entry says so", async () => {
    const drivers = entry({ input: '{"content":{prompt_json}}' });
    const { answer } = await take("mine", "cat", drivers);
    assert.deepEqual(JSON.parse(answer), { content: 'Take "your" turn.\n' });
  });

  it("is one argument, whatever it holds", async () => {
    const drivers = entry({ arguments: ["-m", "{prompt}"] });
    assert.equal((await take("mine", echo, drivers)).answer, '-m\nTake "your" turn.\n\n');
  });

  it("lies in a file that only the user may read, for as long as the turn takes", async () => {
    const drivers = entry({ arguments: ["{prompt_file}"] });
    const script =
      'echo "$1"; stat -c %a "$1" "$(dirname "$1")" 2>/dev/null || echo 600 700; cat "$1"';
    const [file = "", ...rest] = (await take("mine", script, drivers)).answer.split("\n");
    assert.deepEqual(rest.slice(0, 2).join(" ").split(/\s/), ["600", "700"]);
    assert.equal(rest.slice(2).join("\n"), 'Take "your" turn.\n');
    assert(!existsSync(file));
  });

  it("is refused as an argument where none can hold it", () => {
    const placed = placePrompt("", ["{prompt}"], "x".repeat(100_001), "/bin/x");
    assert("fault" in placed);
    assert.match(placed.fault, /the task has 100001 bytes, an argument at most 100000; give it/);
    const batch = placePrompt("", ["{prompt}"], "x", "C:\\x.cmd");
    assert("fault" in batch);
    assert.match(batch.fault, /a batch file cannot take the task as an argument/);
  });

  it("says of itself nothing that a place stands for", () => {
    const prompt = "{prompt_file} {prompt_json} {conversation} $& {prompt}";
    const placed = placePrompt("{prompt}", ["{prompt}"], prompt, "/bin/x");
    assert("words" in placed);
    assert.deepEqual([placed.input, ...placed.words], [prompt, prompt]);
  });

  it("goes on in a conversation only by a name that is one", async () => {
    const more = {
      output: "json",
      answer: { from: "a" },
      conversation: { from: "c" },
      resume: ["--on", "{conversation}"],
    };
    const drivers = entry(more);
    const script = `cat > /dev/null; printf '{"c":"1","a":"%s"}' "$*"`;
    assert.equal((await take("mine", script, drivers, "t-1")).answer, "--on t-1");
    assert.equal((await take("mine", script, drivers, "--evil")).answer, "");
  });
});

describe("words of a CLI that only look like a quota", () => {
  const looks: [name: string, cli: string, script: string][] = [
    [
      "of its code",
      "claude",
      'cat > /dev/null; echo "TypeError: cannot read rateLimit, rate-limiter.js:3" >&2; exit 1',
    ],
    [
      "of a file",
      "claude",
      prints([
        { result: "the file quota.ts could not be parsed", is_error: true, session_id: "s" },
      ]),
    ],
  ];
  for (const [name, cli, script] of looks) {
    it(`${name} are none`, async () => {
      const { failure, left } = await take(cli, script);
      assert.doesNotMatch(failure ?? "", /quota, which/);
      assert.notEqual(left, true);
    });
  }

  it("are none in an error whose messages hold each other without end", async () => {
    const deep = `${'{"message":'.repeat(5_000)}"x"${"}".repeat(5_000)}`;
    const script = `cat > /dev/null\necho '{"is_error":true,"session_id":"s","result":${deep}}'`;
    const { failure } = await take("claude", script);
    assert.match(failure ?? "", /gave no reason/);
  });
});

describe("the environment of a CLI", () => {
  it("has the paths of its profile written out, so that no project is trusted", async () => {
    const script =
      'echo "$GEMINI_CLI_TRUST_WORKSPACE $GEMINI_CLI_TRUSTED_FOLDERS_PATH" >&2; exit 1';
    const { failure } = await take("gemini", script);
    assert.match(failure ?? "", /"false \/.*\.consulta\/no-trusted-folders\.json"$/);
  });
});
