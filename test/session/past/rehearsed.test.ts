import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, afterEach, before, describe, it } from "node:test";
import { SessionLearner } from "../../../scripts-src/brain/server/learn-sessions.ts";
import { InMemoryStore } from "../../brain/in-memory-store.ts";
import { decide, openAbout } from "../../dialogue/finished.ts";
import { draft, Project } from "../../dialogue/project.ts";
import { removeFolder } from "../../scratch-folder.ts";

const question = "Should we store sessions in SQLite or in files?";
const both = ["--participant", "claude", "--participant", "gemini"];
const mixed = "Which queue library do we take?";

describe("a session that a rehearsal took part in", () => {
  let project: Project;
  const rehearse = (id: string, by = "gemini") => {
    const ran = project.run("rehearsal", ["--session", id, "--participant", by]);
    assert.equal(ran.code, 0, ran.stderr);
  };
  before(() => {
    project = new Project();
    // README's first command, and a real participant with a scripted one.
    const ran = project.run("consult", ["--rehearse", question]);
    assert.equal(ran.code, 0, ran.stderr);
    openAbout(project, "mixed", mixed);
    project.say("mixed", "claude", draft("REQUEST", "Which?"));
    rehearse("mixed");
    const needs = { needs_user: "Which one do you pay for?" };
    project.say("mixed", "claude", draft("ESCALATE", "Bull.", needs));
    const who = ["--session", "mixed", "--participant", "claude"];
    assert.equal(project.run("journal", [...who, "--positive", "Prompt."]).code, 0);
    decide(project, "tokens", "Which token library?", "Use jose 5.");
  });
  after(() => removeFolder(project.folder));
  // Three may be open at once.
  afterEach(() => {
    const kept = ["tokens", "mixed", "should-we-store-sessions-in"];
    for (const id of project.files("sessions")) {
      const isKept = kept.some((name) => id.startsWith(name));
      if (!isKept) rmSync(project.path("sessions", id), { recursive: true });
    }
  });

  it("is no earlier decision of a real one on its topic", () => {
    openAbout(project, "real", question);
    openAbout(project, "queues", mixed);
    for (const id of ["real", "queues"]) {
      assert.doesNotMatch(project.next(id, "claude").stdout, /earlier/);
    }
    openAbout(project, "again", "token library");
    assert.match(project.next("again", "claude").stdout, /\nearlier decision: tokens, /);
  });

  it("is not told of real decisions on its topic either", () => {
    openAbout(project, "played", "token library");
    assert.match(project.next("played", "gemini").stdout, /earlier decision: tokens/);
    rehearse("played", "claude");
    assert.doesNotMatch(project.next("played", "gemini").stdout, /earlier/);
  });

  it("is not named as an open one on the same topic", () => {
    const init = () => project.run("init", ["--topic", "Which cache?", ...both]);
    assert.equal(init().code, 0);
    assert.match(init().stderr, /^note: which-cache has the same topic/);
    for (const id of ["which-cache", "which-cache-2"]) {
      project.say(id, "claude", draft("REQUEST", "Which?"));
      rehearse(id);
    }
    assert.equal(init().stderr, "");
  });

  it("leaves no memory, nor does a journal about it", async () => {
    const store = new InMemoryStore();
    const now = () => new Date().toISOString();
    const learner = new SessionLearner({
      ...{ project: project.folder, store, now, note: () => undefined },
      ...{ pauseMs: 0, patienceMs: 60_000 },
    });
    await learner.look();
    assert.deepEqual(
      store.list("", 100).map(({ key }) => key),
      ["consulta/tokens/decision"],
    );
  });
});
