import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCliProgram } from "../../scripts-src/clis/find-program.ts";
import { driverProfiles } from "../../scripts-src/clis/known-drivers.ts";
import type { Driver, Turn } from "../../scripts-src/consult/driver.ts";
import { commandDriver, vendorDriver } from "../../scripts-src/consult/process-driver.ts";
import { scripted } from "../consult/scripted-line.ts";
import { turnIn } from "../consult/turn.ts";
import type { AnyClient } from "./client.ts";
import { killProcesses, until } from "./processes.ts";
import { inOrder, type Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { inWords, makeVoices } from "./voices.ts";

const question = "Should we store sessions in SQLite or in files?";
const never = new AbortController().signal;

/** A CLI to which `consult` gives turns, and what differs from one to the other. */
interface Driven {
  readonly name: AnyClient;
  /** How the person names it; by its name unless said. */
  readonly as?: string;
  /** What is left of a turn whose command and file were kept from the model. */
  readonly kept: string;
  /** Whether the CLI says that it kept something from its model. */
  readonly tells: boolean;
}

const clis: readonly Driven[] = [
  { name: "claude", kept: "One.", tells: false },
  { name: "gemini", kept: "One.", tells: true },
  { name: "codex", kept: "One.", tells: false },
  { name: "opencode", kept: "One.", tells: true },
  // With these the turn ends.
  { name: "qwen", as: "acp:qwen --acp", kept: "", tells: true },
  {
    name: "copilot",
    as: "acp:copilot --acp",
    kept: "Info: Operation cancelled by user",
    tells: true,
  },
];

/** What `consult` gives its turns by. */
function driverOf(stage: Stage, { name, as }: Driven): Driver {
  stage.spareFetching();
  const environment = stage.environment();
  if (as !== undefined) return commandDriver(as.replace("acp:", ""), environment, "acp");
  const program = findCliProgram(name, environment);
  const profile = driverProfiles({}, "it").find((it) => it.name === name);
  assert(program !== undefined && profile !== undefined);
  return vendorDriver(profile, program, environment);
}

function take(stage: Stage, cli: Driven, more: Partial<Turn> = {}, signal = never) {
  const turn = turnIn(stage.project, { timeoutMs: 120_000, ...more });
  return driverOf(stage, cli).takeTurn(turn, signal);
}

/** A turn whose model thinks for ever; it has begun to. */
async function thinking(stage: Stage, cli: Driven, signal = never) {
  const model = await stage.model(cli.name, () => new Promise<Step>(() => undefined));
  const end = take(stage, cli, {}, signal);
  await Promise.race([model.until("of the turn", () => true), end]);
  assert(stage.processes().length > 0);
  return { end };
}

await describeClients(
  "A turn of consult",
  (play) => {
    for (const cli of clis) {
      const { name } = cli;
      play(`${name}: reads, is kept from all else, and goes on where it was`, async (stage) => {
        writeFileSync(join(stage.project, "notes.txt"), "the notes\n");
        const [ran = "", written = ""] = ["ran", "written"].map((it) => join(stage.project, it));
        const steps: Step[] = [{ read: join(stage.project, "notes.txt") }, { run: `touch ${ran}` }];
        if (cli.kept === "One.") steps.push({ write: written, text: "x" }, { say: "One." });
        const model = await stage.model(name, inOrder(...steps, { say: "Two." }));
        const first = await take(stage, cli);
        assert.deepEqual([first.answer, first.failure], [cli.kept, undefined]);
        assert.equal(/were rejected/.test(first.remark ?? ""), cli.tells, first.remark);
        assert(!existsSync(ran) && !existsSync(written));
        assert.match(model.turns()[1]?.latest ?? "", /the notes/);
        // In the clock minute in which it began it would lose its conversation.
        if (name === "gemini") await sleep(60_000 - (Date.now() % 60_000));
        const second = await take(stage, cli, { resume: first.resume });
        assert.deepEqual([second.answer, second.failure], ["Two.", undefined]);
        assert.match(model.turns().at(-1)?.context ?? "", /the notes/);
        assert.deepEqual(model.faults, []);
      });

      play(`${name}: is gone within two seconds when its turn is stopped`, async (stage) => {
        const stop = new AbortController();
        const { end } = await thinking(stage, cli, stop.signal);
        const from = performance.now();
        stop.abort();
        const { failure } = await end;
        assert.match(failure ?? "", /^(?:the agent|\w+) was stopped$/);
        await until("nothing runs", () => stage.processes().length === 0);
        const tookMs = performance.now() - from;
        assert(tookMs < 2_000, `it took ${tookMs} ms`);
      });

      play(`${name}: dies in mid-turn, in one line, and may try again`, async (stage) => {
        const { end } = await thinking(stage, cli);
        killProcesses(stage.processes());
        const { failure = "", left, answer } = await end;
        assert.match(failure, /^(?:the agent|\w+) was killed by SIGKILL$/);
        assert.deepEqual([left === true, answer], [false, ""]);
        await until("nothing runs", () => stage.processes().length === 0);
      });

      play(`${name}: talks of something else, is told, and comes to the report`, async (stage) => {
        const answers = inWords(makeVoices().gemini);
        const model = await stage.model(name, (seen) =>
          seen.count === 0 ? { say: "The weather is { fine" } : answers(seen),
        );
        stage.spareFetching();
        const list = `peer=${scripted()},${name}=${cli.as ?? name}`;
        const words = ["--auditor", "none", "--participants", list, question];
        const ran = await stage.script("consult", words, 300_000);
        stage.checkEndedWell(ran);
        assert.match(ran.stderr, /one more try/);
        assert.match(ran.stdout, /\*\*CONSENSUS/);
        assert.match(model.turns()[1]?.latest ?? "", /no message|JSON/);
      });
    }
  },
  () => undefined,
  ["codex", "opencode", "qwen", "copilot"],
);
