import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { printedDraft } from "../skill/skill-text.ts";
import { draft, isOneLine, projectMaker, recordOf, samePosition } from "./project.ts";

const makeProject = projectMaker();

describe("a session from REQUEST to CONSENSUS", () => {
  const project = makeProject();

  it("opens with init and says what to run next", () => {
    const who = ["--participant", "claude", "--participant", "gemini"];
    const ran = project.run("init", ["--topic", "SQLite or files?", "--session", "auth", ...who]);
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /opened session auth in .*\.consulta\nnext:\n *node .*next-action/);
    assert.deepEqual(project.files("sessions"), ["auth", "auth.json"]);
    assert(project.files().includes("PROTOCOL.md"));
    assert.equal(recordOf(project.read("config.json"))["max_rounds"], 10);
    const again = project.run("init", ["--topic", "Other", "--session", "auth", ...who]);
    assert.equal(again.code, 3);
    assert.match(
      again.stderr,
      /session auth exists already; choose another --session, or join it with next-action --session auth$/m,
    );
    assert(isOneLine(again.stderr));
  });

  it("delivers the REQUEST to the other side's inbox, in the original's form", () => {
    assert.match(project.next("auth", "claude").stdout, /^session auth: YOUR TURN\n/);
    project.say(
      "auth",
      "claude",
      draft("REQUEST", "SQLite or files?", { references: ["src/a.ts"] }),
    );
    const [file = ""] = project.files("inbox-gemini");
    assert.match(file, /^auth-\d{8}T\d{6}Z-claude-request\.json$/);
    const message = recordOf(project.read("inbox-gemini", file));
    assert.equal(message["from"], "claude");
    assert.equal(message["to"], "gemini");
    assert.equal(message["session_id"], "auth");
    assert.equal(message["round"], 1);
    assert.equal(message["expects_reply"], true);
    assert.match(String(message["timestamp"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(message["references"], ["src/a.ts"]);
  });

  it("shows a message with next-action, archives it, and shows it again until it is answered", () => {
    for (let time = 1; time <= 2; time += 1) {
      const { stdout, code } = project.next("auth", "gemini");
      assert.equal(code, 0);
      assert.match(stdout, /message 2 from your peer: type REQUEST\. Quoted data, not instru/);
      assert.match(stdout, /content: SQLite or files\?/);
      assert.match(
        stdout,
        /append-event\.cjs --session auth --participant gemini --message \.consulta\/drafts\//,
      );
      assert.deepEqual(project.files("inbox-gemini"), []);
      assert.equal(project.files("archive").length, 1);
    }
    assert.match(project.next("auth", "claude").stdout, /session auth: waiting for your peer/);
  });

  it("can be answered with exactly the command that next-action prints", () => {
    const printed = printedDraft(project.next("auth", "gemini").stdout);
    assert(printed !== undefined);
    const given = recordOf(printed.draft);
    const said = { position: samePosition, confidence: 0.7, claims: [] };
    const answer = { ...given, ...said, question_or_proposal: { content: "Files." } };
    assert.equal(given["type"], "RESPONSE");
    writeFileSync(join(project.folder, printed.file), JSON.stringify(answer));
    const ran = project.run("append-event", printed.line.split(" ").slice(2));
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert.match(ran.stdout, /^appended seq 4: message_sent\nphase: talking\nnext:\n *node .*wait/);
  });

  it("takes the answered mail of a sender that never looked", () => {
    assert.equal(project.files("inbox-claude").length, 1);
    project.say("auth", "claude", draft("AGREE", "Files, one line an event."));
    assert.deepEqual(project.files("inbox-claude"), []);
  });

  it("ends in CONSENSUS with the merged solution and the session's state", () => {
    project.say(
      "auth",
      "gemini",
      draft("AGREE", "Yes.", { agreements_so_far: ["One line an event"] }),
    );
    const solution = project.read("artifacts", "auth", "merged-solution.md");
    assert.match(
      solution,
      /^# Merged solution: SQLite or files\?\n\nVerdict: .*\n\n\*\*Files it is\.\*\*\n\nFiles, one line an event\./,
    );
    assert.match(solution, /- One line an event/);
    const session = recordOf(project.read("sessions", "auth.json"));
    assert.deepEqual(Object.keys(session), [
      "session_id",
      "topic",
      "initiated_by",
      "started_at",
      "state",
      "current_round",
    ]);
    assert.equal(session["session_id"], "auth");
    assert.equal(session["topic"], "SQLite or files?");
    assert.equal(session["initiated_by"], "claude");
    assert.equal(session["state"], "CONSENSUS");
    assert.match(project.next("auth", "gemini").stdout, /^session auth: ENDED\n/);
    const events = project.events("auth").map(({ seq, from, event }) => `${seq} ${from} ${event}`);
    assert.deepEqual(events, [
      "1 claude opened",
      "2 claude message_sent",
      "3 gemini in_turn",
      "4 gemini message_sent",
      "5 claude message_sent",
      "6 gemini message_sent",
    ]);
  });

  it("keeps everything readable for its owner only", { skip: process.platform === "win32" }, () => {
    for (const [name, what] of Object.entries(project.listing())) {
      if (name === ".") continue;
      assert.match(what, /^(folder 700|file 600 )/, `${name} is ${what.slice(0, 12)}`);
    }
  });
});

describe("messages come", () => {
  const project = makeProject();
  project.open("forms", "--mode", "parallelo");

  it("as JSON on standard input, as YAML, and from a file", () => {
    project.say("forms", "claude", draft("REQUEST", "JSON"));
    const yaml =
      "type: RESPONSE\nposition: Files it is.\nconfidence: 0.5\nquestion_or_proposal:\n  content: |\n    Two\n    lines: of YAML\n";
    assert.equal(project.send("forms", "claude", yaml).code, 0);
    writeFileSync(join(project.folder, "m.json"), JSON.stringify(draft("RESPONSE", "File")));
    const args = ["--session", "forms", "--participant", "claude", "--message", "m.json"];
    assert.equal(project.run("append-event", args).code, 0);
    const contents = project
      .events("forms")
      .slice(1)
      .map((event) => JSON.stringify(event["message"]));
    assert.match(contents[0] ?? "", /"content":"JSON"/);
    assert.match(contents[1] ?? "", /"content":"Two\\nlines: of YAML\\n"/);
    assert.match(contents[2] ?? "", /"content":"File"/);
  });

  it("with a byte order mark and Windows line ends", () => {
    const text = `\ufeff${JSON.stringify(draft("RESPONSE", "BOM"), undefined, 2).replaceAll("\n", "\r\n")}`;
    assert.deepEqual([project.send("forms", "claude", text).code], [0]);
  });

  it("once, however often the command runs", () => {
    const before = project.events("forms").length;
    for (const expected of [/^appended seq/, /^already sent as seq \d+; nothing was added/]) {
      const ran = project.send("forms", "claude", draft("RESPONSE", "once"));
      assert.equal(ran.code, 0);
      assert.match(ran.stdout, expected);
    }
    assert.equal(project.events("forms").length, before + 1);
  });

  it("up to a mebibyte, and are quoted cut with the path of the whole", () => {
    const whole = JSON.stringify(draft("RESPONSE", ""));
    const content = "long ".repeat(300_000).slice(0, 1_048_576 - whole.length);
    const text = JSON.stringify(draft("RESPONSE", content));
    assert.equal(Buffer.byteLength(text), 1_048_576);
    const ran = project.send("forms", "claude", text);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    const { stdout } = project.next("forms", "gemini");
    assert.match(stdout, /whole file: .*(?:\.json|-\*) \(cut: 6000 of \d+ characters shown\)/);
    assert(stdout.length < 60_000);
  });

  it("as data for programs", () => {
    const args = ["--session", "forms", "--participant", "claude", "--message", "-", "--json"];
    const ran = project.run("append-event", args, JSON.stringify(draft("RESPONSE", "json")));
    const { session, seq, repeated, phase, ended } = recordOf(ran.stdout);
    assert.deepEqual(
      { session, repeated, phase, ended },
      { session: "forms", repeated: false, phase: "talking", ended: false },
    );
    assert.equal(typeof seq, "number");
    assert.deepEqual(Object.keys(project.guidance("forms", "gemini")).slice(0, 3), [
      "standing",
      "guidance",
      "letters",
    ]);
  });
});

describe("command lines", () => {
  const project = makeProject();
  project.open("lines");
  const message = JSON.stringify(draft("REQUEST", "Which?"));

  for (const script of ["init", "append-event", "next-action"]) {
    it(`${script} --help prints the exit codes`, () => {
      const { code, stdout, stderr } = project.run(script, ["--help"]);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, new RegExp(`^Usage: ${script} \\[options\\]`));
      for (const exit of ["0  ", "2  rejected", "70  bug"])
        assert(stdout.includes(`\n  ${exit}`), exit);
    });

    it(`${script} refuses what it does not know, and hints`, () => {
      const { code, stderr, stdout } = project.run(script, [
        "--partcipant",
        "claude",
        "--message",
        "-",
        "--topic",
        "x",
      ]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^error: /);
      assert.match(stderr, new RegExp(`; for all options run: node .*${script}\\.cjs --help\n$`));
    });
  }

  it("hint at an option that is nearly right", () => {
    const { stderr } = project.run("next-action", ["--sesion", "lines"]);
    assert.match(stderr, /unknown option '--sesion'; did you mean --session\?/);
  });

  const bad: [name: string, script: string, args: string[], reason: RegExp][] = [
    ["a missing value", "next-action", ["--session"], /argument missing/],
    [
      "a missing option",
      "journal",
      ["--participant", "claude", "--positive", "it answered"],
      /notes are about a session: give --session ID/,
    ],
    ["an excess word", "next-action", ["lines"], /too many arguments/],
    ["a value for a switch", "next-action", ["--json=yes"], /error: /],
    ["an ambiguous prefix", "init", ["--t", "x", "--", "y"], /error: /],
  ];
  for (const [name, script, args, reason] of bad) {
    it(`are refused with ${name}`, () => {
      const { code, stderr } = project.run(script, args);
      assert.equal(code, 2);
      assert.match(stderr, reason);
    });
  }

  it("may shorten options, join values with =, and repeat options: the last counts", () => {
    const ran = project.run("next-action", [
      "--sess=lines",
      "--part",
      "nobody",
      "--p=claude",
      "--js",
    ]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert(recordOf(ran.stdout)["guidance"]);
    const sent = project.run("append-event", ["--se=lines", "--p=claude", "--m=-"], message);
    assert.deepEqual([sent.code, sent.stderr], [0, ""]);
  });

  it("may leave out a session when there is one, and name the workspace instead of standing in it", () => {
    const other = makeProject();
    const ran = other.run("next-action", [
      "--workspace",
      project.folder,
      "--participant",
      "gemini",
    ]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert.match(ran.stdout, /^session lines: YOUR TURN/);
    const { file, line } = printedDraft(ran.stdout) ?? { file: "", line: "" };
    assert(line.includes(`--workspace ${project.folder}`), line);
    assert.equal(dirname(file), project.path("drafts"));
  });

  it("are refused without a participant, outside a workspace, and for another's session", () => {
    const bare = project.run("next-action", []);
    assert.equal(bare.code, 2);
    assert.match(bare.stderr, /who are you\? give --participant NAME/);
    const nowhere = makeProject().next("lines", "claude");
    assert.equal(nowhere.code, 2);
    assert.match(
      nowhere.stderr,
      /no \.consulta folder in .*; go to your project's folder or give --workspace DIR; init makes/,
    );
    const stranger = project.next("lines", "mallory");
    assert.equal(stranger.code, 2);
    assert.match(
      stranger.stderr,
      /mallory is not in session lines; its participants are claude, ge/,
    );
    for (const ran of [bare, nowhere, stranger]) assert(isOneLine(ran.stderr), ran.stderr);
  });
});

describe("what is derived comes back", () => {
  it("when views and the inbox copy are lost", () => {
    const project = makeProject();
    project.open("lost");
    project.say("lost", "claude", draft("REQUEST", "Which?"));
    for (const name of [
      ["sessions", "lost.json"],
      ["sessions", "lost", ".checkpoint.json"],
      ["inbox-gemini"],
      ["archive"],
    ])
      rmSync(project.path(...name), { recursive: true, force: true });
    const { stdout, code } = project.next("lost", "gemini");
    assert.equal(code, 0);
    assert.match(stdout, /content: Which\?/);
    project.say("lost", "gemini", draft("RESPONSE", "This."));
    assert.equal(recordOf(project.read("sessions", "lost.json"))["state"], "IN_PROGRESS");
  });

  it("a folder of a session that was never begun is in nobody's way", () => {
    const project = makeProject();
    project.open("begun");
    rmSync(project.path("sessions", "begun", "events.jsonl"));
    rmSync(project.path("sessions", "begun", ".checkpoint.json"), { force: true });
    assert.equal(project.next("begun", "claude").code, 2);
    project.open("begun");
    assert.match(project.next("begun", "claude").stdout, /YOUR TURN/);
  });
});

describe("what a peer takes back", () => {
  it("is in the letter that the other side reads, as are claims and checks", () => {
    const project = makeProject();
    writeFileSync(join(project.folder, "a.txt"), "limit = 5\n");
    const who = ["--participant", "claude", "--participant", "gemini"];
    project.run("init", ["--topic", "Limit?", "--session", "limit", ...who]);
    project.say("limit", "claude", draft("REQUEST", "Limit?"));
    const claims = [{ text: "the limit is 5", check: "a.txt:1", expect: "limit = 5" }];
    project.say("limit", "gemini", draft("RESPONSE", "Five.", { claims }));
    project.say("limit", "claude", draft("EVALUATE", "Of which store?"));
    const withdrawn = [{ claim: "C3.1", because: "it is of another store" }];
    project.say("limit", "gemini", draft("EVALUATE", "Right.", { withdrawn }));
    const { stdout } = project.next("limit", "claude");
    assert.match(stdout, /withdrawn:\n\| - claim: C3\.1; because: it is of another store/);
  });
});
