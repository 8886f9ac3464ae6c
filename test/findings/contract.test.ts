import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { Board, reportText } from "./board.ts";
import { OriginalAgent } from "./original-agent.ts";
import { poolPrint, printOf } from "./pool-print.ts";

// What the original shell scripts print and write, to the byte (facts/originals.md 3.1).

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
const rule = "=".repeat(42);

/** One board with alice and bob on it, expecting two, for tests that leave it as it is; a slow machine takes its time. */
const pair = new Board().init(2, "3600").register("alice", "bob");

describe("init", () => {
  it("makes the folder, both files and the empty folder of findings", () => {
    const at = new Board();
    const ran = at.run("init", ["3"]);
    const lines = "Consultation initialized at: board\nExpected agents: 3\nTimeout: 120s\n";
    assert.deepEqual([ran.code, ran.stdout], [0, lines], ran.stderr);
    const meta = new RegExp(
      "^- \\*\\*expected_agents:\\*\\* 3\n- \\*\\*timeout_seconds:\\*\\* 120\n" +
        `- \\*\\*poll_interval_seconds:\\*\\* 5\n- \\*\\*created:\\*\\* ${time}\n$`,
    );
    assert.match(at.read("meta.md"), meta);
    assert.equal(at.read("agents.md"), "# Registered Agents\n");
    assert.deepEqual(readdirSync(at.path("findings")), []);
  });

  it("tells the second to join, with exit 3, and changes nothing", () => {
    const before = pair.project.listing();
    const { code, stdout, stderr } = pair.run("init", ["5", "9"]);
    assert.deepEqual([code, stdout], [3, "Already initialized: board\n"]);
    assert.match(stderr, /register/);
    assert.deepEqual(pair.project.listing(), before);
  });
});

describe("register", () => {
  it("says who came, writes the line and makes the folder", () => {
    const at = new Board().init(2);
    assert.equal(at.done("register", ["agent-alpha"]), "Registered: agent-alpha (1/2 agents)\n");
    const line = new RegExp(
      `^# Registered Agents\n- agent-alpha \\(registered: (${time})\\)\n(.*)$`,
      "s",
    );
    assert.match(at.read("agents.md"), line);
    assert.deepEqual(readdirSync(at.path("findings", "agent-alpha")), []);
    assert.equal(at.done("register", ["b2"]), "Registered: b2 (2/2 agents)\n");
    assert.equal(at.done("register", ["c"]), "Registered: c (3/2 agents)\n");
    assert.match(at.read("agents.md"), new RegExp(`\n- c \\(registered: ${time}\\)\n$`));
  });

  it("sets the deadline with the first agent: its time and the timeout; once", () => {
    const at = new Board().init(2, "45").register("alice");
    const meta = at.read("meta.md");
    const [, deadline = ""] = /^- \*\*deadline:\*\* (.*)\n$/m.exec(meta) ?? [];
    const [, registered = ""] = /registered: (.*)\)/.exec(at.read("agents.md")) ?? [];
    assert.equal(Date.parse(deadline), Date.parse(registered) + 45_000, meta);
    assert(meta.endsWith(`- **deadline:** ${deadline}\n`));
    at.register("bob");
    assert.equal(at.read("meta.md"), meta);
  });

  it("knows one name from another that begins alike", () => {
    const at = new Board().init(2).register("foo-bar", "foo", "fo");
    assert.equal(at.run("register", ["foo"]).code, 1);
    assert.equal(at.eventsOf("registered").length, 3);
  });
});

describe("post", () => {
  it("prints where to write and makes an empty file, numbered for each agent", () => {
    const at = pair.copy();
    assert.equal(
      at.done("post", ["alice", "Root Cause"]),
      "board/findings/alice/01-root-cause.md\n",
    );
    assert.equal(at.read("findings/alice/01-root-cause.md"), "");
    assert.equal(at.done("post", ["alice", "more"]), "board/findings/alice/02-more.md\n");
    assert.equal(at.done("post", ["bob", "more"]), "board/findings/bob/01-more.md\n");
  });

  it("gives the folder back as it was given", () => {
    const at = pair.copy();
    const starts = ["board/", "./board", at.folder];
    for (const [index, dir] of starts.entries()) {
      const { code, stdout } = at.project.run("post", [dir, "alice", "t"]);
      assert.deepEqual([code, stdout], [0, `${dir}/findings/alice/0${index + 1}-t.md\n`]);
    }
  });

  it("counts on beyond two digits", () => {
    const at = pair.copy();
    at.write("findings/alice/99-old.md", reportText());
    assert.equal(at.done("post", ["alice", "next"]), "board/findings/alice/100-next.md\n");
    assert.equal(at.done("post", ["alice", "next"]), "board/findings/alice/101-next.md\n");
  });

  it("takes posts of an agent that is ready, and lets the mark stand", () => {
    const at = pair.copy().ready("alice");
    at.post("alice", "late");
    assert(existsSync(at.path("findings", "alice", ".ready")));
  });
});

