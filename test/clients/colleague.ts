import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import type { Stage } from "./stage.ts";
import { draftOf, type Voice } from "./voices.ts";

/** A colleague in another window, played by scripts alone. */
export class Colleague {
  readonly #stage: Stage;
  readonly #name: string;
  readonly #session: string;
  readonly #voice: Voice;

  constructor(stage: Stage, name: string, session: string, voice: Voice) {
    this.#stage = stage;
    this.#name = name;
    this.#session = session;
    this.#voice = voice;
  }

  /** Opens the session and asks. */
  async opens(topic: string, other: string): Promise<void> {
    const names = ["--participant", this.#name, "--participant", other];
    await this.#run("init", ["--topic", topic, "--session", this.#session, ...names]);
    await this.sends();
  }

  /** Waits for its turn and takes it. */
  async answers(): Promise<void> {
    await this.#run("wait-for-turn", [...this.#who(), "--timeout", "60"]);
    await this.sends();
  }

  /** Sends the message that is drafted for it; gives when that was, and the seq. */
  async sends(): Promise<{ atMs: number; seq: number }> {
    const printed = await this.#run("next-action", [...this.#who(), "--json"]);
    const { guidance } = parse(printed);
    assert(isJsonObject(guidance) && Array.isArray(guidance["moves"]));
    const inputs = guidance["moves"].map((move) =>
      isJsonObject(move) ? (move["input"] ?? {}) : {},
    );
    const { draft, accepts } = draftOf(inputs);
    const file = join(this.#stage.project, `${this.#name}.json`);
    writeFileSync(file, JSON.stringify(this.#voice(draft, accepts)));
    const words = [...this.#who(), "--message", file, "--json"];
    const { seq } = parse(await this.#run("append-event", words));
    return { atMs: Date.now(), seq: Number(seq) };
  }

  #who(): string[] {
    return ["--session", this.#session, "--participant", this.#name];
  }

  async #run(name: string, words: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.#stage.script(name, words);
    const faults = this.#stage.faults();
    assert.equal(exitCode, 0, `${name}: ${stdout}\n${stderr}\n${faults.join("\n")}`);
    return stdout;
  }
}

function parse(text: string): JsonObject {
  const value: JsonValue = JSON.parse(text);
  assert(isJsonObject(value));
  return value;
}
