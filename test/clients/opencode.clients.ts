import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { inOrder } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { asksToBegin, eventsOf, hears, sent } from "./talk.ts";
import { makeVoices } from "./voices.ts";

/** OpenCode without a terminal that goes on after a turn: its server, to which its windows and other programs talk. */
class Server {
  readonly #child: ChildProcess;
  readonly #address: Promise<string>;

  constructor(stage: Stage) {
    stage.spareFetching();
    const env = stage.environment();
    this.#child = spawn("opencode", ["serve"], {
      cwd: stage.project,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#address = new Promise((settle) => {
      createInterface({ input: this.#child.stdout ?? process.stdin }).on("line", (line) => {
        const [, address] = /listening on (http:\S+)/.exec(line) ?? [];
        if (address !== undefined) settle(address);
      });
    });
  }

  /** Begins a conversation with a prompt. */
  async prompt(text: string): Promise<void> {
    const { id } = Object(await this.#post("/session", {}));
    await this.#post(`/session/${id}/prompt_async`, { parts: [{ type: "text", text }] });
  }

  async #post(path: string, body: object): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${await this.#address}${path}`, request);
    assert(response.ok, `${path}: ${response.status}`);
    const answer = await response.text();
    return answer === "" ? undefined : JSON.parse(answer);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

function failureIn(stage: Stage): string {
  const path = join(stage.project, ".consulta/errors/hook.txt");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

await describeClients(
  "OpenCode without a terminal",
  (play) => {
    play("is woken three times, and leaves nothing behind when it is killed", async (stage) => {
      const names = "--participant opencode --participant claude";
      const scripts = await stage.install();
      const begin = `node ${scripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
      const voices = makeVoices(2);
      const model = await stage.model("opencode", follows({ begin, voice: voices.claude }));
      const server = new Server(stage);
      await server.prompt(`${asksToBegin} about SQLite or files`);
      const colleague = new Colleague(stage, "claude", "talk", voices.gemini);
      for (const count of [1, 2]) {
        await model.until(`after message ${count}`, sent(count));
        await colleague.answers();
        await model.until("woken", hears(/^Consulta: you have the turn in session talk\./m));
      }
      await model.until("after message 3", sent(3));
      const isHook = ({ command }: { command: string }) => / hook opencode/.test(command);
      for (let tries = 0; !stage.processes().some(isHook); tries += 1) {
        assert(tries < 400, "it does not wait");
        await sleep(50);
      }
      server.kill();
      const killedMs = Date.now();
      while (stage.processes().some(isHook)) await sleep(50);
      assert(Date.now() - killedMs < 5_000, "its hook outlived it");
      assert.equal(failureIn(stage), "");
      assert.deepEqual(stage.faults(), []);
      assert.match(eventsOf(stage), /"from":"opencode","by":"hook"|"by":"hook"/);
    });

    play("is told in a run what is open, and after a tool what came", async (stage) => {
      const scripts = await stage.install();
      const colleague = new Colleague(stage, "claude", "talk", makeVoices().claude);
      await colleague.opens("SQLite or files?", "opencode");
      const next = `node ${scripts}/next-action.cjs --session talk --participant opencode`;
      const other = new Colleague(stage, "claude", "walk", makeVoices().claude);
      const model = await stage.model(
        "opencode",
        inOrder(
          { run: next },
          async () => {
            await other.opens("Tabs?", "opencode");
            return { run: "true" };
          },
          { say: "Done." },
        ),
      );
      stage.checkEndedWell(await stage.opencode("What is 2 + 2?"));
      const [first, , third] = model.turns();
      const told = /open sessions .*[\s\S]*session talk \(dialogue\): your turn.*Run: node/;
      assert.match(first?.since ?? "", told);
      assert.match(third?.since ?? "", /Consulta: you have the turn in session walk\. Run: node/);
      assert.equal(failureIn(stage), "");
    });

    play("is told in a run to wait with a command: nothing wakes it after that", async (stage) => {
      const scripts = await stage.install();
      const names = "--participant claude --participant opencode";
      const open = `node ${scripts}/init.cjs --topic 'Tabs?' --session talk ${names}`;
      const next = `node ${scripts}/next-action.cjs --session talk --participant opencode`;
      const steps = inOrder({ run: open }, { run: next }, { say: "Done." });
      const model = await stage.model("opencode", steps);
      stage.checkEndedWell(await stage.opencode("Go on"));
      const printed = model.turns()[2]?.latest ?? "";
      assert.match(printed, /next:.*\nnode \S*wait-for-turn\.cjs/);
    });
  },
  () => undefined,
  ["opencode"],
);
