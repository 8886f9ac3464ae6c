import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ServedBrain, type TestClient } from "./served-brain.ts";

const alerts = [
  ["alert.memory_full", 90],
  ["alert.hallucination_risk", 95],
] as const;

type Step =
  | { readonly kind: "report"; readonly usage: number; readonly fate: Fate }
  | { readonly kind: "together"; readonly usages: readonly [number, number] }
  | { readonly kind: "confirm" | "compact" | "restart" | "turn" };
/** What becomes of a hook that was given something; `late` ones print when others have reported. */
type Fate = "printed" | "died" | "silent" | "late";

const usage = fc.oneof(fc.integer({ min: 82, max: 99 }), fc.integer({ min: 0, max: 120 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      usage,
      fate: fc.constantFrom<Fate>("printed", "died", "silent", "late", "late"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("together" as const),
      usages: fc.tuple(usage, usage),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: "confirm" }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: "turn" }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>({ kind: "compact" }, { kind: "restart" }),
  },
);

interface Pending {
  readonly client: TestClient;
  readonly receipt: unknown;
  readonly came: readonly string[];
  /** What was given in the end, whatever rise it was about. */
  readonly given: readonly string[];
  readonly turn: number;
}

/** A session with what a person would say of it, beside what the brain does. */
class Walk {
  readonly #brain = new ServedBrain();
  #late: Pending[] = [];
  /** The alerts of which the model knows on the current rise, and those that are on their way. */
  readonly #told = new Set<string>();
  readonly #underWay = new Set<string>();
  /** In which turn each was told last. */
  readonly #toldIn = new Map<string, number>();
  #turn = 0;

  async begin(): Promise<void> {
    await this.#brain.start();
  }

  async end(): Promise<void> {
    for (const { client } of this.#late) client.line?.close();
    await this.#brain.stop();
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "report":
        return this.#report(step.usage, step.fate);
      case "together":
        return this.#together(step.usages);
      case "confirm":
        return this.#confirm(this.#late.shift());
      case "turn": {
        const client = await this.#brain.client();
        await client.ask("session.sync", { ...about, event: "prompt" });
        client.line?.close();
        this.#turn += 1;
        return;
      }
      case "compact": {
        const client = await this.#brain.client();
        await client.ask("session.sync", { ...about, event: "start", source: "compact" });
        client.line?.close();
        this.#fall(alerts.map(([name]) => name));
        this.#turn += 1;
        return;
      }
      case "restart": {
        for (const { client } of this.#late.splice(0)) client.line?.close();
        await this.#brain.restart();
        this.#underWay.clear();
        this.#toldIn.clear();
      }
    }
  }

  #fall(names: readonly string[]): void {
    for (const name of names) {
      this.#told.delete(name);
      this.#underWay.delete(name);
    }
    // What is still on its way is about a rise that is over: it no longer counts.
    this.#late = this.#late.map((it) => ({
      ...it,
      came: it.came.filter((name) => !names.includes(name)),
    }));
  }

  #observe(usage: number): string[] {
    this.#fall(alerts.filter(([, over]) => usage <= over).map(([name]) => name));
    return alerts
      .filter(([name, over]) => usage > over && !this.#isKnown(name))
      .map(([name]) => name);
  }

  #isKnown(name: string): boolean {
    const isOfTurn = this.#toldIn.get(name) === this.#turn;
    return this.#told.has(name) || this.#underWay.has(name) || isOfTurn;
  }

  async #report(usage: number, fate: Fate): Promise<void> {
    const due = this.#observe(usage);
    const pending = await this.#sync(usage, fate !== "silent");
    assert.deepEqual(pending.came, fate === "silent" ? [] : due, `at ${usage} %`);
    for (const name of pending.came) this.#underWay.add(name);
    if (fate === "late" && pending.came.length > 0) this.#late.push(pending);
    else if (fate === "printed") await this.#confirm(pending);
    else {
      pending.client.line?.close();
      const onlooker = await this.#brain.client();
      const left = this.#late.length + 1;
      while ((await onlooker.ask("brain.status"))["connections"] !== left);
      onlooker.line?.close();
      for (const name of pending.came) this.#underWay.delete(name);
    }
  }

  /** Two hooks of one session at once: what is due goes to one of them. */
  async #together([first, second]: readonly [number, number]): Promise<void> {
    const both = [this.#sync(first, true), this.#sync(second, true)];
    const [one, other] = await Promise.all(both);
    assert(one !== undefined && other !== undefined);
    // Whichever came first, no alert is given to both, and none that is known already.
    const came = [...one.came, ...other.came];
    const fell = alerts.filter(([, over]) => Math.min(first, second) <= over);
    for (const [name, over] of alerts) {
      const times = came.filter((it) => it === name).length;
      const isRise = Math.min(first, second) > over;
      const wasKnown = this.#isKnown(name);
      if (isRise) assert.equal(times, wasKnown ? 0 : 1, `${name} of ${first} and ${second}`);
      else assert(times <= 1, name);
    }
    // Which of them was last decides what the usage is now: one more report settles it.
    for (const pending of [one, other]) await this.#confirm(pending);
    for (const [name] of fell) this.#told.delete(name);
    await this.#settle(0);
  }

  async #settle(usage: number): Promise<void> {
    this.#observe(usage);
    (await this.#sync(usage, false)).client.line?.close();
  }

  async #sync(current: number, deliverable: boolean): Promise<Pending> {
    const client = await this.#brain.client();
    const token_usage = { current, total: 100 };
    const report = { ...about, event: "tool", token_usage, deliverable };
    const receipt = await client.due("session.sync", report);
    const came = client.pushed.map(({ method }) => method).filter((it) => it.startsWith("alert."));
    return { client, receipt, came, given: came, turn: this.#turn };
  }

  async #confirm(pending: Pending | undefined): Promise<void> {
    if (pending === undefined) return;
    const { client, receipt, came, given, turn } = pending;
    if (receipt !== undefined) {
      assert.deepEqual(await client.ask("session.delivered", { receipt }), { counted: true });
    }
    client.line?.close();
    for (const name of came) {
      this.#underWay.delete(name);
      this.#told.add(name);
    }
    for (const name of given) this.#toldIn.set(name, turn);
  }
}

const about = { session: "walk", cli: "claude" };

describe("alerts where hooks overtake each other and the brain restarts", () => {
  it("come once per rise, and none is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const walk = new Walk();
        await walk.begin();
        try {
          for (const each of steps) await walk.take(each);
        } finally {
          await walk.end();
        }
      }),
      { numRuns: 60 },
    );
  });
});
