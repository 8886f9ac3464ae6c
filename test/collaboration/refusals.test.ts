import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Collaboration, collaborationAt, type Fields } from "./folder.ts";

// What scripts refuse, with exit code 2, in one line and without a trace in the folder. The words of the rules are
// tested with them (rules/decide.test.ts).

const mebibyte = 1_048_576;

function refused(at: Collaboration, reason: RegExp, by: string, event: string, fields?: Fields) {
  return checkRefused(at.project, 2, reason, () => at.append(by, event, fields));
}

describe("append-event refuses", () => {
  it("an event that the rules refuse, and names what would be accepted", async () => {
    const reason =
      /^error: seq 3: review_submitted is reserved for b; got a; waiting for b; you may append now: blocked; run next-action\n$/;
    await refused(collaborationAt("reviewing"), reason, "a", "review_submitted");
  });

  it("a review that cannot be read", async () => {
    const at = collaborationAt("reviewing");
    const bad: [content: Uint8Array | undefined, reason: RegExp][] = [
      [undefined, /cannot read review\.txt: there is no such file/],
      [Uint8Array.of(0xff), /review\.txt is not UTF-8 text; save it as UTF-8/],
      [Buffer.alloc(mebibyte + 1, "x"), /review\.txt has 1048577 bytes, the limit is 1048576/],
    ];
    const args = [...at.appendArgs("b", "review_submitted"), "--review", "review.txt"];
    for (const [content, reason] of bad) {
      if (content !== undefined) writeFileSync(`${at.project.folder}/review.txt`, content);
      await checkRefused(at.project, 2, reason, () => at.run("append-event", args));
    }
  });

  it("with next-action, whoever is not in it", async () => {
    const at = collaborationAt("reviewing");
    const reason = /participant "o'x" is not listed in protocol\.json; its participants are a, b/;
    await refused(at, reason, "o'x", "blocked");
    await checkRefused(at.project, 2, reason, () => at.next("o'x"));
    await checkRefused(at.project, 2, reason, () => at.wait("o'x"));
  });

  for (const [line, text] of [
    ["{bad", "events.jsonl line 2 is not JSON: "],
    ["[1]", "events.jsonl line 2 is not a JSON object: "],
  ] as const) {
    it(`with next-action, a log with the line ${line}`, () => {
      const at = collaborationAt("drafting");
      at.write("events.jsonl", `${at.read("events.jsonl")}${line}\n`);
      for (const { code, stderr } of [at.next("a"), at.append("b", "blocked", { "reply-to": 1 })]) {
        assert.equal(code, 2);
        assert(stderr.includes(text), stderr);
      }
    });
  }
});

type Spoil = (at: Collaboration, file: string) => void;

/** Puts something in the place of a document. */
const spoilers: [what: string, spoil: Spoil, reason: RegExp][] = [
  ["is missing", (at, file) => rmSync(at.path(file)), /(\S+): is missing; write it/],
  [
    "is a byte longer than 1 MiB",
    (at, file) => at.write(file, "x".repeat(mebibyte + 1)),
    /(\S+) has 1048577 bytes; the limit is 1048576: make it shorter/,
  ],
  [
    "is not UTF-8",
    (at, file) => at.write(file, Uint8Array.of(0x2d, 0xc3, 0x28)),
    /(\S+) is not UTF-8 text: save it as UTF-8/,
  ],
  [
    "is a folder",
    (at, file) => {
      rmSync(at.path(file));
      mkdirSync(at.path(file));
    },
    /(\S+) is not a regular file/,
  ],
  [
    "is a link",
    (at, file) => {
      rmSync(at.path(file));
      symlinkSync("/etc/passwd", at.path(file));
    },
    /(\S+) is a link/,
  ],
];

describe("a document that", () => {
  for (const [what, spoil, reason] of spoilers) {
    it(`is needed and ${what} is named, and nothing is appended`, async () => {
      const at = collaborationAt("classified");
      spoil(at, "readiness.md");
      const named = new RegExp(reason.source.replace("(\\S+)", "readiness\\.md"));
      await refused(at, named, "a", "decision_accepted");
    });
  }

  it("is not needed stops nobody", () => {
    for (const [, spoil] of spoilers) {
      const at = collaborationAt("reviewing");
      for (const file of ["readiness.md", "conclusion.md", "decisions.md"]) spoil(at, file);
      assert.equal(at.guidance("b").moves[0]?.["event"], "review_submitted");
      at.say("b", "review_submitted", { review: at.review() });
      at.say("a", "blocked");
    }
  });

  for (const [what, spoil] of spoilers.slice(2)) {
    it(`${what} refuses the review that goes into it before that is in the log`, async () => {
      const at = collaborationAt("reviewing");
      spoil(at, "review.md");
      await refused(at, /review\.md/, "b", "review_submitted", { review: at.review() });
      assert.equal(at.seq, 2);
    });
  }
});

