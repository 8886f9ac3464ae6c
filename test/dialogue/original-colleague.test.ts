import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../scripts-src/base/json.ts";
import { OriginalColleague } from "./original-colleague.ts";
import { draft, type Project, projectMaker, recordOf } from "./project.ts";

const makeProject = projectMaker();

/** A project in which we opened a session, and an original colleague beside us. */
function together(session = "talk"): { project: Project; colleague: OriginalColleague } {
  const project = makeProject();
  project.open(session);
  return { project, colleague: new OriginalColleague(project) };
}

/** The same, with our question asked and read. */
function asked() {
  const found = together();
  found.project.say("talk", "claude", draft("REQUEST", "Which?", { position: undefined }));
  const [request] = found.colleague.read();
  assert.equal(request?.["expects_reply"], true);
  return found;
}

/** It has asked in a session "db", and we have read that. */
function begun(content: string, conclusions = "") {
  const found = together("other");
  found.colleague.send("db", "REQUEST", content, { discoveries: { conclusions } });
  found.project.next("other", "claude");
  found.project.next("db", "claude");
  return found;
}

const posixOnly = { skip: process.platform === "win32" && "needs bash" };
const json = (names: string[]) => names.filter((name) => name.endsWith(".json"));
const wait = (project: Project, session = "talk", seconds = 5) =>
  project.run("wait-for-turn", [
    ...["--session", session, "--participant", "claude", "--timeout", `${seconds}`],
  ]);
const report = (project: Project, session = "talk") =>
  project.run("report", ["--session", session]).stdout;
const status = (project: Project) => project.run("status", ["--all"]).stdout;

