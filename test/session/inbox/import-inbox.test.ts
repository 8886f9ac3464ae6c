import assert from "node:assert/strict";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { limits } from "../../../scripts-src/base/limits.ts";
import { OriginalColleague } from "../../dialogue/original-colleague.ts";
import { draft, type Project, projectMaker, recordOf } from "../../dialogue/project.ts";

const newProject = projectMaker();

/** A question of ours that takes no stand. */
const open = { position: undefined };

function makeProject(...sessions: string[]): { project: Project; colleague: OriginalColleague } {
  const project = newProject();
  for (const session of sessions) project.open(session);
  return { project, colleague: new OriginalColleague(project) };
}

describe("a colleague with the original files", () => {
  it("is not shut out by a round that no session reaches", () => {
    const { project, colleague } = makeProject("rounds");
    const huge = draft("REQUEST", "Which?", { round: Number.MAX_SAFE_INTEGER });
    const { code, stderr } = project.send("rounds", "claude", huge);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: round is 9007199254740991, but the next message is of round 1 at/,
    );
    project.say("rounds", "claude", draft("REQUEST", "Which?"));
    colleague.send("rounds", "RESPONSE", "The first.");
    assert.match(project.next("rounds", "claude").stdout, /content: The first\./);
    assert.deepEqual(project.files("errors"), []);
  });

  it("may be the one that sends CONSENSUS", () => {
    const { project, colleague } = makeProject("close");
    project.say("close", "claude", draft("REQUEST", "Which?", open));
    colleague.send("close", "AGREE", "The first.");
    project.next("close", "claude");
    project.say("close", "claude", draft("AGREE", "Good."));
    colleague.send("close", "CONSENSUS", "The first one.");
    assert.match(project.next("close", "claude").stdout, /^session close: ENDED/);
    assert.match(project.read("artifacts", "close", "merged-solution.md"), /The first one\./);
  });

  it("keeps nobody from the session at hand by a letter that begins another", () => {
    const { project, colleague } = makeProject("first");
    colleague.send("second", "REQUEST", "And this?");
    const { stdout } = project.run("next-action", ["--participant", "claude"]);
    assert.match(stdout, /^session first: YOUR TURN$/m);
    assert.match(stdout, /^a letter opened session second: run next-action --session second$/m);
    const { stderr } = project.run("next-action", ["--participant", "claude"]);
    assert.match(
      stderr,
      /claude has several open sessions; give --session with one of: first, second/,
    );
  });

  it("is entered by append-event as well, which sends no answer before it was read", () => {
    const { project, colleague } = makeProject("blind");
    project.say("blind", "claude", draft("REQUEST", "Which?"));
    colleague.send("blind", "RESPONSE", "The first.");
    const blind = project.send("blind", "claude", draft("EVALUATE", "Why?"));
    assert.equal(blind.code, 2);
    assert.match(
      blind.stderr,
      /gemini has sent message 3 by hand, which you have not read: run next/,
    );
    assert.match(project.next("blind", "claude").stdout, /content: The first\./);
    project.say("blind", "claude", draft("EVALUATE", "Why?"));
    assert.deepEqual(
      project.acts("blind").map(({ from }) => from),
      ["claude", "claude", "gemini", "claude"],
    );
    assert.deepEqual(project.files("inbox-claude"), []);
  });

  let received: Record<string, unknown>[] = [];
  before(() => {
    const { project, colleague } = makeProject("budget");
    project.say("budget", "claude", draft("REQUEST", "Which?", open));
    for (let round = 1; round <= 5; round += 1) {
      colleague.send("budget", "RESPONSE", `Thought ${round}.`);
      project.next("budget", "claude");
      const position = "Thought 4.";
      const thought = draft("EVALUATE", `Thought ${round}.`, { position });
      if (round < 5) project.say("budget", "claude", thought);
    }
    assert.match(project.next("budget", "claude").stdout, /ENDED[\s\S]*budget_exhausted/);
    received = colleague.read();
  });

  it("hears of an escalation by rule in a message", () => {
    const escalation = received.find(({ type }) => type === "ESCALATE");
    assert.equal(escalation?.["expects_reply"], false);
    assert.equal(escalation?.["from"], "consulta");
    assert.equal(escalation?.["confidence"], 0.7);
    assert.match(JSON.stringify(escalation?.["context"]), /"user_instructions":"Which\?"/);
    assert.match(
      JSON.stringify(escalation),
      /Original goal: Which\?.*Position of claude: Thought 4.*Position of gemini: Thought 5.*Point of disagreement/,
    );
  });

  it("finds the escalation by rule behind all older messages", () => {
    const types = received.map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ["REQUEST", "EVALUATE"]);
    assert.equal(types.at(-1), "ESCALATE");
  });

  it("is not lost when it copies the seq of the message that it answers", () => {
    const { project, colleague } = makeProject("copied");
    project.say("copied", "claude", draft("REQUEST", "Which?"));
    const [request] = colleague.read();
    assert.equal(request?.["seq"], 2);
    colleague.send("copied", "RESPONSE", "The first.", { seq: 2 });
    assert.match(project.next("copied", "claude").stdout, /content: The first\./);
  });

  it("is not lost when it uses one file name for every message", () => {
    const { project, colleague } = makeProject();
    project.open("names", "--mode", "parallelo");
    project.say("names", "claude", draft("REQUEST", "Which?"));
    for (const content of ["The first.", "Or the second."]) {
      const name = colleague.send("names", "RESPONSE", content);
      renameSync(project.path("inbox-claude", name), project.path("inbox-claude", "message.json"));
      assert.match(project.next("names", "claude").stdout, new RegExp(content));
    }
    assert.equal(project.acts("names").length, 4);
  });
});

