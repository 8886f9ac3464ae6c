import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCliProgram } from "../../scripts-src/clis/find-program.ts";
import { driverProfiles } from "../../scripts-src/clis/known-drivers.ts";
import type { Turn } from "../../scripts-src/consult/driver.ts";
import { vendorDriver } from "../../scripts-src/consult/process-driver.ts";
import { turnIn } from "../consult/turn.ts";
import { inOrder, type Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";

const never = new AbortController().signal;

/** One turn of Gemini CLI, as its profile has it. */
function take(stage: Stage, more: Partial<Turn>, signal = never) {
  const environment = stage.environment();
  const program = findCliProgram("gemini", environment);
  const profile = driverProfiles({}, "it").find(({ name }) => name === "gemini");
  assert(program !== undefined && profile !== undefined);
  const turn = turnIn(stage.project, { timeoutMs: 120_000, ...more });
  return vendorDriver(profile, program, environment).takeTurn(turn, signal);
}

await describeClients("Gemini CLI over the Agent Client Protocol", (play) => {
  play("reads, is kept from all else, and goes on in its conversation", async (stage) => {
    writeFileSync(join(stage.project, "notes.txt"), "the notes\n");
    const [ran, written] = ["ran", "written"].map((name) => join(stage.project, name));
    const steps: Step[] = [
      { read: join(stage.project, "notes.txt") },
      { run: `touch ${ran}` },
      { write: written ?? "", text: "x" },
    ];
    const model = await stage.model("gemini", inOrder(...steps, { say: "One." }, { say: "Two." }));
    const told: string[] = [];
    const first = await take(stage, { tell: (doing) => told.push(doing) });
    assert.deepEqual([first.answer, first.failure], ["One.", undefined]);
    assert.match(first.remark ?? "", /were rejected/);
    assert(told.includes("read: notes.txt"), told.join("\n"));
    assert(told.includes(`may not: touch ${ran}`), told.join("\n"));
    assert(!existsSync(ran ?? "") && !existsSync(written ?? ""));
    assert.match(model.turns()[1]?.latest ?? "", /the notes/);
    // In the clock minute in which it began it would lose its conversation.
    await sleep(60_000 - (Date.now() % 60_000));
    const second = await take(stage, { resume: first.resume });
    assert.deepEqual([second.answer, second.failure], ["Two.", undefined]);
    assert.match(model.turns().at(-1)?.context ?? "", /the notes[\s\S]*One\./);
    assert.deepEqual(model.faults, []);
  });

  play("is gone within two seconds when its turn is stopped", async (stage) => {
    const model = await stage.model("gemini", () => new Promise<Step>(() => undefined));
    const stop = new AbortController();
    const end = take(stage, {}, stop.signal);
    await model.until("of the turn", () => true);
    assert(stage.processes().length > 0);
    const from = performance.now();
    stop.abort();
    const { failure } = await end;
    assert.match(failure ?? "", /^gemini was stopped$/);
    while (stage.processes().length > 0) await sleep(20);
    const tookMs = performance.now() - from;
    assert(tookMs < 2_000, `it took ${tookMs} ms`);
  });
});