describe("beside an original colleague", () => {
  it("begun by us: each of our messages is waited for, and both come to an end", posixOnly, () => {
    const { project, colleague } = asked();
    assert.deepEqual(colleague.missing(), []);
    colleague.send("talk", "RESPONSE", "Files.");
    assert.match(wait(project).stdout, /content: Files\./);
    project.say("talk", "claude", draft("AGREE", "Files then."));
    // The original goes on waiting: its own AGREE is still to come.
    assert.match(colleague.wait(5), /^talk-\d{8}T\d{6}Z-claude-agree\.json$/);
    assert.equal(colleague.read()[0]?.["expects_reply"], true);
    colleague.send("talk", "AGREE", "Yes.");
    assert.match(wait(project).stdout, /Both agree\. Close with type CONSENSUS/);
    project.say("talk", "claude", draft("CONSENSUS", "Files."));
    assert.equal(colleague.read()[0]?.["expects_reply"], false);
    assert.match(
      report(project),
      /\*\*CONSENSUS on judgement, nothing was checked; closing text not confirmed by gemini\*\*/,
    );
    assert.match(status(project), /closing text not confirmed by gemini/);
    // It had read the letter that it accepted, and said nothing of its own before.
    assert.match(report(project), /^- claude: none of its own before it agreed \(message 5\)/m);
    // It concludes as its step 6 has it, and neither solution overwrites the other.
    colleague.writeSolution("talk", "# Its own\n");
    project.next("talk", "gemini");
    project.next("talk", "claude");
    assert.equal(project.read("artifacts", "talk", "merged-solution.md"), "# Its own\n");
    assert.match(project.read("artifacts", "talk", "merged-solution-consulta.md"), /Files\./);
  });

  it("begun by it: the session is entered once, under its topic, and we close it", () => {
    const { project, colleague } = together("other");
    const file = colleague.ask("cache", "How to cache at all", "Redis or files?");
    const opened = /^a letter opened session cache: run next-action --session cache$/m;
    assert.match(project.next("other", "claude").stdout, opened);
    assert.deepEqual(json(project.files("archive")), [file]);
    assert.match(project.next("cache", "claude").stdout, /YOUR TURN[\s\S]*Redis or files\?/);
    assert.deepEqual(json(project.files("archive")), [file]);
    colleague.writeSession("cache", "How to cache at all", "IN_PROGRESS");
    project.say("cache", "claude", draft("RESPONSE", "Files.", { position: "Files." }));
    assert.equal(recordOf(project.read("sessions", "cache.json"))["topic"], "How to cache at all");
    colleague.read();
    colleague.send("cache", "AGREE", "Files.");
    project.next("cache", "claude");
    project.say("cache", "claude", draft("AGREE", "Files."));
    assert.equal(colleague.read()[0]?.["expects_reply"], false);
    // Our AGREE was the second: a colleague that takes it for the end leaves the closing to us.
    assert.match(wait(project, "cache").stdout, /Close with type CONSENSUS/);
    project.say("cache", "claude", draft("CONSENSUS", "Files."));
    assert.equal(project.run("validate", ["--session", "cache"]).code, 0);
    const letters = json(project.files("archive")).filter((name) => name.includes("gemini"));
    assert.equal(letters.length, 2);
  });

  it("its CONSENSUS by a criterion of its own ends our wait, and can be objected to", () => {
    const { project, colleague } = asked();
    colleague.send("talk", "RESPONSE", "Files.", { confidence: 0.95 });
    project.next("talk", "claude");
    project.say("talk", "claude", draft("AGREE", "Files."));
    colleague.send("talk", "CONSENSUS", "Files, in RAM.");
    const { code, stdout } = wait(project);
    assert.equal(code, 0);
    assert.match(stdout, /ENDED[\s\S]*object to the closing text, which reopens/);
    assert.deepEqual(project.files("errors"), []);
    assert.match(report(project), /closed by gemini by the original rules/);
    const objections = [{ point: "in RAM", because: "nobody said so", about: "judgement" }];
    const because = "judgement: files on a disk";
    const fields = { acknowledged: ["files"], objections, because };
    project.say("talk", "claude", draft("EVALUATE", "Not in RAM.", fields));
    assert.equal(colleague.read().at(-1)?.["expects_reply"], true);
    assert.match(status(project), /talk: dialogue, talking, turn: gemini/);
  });

  it("its CONSENSUS without ground is refused aloud, and it is told why", () => {
    const { project, colleague } = asked();
    const file = colleague.send("talk", "CONSENSUS", "Files.");
    const { code, stdout } = wait(project);
    assert.equal(code, 0);
    assert.match(stdout, /^ready: mail to claude was rejected$/m);
    const told = /rejected mail, now in errors\/: "talk-[^"]*": "CONSENSUS is not reached: /;
    for (const text of [stdout, project.next("talk", "claude").stdout]) assert.match(text, told);
    assert.match(status(project), /rejected mail in "inbox-claude", now in errors\/: "talk-/);
    assert.match(project.read("errors", `${file}.reason.txt`), /^CONSENSUS is not reached: /);
    // The way out of waiting for each other: to ask back, out of turn.
    project.say(
      "talk",
      "claude",
      draft("CLARIFY", "Your CONSENSUS did not count: I had no answer."),
    );
    assert.equal(colleague.read().at(-1)?.["type"], "CLARIFY");
    assert.doesNotMatch(project.next("talk", "claude").stdout, /rejected mail/);
  });

  it("its letter ends no wait in a collaboration, which has no mail", () => {
    const { project, colleague } = asked();
    const terms = ["--objective", "Agree.", "--completion", "Listed"];
    const names = ["gemini", "claude"].flatMap((name) => ["--participant", name]);
    project.run("init", [...terms, ...names, "--session", "shared"]);
    const file = colleague.send("talk", "CONSENSUS", "Files.");
    assert.equal(wait(project, "shared", 1).code, 1);
    assert.deepEqual(project.files("inbox-claude"), [file]);
  });

  it("its ESCALATE, ours and a rule's end both waits", () => {
    const theirs = asked();
    theirs.colleague.send("talk", "ESCALATE", "The user must decide.");
    assert.match(wait(theirs.project).stdout, /ENDED/);
    const ours = asked();
    ours.project.say("talk", "claude", draft("ESCALATE", "The user must decide."));
    assert.equal(ours.colleague.read()[0]?.["type"], "ESCALATE");
    const [escalated] = [ours, theirs].map(({ project }) => report(project));
    assert.match(escalated ?? "", /Position of claude[\s\S]*The user must decide|Which\?/);
    const byRule = asked();
    for (let round = 1; round <= 5; round += 1) {
      byRule.colleague.send("talk", "EVALUATE", `Thought ${round}.`, { confidence: 0.6 });
      byRule.project.next("talk", "claude");
      if (round < 5) byRule.project.say("talk", "claude", draft("EVALUATE", `Thought ${round}.`));
    }
    const told = byRule.colleague.read().at(-1);
    assert.deepEqual([told?.["type"], told?.["from"]], ["ESCALATE", "consulta"]);
    assert.deepEqual([told?.["expects_reply"], told?.["confidence"]], [false, 0.6]);
    assert.equal(typeof told?.["context"], "object");
  });

  const sqlite = { position: "SQLite" };
  it("a synthesis of ours that its AGREE accepts is what both hold", () => {
    const { project, colleague } = asked();
    colleague.send("talk", "RESPONSE", "A queue.");
    project.next("talk", "claude");
    const synthesis = "A queue in front of a file";
    project.say("talk", "claude", draft("EVALUATE", "Both.", { synthesis, position: "A file" }));
    colleague.send("talk", "AGREE", "Accepted, your synthesis it is.");
    project.next("talk", "claude");
    project.say("talk", "claude", draft("AGREE", "A queue in front of a file."));
    project.say("talk", "claude", draft("CONSENSUS", "A queue in front of a file."));
    assert.match(report(project), /^- claude: \*\*A queue in front of a file\*\*/m);
    assert.doesNotMatch(report(project), /, message \d+: from "/);
  });

  it("AGREE to one that has only asked says what is agreed", () => {
    const { project } = begun("SQLite?", "Either works.");
    const ran = project.send("db", "claude", draft("AGREE", "SQLite."));
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /gemini has only asked; add position: what is agreed/);
    project.say("db", "claude", draft("AGREE", "SQLite.", sqlite));
  });

  it("two messages in a turn are both shown in their order, and neither answers ours", () => {
    const { project, colleague } = asked();
    colleague.send("talk", "RESPONSE", "The first thought.");
    colleague.send("talk", "RESPONSE", "The second thought.");
    const { stdout } = wait(project);
    assert.match(stdout, /The first thought\.[\s\S]*The second thought\./);
    project.say("talk", "claude", draft("EVALUATE", "Why?"));
    assert.match(status(project), /turn: gemini/);
    assert.deepEqual(json(project.files("inbox-claude")), []);
  });

  it("a slug that is used again opens a session of its own, with its own answers", () => {
    const { project, colleague } = asked();
    project.say("talk", "claude", draft("ESCALATE", "Enough."));
    colleague.ask("talk", "Once more", "And now?");
    project.next("talk", "claude");
    const again = project.next("talk-2", "claude");
    assert.match(again.stdout, /YOUR TURN[\s\S]*And now\?/);
    project.say("talk-2", "claude", draft("RESPONSE", "Now this."));
    // The escalation of the first one may have got a later second for its name.
    assert(
      colleague.read().some((it) => it["session_id"] === "talk-2" && it["type"] === "RESPONSE"),
    );
    // It keeps the name that it gave.
    colleague.send("talk", "AGREE", "Good.");
    assert.match(wait(project, "talk-2").stdout, /content: Good\./);
    assert.deepEqual(project.files("errors"), []);
    assert.match(report(project), /ESCALATED/);
  });

  it("a fourth session waits aloud, is told to its sender, and opens when there is room", () => {
    const { project, colleague } = together("one");
    project.open("two");
    project.open("three");
    const file = colleague.ask("four", "The fourth", "And this?");
    const told = /session four has to wait: 3 sessions are open/;
    const waited = wait(project, "one", 1);
    assert.match(waited.stdout + waited.stderr, /YOUR TURN|four has to wait/);
    assert.match(project.next("one", "claude").stdout, told);
    assert.match(status(project), /1 letter in inbox-claude not entered yet/);
    assert.match(project.read("inbox-claude", `${file}.reason.txt`), told);
    for (const id of ["one", "two"]) {
      project.say(id, "claude", draft("REQUEST", "Which?"));
      project.say(id, "claude", draft("ESCALATE", "Enough."));
    }
    assert.match(project.next("three", "claude").stdout, /YOUR TURN/);
    assert.match(project.next("four", "claude").stdout, /And this\?/);
    assert.deepEqual(project.files("inbox-claude"), []);
  });
});