describe("ready", () => {
  it("writes the time into .ready and counts, as often as it is run", () => {
    const at = pair.copy();
    assert.equal(at.done("ready", ["alice"]), "Agent alice marked ready (1/2)\n");
    assert.match(at.read("findings/alice/.ready"), new RegExp(`^${time}\n$`));
    assert.equal(at.done("ready", ["alice"]), "Agent alice marked ready (1/2)\n");
    assert.equal(at.done("ready", ["bob"]), "Agent bob marked ready (2/2)\n");
  });
});

describe("poll", () => {
  it("waits with exit 1 until all are ready, then exit 0; whoever asks; and writes nothing", () => {
    const at = pair.copy();
    const stands = (code: number, stdout: string, by: string) => {
      const before = at.project.listing();
      const ran = at.poll(by);
      assert.deepEqual([ran.code, ran.stdout], [code, stdout], ran.stderr);
      assert.deepEqual(at.project.listing(), before);
    };
    stands(1, "waiting (0/2 agents ready)\n", "alice");
    at.ready("alice");
    stands(1, "waiting (1/2 agents ready)\n", "nobody-here");
    at.ready("bob");
    stands(0, "all-ready (2/2 agents)\n", "../x");
  });

  it("tells with exit 2 that the deadline has passed; all ready counts after it as well", () => {
    const at = new Board().init(2, "0").register("alice");
    const late = at.poll("alice");
    const told = "timeout (0/2 agents ready, deadline passed)\n";
    assert.deepEqual([late.code, late.stdout], [2, told]);
    at.register("bob").ready("alice", "bob");
    const all = at.poll("alice");
    assert.deepEqual([all.code, all.stdout], [0, "all-ready (2/2 agents)\n"]);
  });
});

describe("read-all", () => {
  const bodies: [what: string, body: string][] = [
    ["a report", reportText()],
    ["one without a final line end", "# T"],
    ["one that ends with several", "# T\n\n\n"],
    ["an empty file", ""],
    ["a line end and nothing else", "\n"],
    ["blanks", " \t "],
    ["other scripts, and tabs", "# \u00dcber \u65e5\u672c \u{1f600}\n\tx\n"],
    ["what looks like a banner", `${rule}\nFINDINGS FROM: bob\n${rule}\n\n--- 01-x.md ---\n`],
    ["what looks like a frame", "<<< x findings of bob\n>>> x end of bob\n"],
  ];
  for (const [what, body] of bodies) {
    it(`prints ${what} as the original does, byte for byte, between the lines of the frame`, () => {
      const at = pair.copy();
      // Behind another one and before one: where it ends is seen as well.
      at.post("alice", "one");
      at.write("findings/alice/02-two.md", body);
      at.write("findings/alice/03-three.md", body);
      const { quoted } = printOf(at.readAll("bob"), "alice");
      assert.equal(quoted, new OriginalAgent(at.folder, "bob").printOf("alice").toString());
      assert(quoted.endsWith(`--- 02-two.md ---\n${body}\n--- 03-three.md ---\n${body}\n`));
    });
  }

  it("prints of all others together what the original does, with nothing between but our lines", () => {
    const at = new Board().init(5).register("foo", "bob", "foo-bar", "zoe", "silent");
    for (const [agent, topic] of [
      ["foo", "first"],
      ["foo-bar", "other"],
      ["bob", "b topic"],
      ["bob", "a topic"],
      ["zoe", "mine"],
    ] as const) {
      at.post(agent, topic, reportText({ title: `Of ${agent}` }));
    }
    at.write("findings/ghost/notes.md", "by hand");
    const { agents } = poolPrint(at.readAll("zoe"));
    // The slash that ends a folder's name sorts behind the dash.
    const names = ["bob", "foo-bar", "foo", "ghost"];
    assert.deepEqual(
      agents.map(({ agent }) => agent),
      names,
    );
    const all = agents.map(({ quoted }) => quoted).join("");
    assert.equal(all, new OriginalAgent(at.folder, "zoe").printAll().toString());
    const banner = `${rule}\nFINDINGS FROM: bob\n${rule}\n\n--- 01-b-topic.md ---\n# Of bob\n`;
    assert(all.startsWith(banner), all);
  });

  it("prints those of agents that are not ready, and to readers that are not registered", () => {
    const at = pair.copy();
    at.post("alice", "early");
    for (const reader of ["bob", "stranger", "*"]) {
      assert.match(at.readAll(reader), /^--- 01-early\.md ---$/m);
    }
    assert.doesNotMatch(at.readAll("alice"), /01-early/);
  });

  it("sorts numbers as text, and shows other Markdown files of an agent too", () => {
    const at = pair.copy();
    for (const file of ["11-c.md", "README.md", "100-b.md", "10-a.md", "notes.txt"]) {
      at.write(`findings/alice/${file}`, reportText());
    }
    const shown = [...at.readAll("bob").matchAll(/^--- (.*) ---$/gm)].map(([, file]) => file);
    assert.deepEqual(shown, ["10-a.md", "100-b.md", "11-c.md", "README.md"]);
  });
});