describe("init refuses", () => {
  it("what makes no collaboration, with every reason", async () => {
    const at = new Collaboration();
    const blank = ["--objective", "", "--completion", "", "--participant", ""];
    const reason = /--objective .*; at least one .*--participant.*; at least one .*--completion/;
    await checkRefused(at.project, 2, reason, () => at.run("init", blank));
    const both = [...at.initArgs(), "--topic", "x"];
    const one = /got --topic and --objective, expected one of them/;
    await checkRefused(at.project, 2, one, () => at.run("init", both));
  });

  it("a folder that has one, unless --resume acknowledges it", async () => {
    const at = collaborationAt("reviewing");
    const reason = /^error: collaboration folder already contains protocol\.json; use --resume/;
    await checkRefused(at.project, 2, reason, () => at.run("init", at.initArgs()));
    const before = at.project.listing();
    const { code, stdout } = at.run("init", [...at.initArgs(), "--resume"]);
    assert.deepEqual([code, stdout], [0, `Collaboration folder already exists: ${at.folder}\n`]);
    assert.deepEqual(at.project.listing(), before);
  });

  it("a folder that is a file", async () => {
    const at = new Collaboration();
    writeFileSync(at.folder, "mine");
    const reason = /shared is not a folder/;
    await checkRefused(at.project, 2, reason, () => at.run("init", at.initArgs()));
  });
});

describe("a protocol.json that", () => {
  it("is none is refused by every script", async () => {
    const at = collaborationAt("reviewing");
    at.write("protocol.json", "[]");
    const reason = /invalid protocol\.json: it is \[\], expected an object/;
    await refused(at, reason, "b", "blocked");
    await checkRefused(at.project, 2, reason, () => at.next("b"));
    await checkRefused(at.project, 2, reason, () => at.wait("b", "--timeout", "2"));
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.match(stdout, /^ACP validation failed\nERROR: .*protocol\.json/);
  });

  // The contract: exit 1 when protocol.json names no phase.
  it("names no phase gets guidance from the log, a warning and exit code 1", () => {
    const at = collaborationAt("reviewing");
    at.write("protocol.json", at.read("protocol.json").replace('"reviewing"', '"dreaming"'));
    const { code, stdout, stderr } = at.next("b");
    assert.equal(code, 1);
    assert.match(stdout, /^phase: reviewing\n/);
    assert(isOneLine(stderr), stderr);
    assert.match(stderr, /^warning: .*currentPhase must be one of \[/);
  });
});

describe("a folder that", () => {
  const scripts: [script: string, args: string[]][] = [
    ["append-event", ["--participant", "a", "--event", "blocked", "--summary", "x"]],
    ["next-action", ["--participant", "a"]],
    ["wait-for-turn", ["--participant", "a"]],
    ["report", []],
    ["status", []],
  ];
  for (const [what, make, reason] of [
    ["not there", () => {}, /missing protocol\.json in .*shared: there is no such/],
    ["empty", mkdirSync, /missing protocol\.json in .*shared; run init there/],
  ] as const) {
    it(`is ${what} is named by every script`, async () => {
      const at = new Collaboration();
      make(at.folder);
      for (const [script, args] of scripts) {
        await checkRefused(at.project, 2, reason, () => at.run(script, args));
      }
    });
  }

  it("is not there is to validate as an empty one, and is not made", () => {
    const at = new Collaboration();
    const { code, stdout } = at.validate();
    const [verdict, first, ...rest] = stdout.trimEnd().split("\n");
    assert.deepEqual([code, verdict], [2, "ACP validation failed"]);
    assert.match(first ?? "", /^ERROR: missing protocol\.json in .*shared$/);
    const documents = ["proposal", "review", "decisions", "readiness", "conclusion"];
    const names = ["protocol.json", "events.jsonl", ...documents.map((name) => `${name}.md`)];
    assert.deepEqual(
      rest,
      names.map((name) => `ERROR: missing ${name}`),
    );
    assert.deepEqual(readdirSync(at.project.folder), []);
  });
});