describe("malformed mail", () => {
  const { project, colleague } = makeProject("mail");
  project.say("mail", "claude", draft("REQUEST", "Which?"));
  const bad: [name: string, content: string | Uint8Array, reason: RegExp][] = [
    ["not-json.json", "hello", /not-json\.json is not JSON/],
    ["empty.json", "", /empty\.json is not JSON/],
    ["list.json", "[]", /the message is no JSON object/],
    ["nobody.json", "{}", /the message lacks session_id or from/],
    [
      "unknown.json",
      '{"session_id":"none","from":"gemini","type":"RESPONSE","question_or_proposal":{"content":"x"}}',
      /no session none/,
    ],
    [
      "outside.json",
      '{"session_id":"../mail","from":"gemini","type":"REQUEST"}',
      /cannot name a session/,
    ],
    [
      "mallory.json",
      '{"session_id":"mail","from":"mallory","type":"AGREE","question_or_proposal":{"content":"a"}}',
      /from is "?mallory/,
    ],
    [
      "consensus.json",
      '{"session_id":"mail","from":"gemini","type":"CONSENSUS","question_or_proposal":{"content":"a"}}',
      /CONSENSUS is not reached/,
    ],
    [
      "no-content.json",
      '{"session_id":"mail","from":"gemini","type":"AGREE"}',
      /question_or_proposal is mis/,
    ],
    [
      "twice.json",
      '{"session_id":"mail","session_id":"mail","from":"gemini"}',
      /has the key "session_id" twice/,
    ],
    [
      "large.json",
      JSON.stringify({
        session_id: "mail",
        from: "gemini",
        ...draft("RESPONSE", "a".repeat(1_048_576)),
      }),
      /at most 1048576 bytes/,
    ],
    ["latin1.json", Buffer.from('{"a":"\xff"}', "latin1"), /is not UTF-8 text/],
  ];

  it("goes to errors with its reason, and the rest is entered", () => {
    for (const [name, content] of bad) project.put("claude", name, content);
    colleague.send("mail", "RESPONSE", "The good one.");
    const { stdout, code } = project.next("mail", "claude");
    assert.equal(code, 0);
    assert.match(stdout, /content: The good one\./);
    assert.deepEqual(project.files("inbox-claude"), []);
    const kept = bad.flatMap(([name]) => [name, `${name}.reason.txt`]);
    assert.deepEqual(project.files("errors"), kept.sort());
    for (const [name, , reason] of bad) {
      assert.match(project.read("errors", `${name}.reason.txt`), reason);
    }
    const told = bad.filter(([name]) =>
      stdout.includes(`rejected mail, now in errors/: "${name}"`),
    );
    assert.equal(told.length, limits.rejectedTold);
    assert.match(
      stdout,
      new RegExp(`^${bad.length - told.length} more were rejected; they are in`, "m"),
    );
    assert.equal(project.acts("mail").length, 3);
  });

  it("of a name that errors has already is kept beside it", () => {
    project.put("claude", "empty.json", "again");
    project.next("mail", "claude");
    assert.equal(project.read("errors", "empty.json"), "");
    assert.equal(project.read("errors", "2-empty.json"), "again");
    assert.match(project.read("errors", "2-empty.json.reason.txt"), /is not JSON/);
  });

  it("that is a link or a folder does not lead anywhere", {
    skip: process.platform === "win32",
  }, () => {
    writeFileSync(project.path("secret.txt"), '{"session_id":"mail","from":"gemini"}');
    symlinkSync(project.path("secret.txt"), project.path("inbox-claude", "link.json"));
    mkdirSync(project.path("inbox-claude", "folder.json"));
    assert.equal(project.next("mail", "claude").code, 0);
    assert.deepEqual(project.files("inbox-claude"), []);
    assert.match(project.read("errors", "link.json.reason.txt"), /is a link/);
    assert.match(project.read("errors", "folder.json.reason.txt"), /is not a regular file/);
  });

  it("that is dated in the future is refused as well", () => {
    project.put("claude", "future.json", "hello", -3_600);
    assert.match(project.next("mail", "claude").stdout, /rejected mail[^\n]*"future\.json"/);
    assert.match(project.read("errors", "future.json.reason.txt"), /is not JSON/);
  });

  it("that is no JSON file is nobody's business", () => {
    project.put("claude", "notes.txt", "hello");
    project.put("claude", ".hidden.json", "hello");
    project.next("mail", "claude");
    assert.deepEqual(project.files("inbox-claude"), [".hidden.json", "notes.txt"]);
  });
});

