import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Collaboration, collaborationAt, type Fields, primary } from "./folder.ts";

const mebibyte = 1_048_576;

/** Refused in one line, with exit code 2, and the folder is byte for byte what it was. */
async function refused(
  at: Collaboration,
  reason: RegExp,
  by: string,
  event: string,
  fields?: Fields,
): Promise<void> {
  await checkRefused(at.project, 2, reason, () => at.append(by, event, fields));
}

describe("append-event refuses, naming what would be accepted,", () => {
  const rows: [what: string, by: string, event: string, fields: Fields, reason: RegExp][] = [
    [
      "an unknown participant",
      ...(["mallory", "blocked", {}] as const),
      /^error: participant "mallory" is not listed in protocol\.json; its participants are a, b\n$/,
    ],
    [
      "an unknown event",
      ...(["b", "reviewed", {}] as const),
      /^error: unknown event "reviewed"; .*you may append now: review_submitted, blocked; run next-action\n$/,
    ],
    [
      "an event out of turn",
      ...(["a", "review_submitted", {}] as const),
      /seq 3: review_submitted is reserved for b; got a; waiting for b; you may append now: blocked; run/,
    ],
    [
      "no reply_to",
      ...(["b", "blocked", { "reply-to": undefined }] as const),
      /reply_to is required after initialized: give --reply-to 2, or the event that you answer/,
    ],
    [
      "a doc that leads out",
      ...(["b", "blocked", { doc: "../notes.md" }] as const),
      /leads out of the folder .*; then append blocked again; you may append now: review_submitted; run/,
    ],
    [
      "a doc that is absent",
      ...(["b", "review_submitted", { doc: "mine.md" }] as const),
      /doc "mine\.md" is no file in the collaboration folder: write it, or leave --doc out; /,
    ],
    [
      "a review without its sections",
      ...(["b", "review_submitted", { review: "" }] as const),
      /the review lacks "Context:", "Position:", "Concerns:"/,
    ],
  ];
  for (const [what, by, event, fields, reason] of rows) {
    it(what, async () => {
      await refused(collaborationAt("reviewing"), reason, by, event, fields);
    });
  }

  it("a freeze with another hash", async () => {
    const fields = { doc: primary, role: "primary", sha256: "0".repeat(64) };
    const at = collaborationAt("readiness", { schema: 2 });
    const reason = /sha256 does not match current file.*then append deliverable_frozen again/;
    await refused(at, reason, "a", "deliverable_frozen", fields);
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
});

/** Puts something in the place of a document. */
const spoilers: [what: string, spoil: (at: Collaboration, file: string) => void, reason: RegExp][] =
  [
    ["is missing", (at, file) => rmSync(at.path(file)), /(\S+): is missing; write it/],
    [
      "is not UTF-8",
      (at, file) => at.write(file, Uint8Array.of(0x2d, 0xc3, 0x28)),
      /(\S+) is not UTF-8 text: save it as UTF-8/,
    ],
    [
      "is a byte longer than 1 MiB",
      (at, file) => at.write(file, "x".repeat(mebibyte + 1)),
      /(\S+) has 1048577 bytes; the limit is 1048576: make it shorter/,
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

describe("a document that is needed and", () => {
  const needed = [
    ["readiness.md", "classified", "decision_accepted"],
    ["conclusion.md", "passed", "completed"],
  ] as const;
  for (const [what, spoil, reason] of spoilers) {
    it(`${what} is named, and nothing is appended`, async () => {
      for (const [file, stage, event] of needed) {
        const at = collaborationAt(stage);
        spoil(at, file);
        const named = new RegExp(reason.source.replace("(\\S+)", file.replace(".", "\\.")));
        await refused(at, named, "a", event, { doc: "conclusion.md" });
      }
    });
  }

  it("is not needed stops nobody", () => {
    const files = ["readiness.md", "conclusion.md", "decisions.md"];
    for (const [shift] of files.entries()) {
      const at = collaborationAt("reviewing");
      for (const [index, file] of files.entries()) {
        spoilers[(index + 2 * shift) % spoilers.length]?.[1](at, file);
      }
      assert.equal(at.guidance("b").moves[0]?.["event"], "review_submitted");
      at.say("b", "review_submitted", { review: at.review() });
      assert.equal(at.append("a", "blocked").code, 0);
    }
  });
});

describe("a review.md that cannot be written to", () => {
  for (const [what, spoil] of spoilers.slice(1)) {
    if (what.includes("longer")) continue;
    it(`because it ${what} refuses the review before it is in the log`, async () => {
      const at = collaborationAt("reviewing");
      spoil(at, "review.md");
      await refused(at, /review\.md/, "b", "review_submitted", { review: at.review() });
      assert.equal(at.seq, 2);
    });
  }
});

describe("init refuses, in one line and without a trace,", () => {
  const good = (...words: string[]) => ["--objective", "x", "--completion", "g", ...words];
  const two = ["--participant", "a", "--participant", "b"];
  const rows: [what: string, args: string[], reason: RegExp][] = [
    [
      "everything blank, with every reason",
      ["--objective", "", "--completion", "", "--participant", ""],
      /--objective .*; at least one .*--participant.*; at least one .*--completion/,
    ],
    [
      "the same participant twice in schema 2",
      good("--participant", "a", "--participant", " a ", "--primary-deliverable-type", "adr"),
      /at least two non-blank --participant values are required/,
    ],
    [
      "options of schema 2 alone",
      good(...two, "--repo-root", ".."),
      /deliverables need --primary-deliverable-type/,
    ],
    [
      "a dialogue and a collaboration",
      good(...two, "--topic", "x"),
      /got --topic and --objective, expected one of them/,
    ],
  ];
  for (const [what, args, reason] of rows) {
    it(what, () => {
      const at = new Collaboration();
      return checkRefused(at.project, 2, reason, () => at.run("init", args));
    });
  }

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
    await checkRefused(at.project, 2, /shared is not a folder/, () =>
      at.run("init", at.initArgs()),
    );
  });
});

describe("a protocol.json that", () => {
  const rows: [what: string, text: string | Uint8Array, reason: RegExp, named?: RegExp][] = [
    ["is an array", "[]", /invalid protocol\.json: it is \[\], expected an object/],
    ["is not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), /protocol\.json is not UTF-8/],
    [
      "is of a newer schema",
      '{"schemaVersion":3,"participants":["a","b"]}',
      /protocol\.json schemaVersion must be 2: it is 3 .* update Consulta if a newer one wrote it/,
      /^ERROR: .*schemaVersion must be 2/m,
    ],
  ];
  for (const [what, text, reason, named = /^ERROR: .*protocol\.json/m] of rows) {
    it(`${what} is refused by every script`, async () => {
      const at = collaborationAt("reviewing");
      at.write("protocol.json", text);
      await refused(at, reason, "b", "blocked");
      for (const script of ["next-action", "wait-for-turn"]) {
        const args = [
          "--participant",
          "b",
          ...(script === "wait-for-turn" ? ["--timeout", "2"] : []),
        ];
        await checkRefused(at.project, 2, reason, () => at.run(script, args));
      }
      const { code, stdout } = at.validate();
      assert.equal(code, 2);
      assert.match(stdout, /^ACP validation failed\n/);
      assert.match(stdout, named);
    });
  }

  it("contradicts the log is told by validate and corrected by whoever looks next", () => {
    const at = collaborationAt("reviewing");
    const text = at.read("protocol.json");
    const wrong = text
      .replace('"reviewing"', '"completed"')
      .replace('"proposalOwner": "a"', '"proposalOwner": "b"')
      .replace(/"waitingFor": \[[^\]]*\]/, '"waitingFor": []');
    at.write("protocol.json", wrong);
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.equal(
      stdout,
      [
        "ACP validation failed",
        'ERROR: protocol.json currentPhase is "completed", expected reviewing',
        'ERROR: protocol.json proposalOwner is "b", expected "a"',
        'ERROR: protocol.json waitingFor is [], expected ["b"]\n',
      ].join("\n"),
    );
    assert.match(at.next("b").stdout, /^phase: reviewing\nproposal owner: a\nwaiting for: b\n/);
    assert.equal(at.read("protocol.json"), text);
    at.checkValid();
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

  it("is not there is named by every script", async () => {
    const at = new Collaboration();
    for (const [script, args] of scripts) {
      await checkRefused(
        at.project,
        2,
        /missing protocol\.json in .*shared: there is no such/,
        () => at.run(script, args),
      );
    }
  });

  it("is empty is named by every script", async () => {
    const at = new Collaboration();
    mkdirSync(at.folder);
    for (const [script, args] of scripts) {
      await checkRefused(at.project, 2, /missing protocol\.json in .*shared; run init there/, () =>
        at.run(script, args),
      );
    }
  });

  it("is shared with somebody who is not in it gives nothing to him", async () => {
    const at = collaborationAt("reviewing");
    const reason =
      /participant "mallory" is not listed in protocol\.json; its participants are a, b/;
    await checkRefused(at.project, 2, reason, () => at.next("mallory"));
    await checkRefused(at.project, 2, reason, () => at.wait("mallory"));
  });
});
