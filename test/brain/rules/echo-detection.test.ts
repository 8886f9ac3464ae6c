import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../../../scripts-src/base/json.ts";
import { echoOf, repeatTest } from "../../../scripts-src/brain/rules/echo-detection.ts";
import { cpuMs } from "../../cpu-time.ts";
import { time } from "../check-brain-store.ts";
import { InMemoryStore } from "../in-memory-store.ts";

const repeats = (text: string, injected: string) => repeatTest(text)(injected);

const injected =
  "Ship to staging with `make ship` from the main branch, then watch the canary dashboard for ten " +
  "minutes. Roll back with `make unship` when the error rate is above two percent; tell Ana.";

const echoes: [name: string, text: string][] = [
  ["a sentence of it", "Ship to staging with `make ship` from the main branch"],
  ["its other half", injected.slice(injected.indexOf("Roll"))],
  ["it as a list", injected.replace(/[;.,] /g, "\n- ")],
  ["it on other lines", injected.replace(/ /g, (_, at) => (at % 40 < 8 ? "\n" : " "))],
  ["it quoted", `> ${injected}`],
  ["it in other marks", `**NOTE**: ${injected.toUpperCase().replaceAll("`", "'")}`],
  ["it with an empty phrase around it", `As I learned from memory: ${injected} So we do this.`],
  ["its sentences the other way round", injected.split(". ").reverse().join(". ")],
];

const news: [name: string, text: string][] = [
  ["too short to tell", "make ship from the main branch"],
  ["another target", injected.replace("staging", "production")],
  ["another number", injected.replace("two percent", "five percent")],
  ["its denial", injected.replace("Ship", "Never ship")],
  ["what is new beside it", `${injected} The dashboard moved to Grafana.`],
  [
    "the same words, said otherwise",
    "The canary dashboard is what to watch; Ana will tell when minutes rate above error.",
  ],
];

describe("what was injected", () => {
  for (const [name, text] of echoes) {
    it(`is known again: ${name}`, () => assert(repeats(text, injected)));
  }
  for (const [name, text] of news) {
    it(`is something else: ${name}`, () => assert(!repeats(text, injected)));
  }

  it("is never stored again under another key, and may be changed under its own", () => {
    const store = new InMemoryStore();
    const put = (key: string, value: JsonValue) =>
      store.store({ key, value, source: "x" }, time(2));
    put("deploy", injected);
    const mark = { reason: "relevant", version: 1, score: 9, characters: 9 } as const;
    store.markInjected("s", [{ ...mark, subject: "deploy" }], time(1));
    for (const [name, text] of echoes) {
      assert.deepEqual(put("copy", text), { stored: false, refusal: "echo", of: "deploy" }, name);
      const wrapped = put("copy", { note: text });
      assert.deepEqual(wrapped, { stored: false, refusal: "echo", of: "deploy" }, name);
    }
    for (const [name, text] of news) assert.equal(put(name, text).stored, true, name);
    assert.equal(put("deploy", "Ship to staging with `make ship` from main.").stored, true);
  });

  it("is compared in no time, however long it is", () => {
    const long = Array.from({ length: 10_000 }, (_, at) => `word${at % 700}`).join(" ");
    const started = cpuMs();
    for (let count = 0; count < 64; count += 1) repeats(long, long);
    assert(cpuMs() - started < 2_000);
  });
});

it("knows an echo in other case and spacing, unless it is too short to tell", () => {
  assert.equal(echoOf(" Ship\n to  STAGING with make ship"), "ship to staging with make ship");
  assert.equal(echoOf("port 3000"), undefined);
});