/** What its reader makes of a letter: whose words, what is disputed, whether to answer. */
const toldIn = (letter: Record<string, unknown>) => {
  const { type, question_or_proposal, agreements_so_far: agreed, expects_reply } = letter;
  const content = isRecord(question_or_proposal) ? question_or_proposal["content"] : undefined;
  const disputed = letter["disagreements_pending"];
  return { type, content, agreed, disputed, isOver: expects_reply === false };
};

const point = "whether two writers collide";
const theirs = "SQLite: it has transactions.";
const agreed = ["One writer at a time"];

const position = "Files, and SQLite where two write.";

/** A talk that it began, up to its first dispute, in which ours has to answer. */
function disputed() {
  const project = makeProject();
  const colleague = new OriginalColleague(project);
  colleague.ask("talk", "The store", "Which store?");
  const none = /^error: there is no session here; 1 letter in inbox-claude not entered yet: next-/;
  assert.match(project.run("report", []).stderr, none);
  const told = project.run("next-action", ["--participant", "claude"]);
  assert.match(told.stdout, /YOUR TURN[\s\S]*content: Which store\?/, told.stderr);
  project.say("talk", "claude", draft("RESPONSE", "Files.", { position: "Files." }));
  colleague.read();
  const points = { agreements_so_far: agreed, disagreements_pending: [point] };
  colleague.send("talk", "COUNTER_PROPOSE", theirs, points);
  return { project, colleague };
}