describe("mail that has to wait", () => {
  const letter = (session: string, from: string, type: string, content: string) =>
    JSON.stringify({ session_id: session, from, to: "claude", ...draft(type, content) });

  it("is kept a little, and keeps nobody else's out", () => {
    const { project } = makeProject("early");
    project.say("early", "claude", draft("REQUEST", "Which?"));
    project.say("early", "gemini", draft("RESPONSE", "The first."));
    for (let number = 10; number < 40; number += 1)
      project.put("claude", `a${number}.json`, letter("early", "gemini", "CLARIFY", `${number}a`));
    const file = "asked-20260422T150000Z-bob-request.json";
    project.put("claude", file, letter("asked", "bob", "REQUEST", "Honest?"));
    const { stdout } = project.next("early", "claude");
    assert.equal(project.files("sessions").includes("asked"), true);
    assert.match(
      stdout,
      /^mail that waits: 16 letters in inbox-claude not entered yet: "it is the turn of claude, not of gemini"$/m,
    );
    // Three were taken in the same turn, beside the answer; they are in the log.
    const kept = Array.from({ length: limits.lettersWaiting }, (_, index) => `a${13 + index}.json`);
    const left = project.files("inbox-claude").filter((name) => name.startsWith("a"));
    assert.deepEqual(
      left,
      kept.flatMap((name) => [name, `${name}.reason.txt`]),
    );
    assert.match(
      project.read("inbox-claude", "a13.json.reason.txt"),
      /^This letter waits: it is the turn of claude, not of gemini\nseen /,
    );
    assert.match(
      project.read("errors", "a29.json.reason.txt"),
      /it is the turn of claude, not of gemini; 16 letters wait already and no more are kept/,
    );
    project.say("early", "claude", draft("EVALUATE", "Why?"));
    const late = project.next("early", "claude");
    assert.match(late.stdout, /content: 13a/, `${late.code} ${late.stderr.slice(0, 500)}`);
    assert.equal(project.files("inbox-claude").includes("a13.json.reason.txt"), false);
  });

  it("leaves the last place for a session to the user, and says so", () => {
    const { project } = makeProject("mine");
    for (const id of ["j1", "j2", "j3"])
      project.put("claude", `${id}.json`, letter(id, `mallory-${id}`, "REQUEST", "Junk?"));
    assert.match(
      project.next("mine", "claude").stdout,
      /^mail that waits: 2 letters in inbox-claude not entered yet: "session j2 has to wait: 2 sessions are open \(max_concurrent_sessions is 3\), and the last place is kept for init; bring one to its end", "session j3 /m,
    );
    assert.match(
      project.run("status", []).stdout,
      /^2 letters in inbox-claude not entered yet: next-action as claude enters mail, or says why/m,
    );
    project.open("own");
    assert.match(project.next("mine", "claude").stdout, /"session j2 has to wait: 3 sessions are/);
    const { waiting } = project.guidance("mine", "claude");
    assert.equal(recordOf(JSON.stringify(waiting))["letters"], 2);
    assert.deepEqual(
      project.files("inbox-claude").filter((name) => /^j[23]\.json$/.test(name)),
      ["j2.json", "j3.json"],
    );
  });
});

describe("a file that is still being written", () => {
  const parts: [name: string, cut: (whole: Buffer) => Buffer][] = [
    ["torn in the middle", (whole) => whole.subarray(0, whole.length / 2)],
    ["empty", (whole) => whole.subarray(0, 0)],
    ["torn within a letter", (whole) => whole.subarray(0, whole.indexOf("ж") + 1)],
  ];
  for (const [name, cut] of parts) {
    it(`is left alone while young, and entered when whole: ${name}`, () => {
      const { project, colleague } = makeProject("torn");
      project.say("torn", "claude", draft("REQUEST", "Which?"));
      const file = colleague.send("torn", "RESPONSE", "The whole жук.");
      const whole = Buffer.from(project.read("inbox-claude", file));
      project.put("claude", file, cut(whole), 0);
      assert.match(project.next("torn", "claude").stdout, /waiting for your peer/);
      assert.deepEqual(project.files("errors"), []);
      assert.deepEqual(project.files("inbox-claude"), [file]);
      project.put("claude", file, whole, 0);
      assert.match(project.next("torn", "claude").stdout, /content: The whole жук\./);
    });
  }
});

it("our own long message to one session is no malformed mail to another", () => {
  const { project } = makeProject("long", "short");
  project.say("short", "claude", draft("REQUEST", "Which?"));
  const content = "long ".repeat(209_600);
  project.say("long", "claude", draft("REQUEST", content));
  assert.match(project.next("short", "gemini").stdout, /YOUR TURN/);
  assert.deepEqual(project.files("errors"), []);
  assert.match(project.next("long", "gemini").stdout, /content: long long/);
});
