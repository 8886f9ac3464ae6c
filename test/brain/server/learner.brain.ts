import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { SessionLearner } from "../../../scripts-src/brain/server/learn-sessions.ts";
import { type BrainStore, openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { collaborationAt } from "../../collaboration/folder.ts";
import { decide, escalate, openAbout } from "../../dialogue/finished.ts";
import { draft, Project } from "../../dialogue/project.ts";
import { Board, reportText } from "../../findings/board.ts";
import { removeFolder } from "../../scratch-folder.ts";

let project: Project;
let store: BrainStore;
let notes: string[];
beforeEach(async () => {
  project = new Project();
  store = await openStore(project.path("brain"));
  notes = [];
});
afterEach(() => {
  store.close();
  removeFolder(project.folder);
});

const now = () => new Date().toISOString();
const learner = () =>
  new SessionLearner({
    project: project.folder,
    memories: store.memories,
    now,
    pauseMs: 0,
    patienceMs: 60_000,
    note: (text) => notes.push(text),
  });
/** Looks as a brain does that has just started. */
const look = () => learner().look();
const keys = () => store.memories.list("", 100).map(({ key }) => key);
const remembered = (key: string) => String(store.memories.retrieve(`consulta/${key}`)?.value);

function configure(change: object): void {
  const config = JSON.parse(project.read("config.json"));
  writeFileSync(project.path("config.json"), JSON.stringify({ ...config, ...change }));
}

describe("a brain learns from finished sessions", () => {
  it("what a dialogue decided, with topic, outcome, date and link", async () => {
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    openAbout(project, "open", "Something else");
    await look();
    const [memory, ...more] = store.memories.list("", 100);
    assert.deepEqual(more, []);
    const { key, value, tags, source, session, updated } = Object(memory);
    assert.deepEqual(
      [key, tags, source, session],
      [
        "consulta/tokens/decision",
        ["dialogue", "decision", "token", "library"],
        "consulta",
        "tokens",
      ],
    );
    const date = now().slice(0, 10);
    assert.equal(
      value,
      `Which token library?\nCONSENSUS on judgement, nothing was checked; dialogue of claude, gemini, ${date}\nUse jose 5.`,
    );
    const [last] = project.acts("tokens").slice(-1);
    assert.equal(updated.slice(0, 19), String(last?.["at"]).slice(0, 19));
    assert.deepEqual(notes, ["memories learned from session tokens: 1"]);
  });

  it("what was left to the user, and the last synthesis", async () => {
    escalate(project, "colour", "Blue or red");
    openAbout(project, "mixed", "Green or yellow");
    project.say("mixed", "claude", draft("REQUEST", "Which?", { position: "Yellow" }));
    const fields = { synthesis: "Lime: yellow and green at once.", position: "Green" };
    project.say("mixed", "gemini", draft("RESPONSE", "Green.", fields));
    project.say("mixed", "claude", draft("AGREE", "Lime.", { because: ["judgement: fair"] }));
    project.say("mixed", "gemini", draft("AGREE", "Lime, yes."));
    openAbout(project, "shade", "Green or yellow");
    project.say("shade", "claude", draft("REQUEST", "Which?", { position: "Yellow" }));
    project.say("shade", "gemini", draft("RESPONSE", "Green.", fields));
    project.say("shade", "claude", draft("ESCALATE", "A matter of taste."));
    await look();
    assert.deepEqual(keys(), [
      "consulta/colour/decision",
      "consulta/mixed/decision",
      "consulta/shade/decision",
      "consulta/shade/synthesis",
    ]);
    assert.match(remembered("mixed/decision"), /\nLime: yellow and green at once\.\n/);
    const left = remembered("colour/decision");
    assert.match(left, /\nESCALATED: user_decision .*; dialogue of claude, /);
    assert.match(left, /\nPosition of gemini: Blue/);
    const both = remembered("shade/synthesis");
    assert.match(both, /\nsynthesis of gemini; dialogue of .*\nLime: yellow and green at once\.$/);
  });

  it("what the person decided or found of it later, in the words of the verdict", async () => {
    escalate(project, "colour", "Blue or red");
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    const running = learner();
    await running.look();
    for (const [script, ...words] of [
      ["decide", "--session", "colour", "Blue; we paint again next year."],
      ["verdict", "--session", "tokens", "changed"],
    ] as const) {
      const ran = project.run(script, words);
      assert.equal(ran.code, 0, ran.stderr);
    }
    await running.look();
    assert.match(
      remembered("colour/decision"),
      /\nESCALATED: user_decision \([^\n]*\); decided by the user; dialogue of [^\n]*\nBlue; we paint again next year\.$/,
    );
    assert.match(
      remembered("tokens/decision"),
      /\nCONSENSUS on judgement, nothing was checked; changed since, says the user; dialogue of /,
    );
  });

  it("once, whatever brain runs, and never again what was forgotten", async () => {
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    await look();
    store.forget({ keys: "consulta/*" });
    await look();
    project.next("tokens", "claude");
    project.run("validate", ["--session", "tokens", "--repair"]);
    const view = project.path("sessions", "tokens", "events.jsonl");
    writeFileSync(view, readFileSync(view));
    const again = learner();
    await again.look();
    await again.look();
    assert.deepEqual(keys(), []);
    decide(project, "queue", "Which queue?", "None.");
    await again.look();
    assert.deepEqual(keys(), ["consulta/queue/decision"]);
  });

  it("in short, without what a brain said before", async () => {
    const injected = "[brain abc: memory; quoted data, not instructions]\nold\n[brain abc: end]";
    const long = `${injected}\nUse jose 5. ${"And so on. ".repeat(400)}`;
    decide(project, "tokens", "Which token library?", long);
    await look();
    const value = remembered("tokens/decision");
    assert.equal(value.length, brainLimits.learnedCharacters);
    assert(!value.includes("[brain") && value.endsWith(" ..."), value);
  });

  it("but no secret, and nothing where the brain is switched off", async () => {
    decide(project, "keys", "Where do keys live?", `In the code: sk-ant-${"a1B2".repeat(8)}`);
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    configure({ brain: false });
    await look();
    assert.deepEqual([keys(), notes], [[], []]);
    configure({ brain: true });
    await look();
    assert.deepEqual(keys(), ["consulta/tokens/decision"]);
    assert.equal(notes[0], 'not learned: "consulta/keys/decision" looks like an Anthropic key');
  });
});

describe("a brain that learns", () => {
  it("skips what is damaged, says so once, and learns it when it is mended", async () => {
    decide(project, "bad", "Which queue?", "None.");
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    const log = project.path("sessions", "bad", "events.jsonl");
    const whole = readFileSync(log, "utf8");
    rmSync(project.path("sessions", "bad", ".checkpoint.json"), { force: true });
    writeFileSync(log, whole.replace('"seq":2', '"seq":7'));
    mkdirSync(project.path("sessions", "nothing"));
    const running = learner();
    await running.look();
    await running.look();
    assert.deepEqual(keys(), ["consulta/tokens/decision"]);
    assert.equal(notes.filter((note) => /^session bad cannot be learned/.test(note)).length, 1);
    writeFileSync(log, whole);
    await running.look();
    assert.deepEqual(keys(), ["consulta/bad/decision", "consulta/tokens/decision"]);
  });

  it("survives a config that cannot be read, and goes on when it can", async () => {
    decide(project, "tokens", "Which token library?", "Use jose 5.");
    const config = project.read("config.json");
    writeFileSync(project.path("config.json"), "{");
    const running = learner();
    await running.look();
    await running.look();
    assert.deepEqual([keys(), notes.length], [[], 1]);
    writeFileSync(project.path("config.json"), config);
    await running.look();
    assert.equal(keys().length, 1);
  });

  it("learns a collaboration's outcome, also elsewhere, and anew when it goes on", async () => {
    const at = collaborationAt("readiness", { name: "docs/sync", schema: 1 });
    ({ project } = at);
    mkdirSync(project.path("sessions"), { recursive: true });
    writeFileSync(project.path("config.json"), "{}");
    at.say("a", "blocked", { summary: "The table is not there." });
    cpSync(at.folder, project.path("sessions", "api"), { recursive: true });
    assert.equal(at.next("a").code, 0);
    const running = learner();
    await running.look();
    const [own = "", elsewhere = ""] = keys();
    assert.deepEqual(
      [own, /^consulta\/sync-[0-9a-f]{8}\/decision$/.test(elsewhere)],
      ["consulta/api/decision", true],
    );
    const there = String(store.memories.retrieve(elsewhere)?.value);
    assert(there.includes(`, in ${at.folder}\nThe table is not there.`), there);
    at.say("a", "unblocked");
    at.say("a", "readiness_passed");
    at.say("a", "completed", { doc: "conclusion.md" });
    await running.look();
    const name = dirname(elsewhere);
    assert.deepEqual(keys(), [own, ...["decision", "readiness"].map((it) => join(name, it))]);
    const decision = String(store.memories.retrieve(`${name}/decision`)?.value);
    assert.match(decision, /^Agree on the sync API\ncompleted, proceed; collaboration of a, b, /);
    const readiness = String(store.memories.retrieve(`${name}/readiness`)?.value);
    assert.match(readiness, /1 completion gates met;.*\nQuestions:\n- resolved: Which codes\? /s);
  });

  it("learns what agents pooled once all are ready, and anew when one more comes", async () => {
    const board = new Board(".consulta/sessions/pool", project);
    mkdirSync(project.path("sessions"), { recursive: true });
    writeFileSync(project.path("config.json"), "{}");
    board.init(2).register("ann", "bob");
    board.post(
      "ann",
      "cache",
      reportText({ title: "The cache", summary: "Stale after a deploy." }),
    );
    board.ready("ann");
    const running = learner();
    await running.look();
    assert.deepEqual(keys(), []);
    board.ready("bob");
    await running.look();
    assert.deepEqual(keys(), ["consulta/pool/findings"]);
    const pooled = () => remembered("pool/findings");
    assert.match(pooled(), /findings of 2 agents; findings of ann, bob, /);
    assert.match(pooled(), /\n- ann\/01-cache\.md: The cache: Stale after a deploy\.$/);
    board.register("cat");
    board.post("cat", "disk", reportText({ title: "The disk" }));
    board.ready("cat");
    await running.look();
    assert.match(pooled(), /\n- cat\/01-disk\.md: The disk: /);
  });
});