describe("to an end with an original colleague", () => {
  it("agreed on its proposal, both read the decision", () => {
    const { project, colleague } = disputed();
    assert.match(project.next("talk", "claude").stdout, /YOUR TURN[\s\S]*SQLite: it has/);
    project.say("talk", "claude", draft("AGREE", "SQLite, then.", { because: "judgement: so" }));
    const agree = { type: "AGREE", content: "SQLite, then.", agreed, disputed: [] };
    assert.deepEqual(colleague.read().map(toldIn), [{ ...agree, isOver: false }]);
    colleague.send("talk", "AGREE", "SQLite.", { agreements_so_far: agreed });
    wait(project);
    project.say("talk", "claude", draft("CONSENSUS", theirs));
    const closed = { type: "CONSENSUS", content: theirs, agreed, disputed: [] };
    assert.deepEqual(colleague.read().map(toldIn), [{ ...closed, isOver: true }]);
    assert.match(report(project), /CONSENSUS[\s\S]*## Decision\n\n> SQLite: it has transactions\./);
    assert.equal(recordOf(project.read("sessions", "talk.json"))["state"], "CONSENSUS");
  });

  const ends: [whose: string, end: (at: ReturnType<typeof disputed>, points: string[]) => void][] =
    [
      ["ours", ({ project }) => project.say("talk", "claude", draft("ESCALATE", "Decide, user."))],
      ["its own", ({ colleague }) => colleague.send("talk", "ESCALATE", "Decide, user.")],
      [
        "a rule's",
        ({ project, colleague }, points) => {
          for (let round = 0; round < 9; round += 1) {
            const lists = { agreements_so_far: agreed, disagreements_pending: points };
            colleague.send("talk", "EVALUATE", theirs, lists);
            if (/ENDED/.test(project.next("talk", "claude").stdout)) return;
            project.say("talk", "claude", draft("CLARIFY", `Why, for the ${round}. time?`));
          }
        },
      ],
    ];
  for (const [whose, end] of ends) {
    it(`by ${whose} ESCALATE, both read the positions and the point`, () => {
      const { project, colleague } = disputed();
      project.next("talk", "claude");
      const points = [point, "a file for each writer"];
      const because = "no writer shares one";
      const fields = {
        ...{ position, synthesis: position, acknowledged: ["transactions"] },
        because: "judgement: two writers are rare",
        objections: [{ point: points.at(-1), because, about: "judgement" }],
      };
      project.say("talk", "claude", draft("COUNTER_PROPOSE", "Files, I say.", fields));
      const [countered] = colleague.read().map(toldIn);
      assert.deepEqual(countered?.disputed, points);
      end({ project, colleague }, points);
      project.next("talk", "claude");
      const parts = ["Which store?", position, theirs, ...points];
      const ended = report(project);
      assert.match(ended, /ESCALATED/);
      for (const part of parts) assert(ended.includes(part), `${part}: ${ended}`);
      assert(ended.includes(`## Position of claude\n\n**${position}**`), ended);
      assert(ended.includes(`## Position of gemini\n\n> ${theirs}`), ended);
      assert.equal(recordOf(project.read("sessions", "talk.json"))["state"], "ESCALATED");
      if (whose === "its own") return;
      const letter = colleague.read().at(-1) ?? {};
      assert.deepEqual([letter["type"], letter["expects_reply"]], ["ESCALATE", false]);
      for (const part of parts) assert(JSON.stringify(letter).includes(part), part);
    });
  }

  it("told why its first letter is in errors, where there is no session yet", () => {
    const project = makeProject();
    const colleague = new OriginalColleague(project);
    colleague.ask("talk", "The store", "");
    const { code, stderr } = project.run("next-action", ["--participant", "claude"]);
    assert.equal(code, 2);
    assert.match(stderr, /rejected mail, now in errors\/: "talk-.*: "the message is malformed: /);
    assert.match(stderr, /there is no session here; open one with init\n$/);
  });

  it("told by every other letter all that its schema has", () => {
    const blank = { context: { project_state: "" } };
    for (const type of ["EVALUATE", "CLARIFY", "TASK_ASSIGN", "TASK_RESULT"]) {
      const { project, colleague } = asked();
      colleague.send("talk", type === "TASK_RESULT" ? "TASK_ASSIGN" : "RESPONSE", "Files.");
      project.next("talk", "claude");
      project.say("talk", "claude", draft(type, `It is ${type}.`, blank));
      assert.equal(colleague.read()[0]?.["type"], type);
      project.run("close", ["--session", "talk", "--reason", "nobody goes on"]);
      assert.equal(colleague.read()[0]?.["type"], "ESCALATE");
    }
  });
});

describe("the watchers of a workspace", posixOnly, () => {
  it("answer as the original's do, and tell unread mail first", async () => {
    const { project, colleague } = together();
    project.say("talk", "claude", draft("REQUEST", "Which?"));
    const [file = ""] = project.files("inbox-gemini");
    assert.equal(colleague.wait(5), file);
    const { child, lines, done } = colleague.watch();
    const name = (text: string) => `${text}-20260422T143500Z-claude-request.json`;
    writeFileSync(project.path("inbox-gemini", name("later")), '{"whole": true}\n');
    for (let tries = 0; tries < 600 && lines.length < 3; tries += 1) await sleep(100);
    assert.match(lines[0] ?? "", /^WATCHER:STARTED:gemini:\d+$/);
    assert.deepEqual(lines.slice(1).sort(), [`NEW:${name("later")}`, `NEW:${file}`].sort());
    const presence = recordOf(project.read("presence", "gemini.ready"));
    assert.deepEqual([presence["agent"], presence["pid"]], ["gemini", child.pid]);
    child.kill("SIGTERM");
    assert.equal(await done, 143);
    assert.equal(project.files("presence").includes("gemini.ready"), false);
  });

  it("give up with TIMEOUT and 1, and refuse wrong usage with 1", () => {
    const { colleague, project } = together();
    assert.equal(colleague.wait(0), "TIMEOUT");
    mkdirSync(project.path("inbox-ana"), { mode: 0o700 });
    assert.deepEqual(project.files("inbox-ana"), []);
  });
});
