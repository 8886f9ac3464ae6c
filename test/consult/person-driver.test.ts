import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { messageIn } from "../../scripts-src/consult/answer-blocks.ts";
import { eventBlockIn } from "../../scripts-src/consult/collaboration/consult-collaboration.ts";
import type { Turn, TurnResult } from "../../scripts-src/consult/driver.ts";
import { personDriver, TerminalPerson } from "../../scripts-src/consult/person-driver.ts";
import { defaultConfig } from "../../scripts-src/protocol/config.ts";
import type { Move } from "../../scripts-src/protocol/protocol.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { guidanceWith } from "./guidance.ts";
import { scripted } from "./scripted-line.ts";

const draft = {
  type: "EVALUATE",
  question_or_proposal: { content: "<why>" },
  confidence: "<0..1>",
  answers: [{ question: "Q4.1", answer: "<your answer>" }],
  checks: [{ claim: "C3.1", outcome: "<not_run|holds|fails>", evidence: "<its record>" }],
};

function turnIn(folder: string, moves: Move[], more: Partial<Turn> = {}): Turn {
  const guidance = guidanceWith(moves, ["proposal.md"]);
  const place = { id: "s", folder, workspace: undefined, config: defaultConfig };
  return {
    ...{ place, participant: "me", project: folder, scripts: "/", prompt: "" },
    ...{ situation: "Your turn.", guidance, fault: undefined, resume: undefined, timeoutMs: 0 },
    tell: () => undefined,
    ...more,
  };
}

const messageMove = (input: JsonObject): Move => ({
  ...{ purpose: "answer", options: { message: "-" }, input, draft: 2 },
});

/** A person who changes the file as each of these says, one after the other. */
function writing(...changes: ((text: string) => string)[]) {
  const seen: string[] = [];
  const shown: string[] = [];
  const person = {
    show: (text: string) => void shown.push(text),
    edit: async (path: string) => {
      const text = readFileSync(path, "utf8");
      seen.push(text);
      writeFileSync(path, changes.shift()?.(text) ?? text);
      return 0;
    },
  };
  return { person, seen, shown };
}

const { signal } = new AbortController();
const scratch = makeScratchFolder();
let folders = 0;
const newFolder = () => join(scratch, String(++folders));
const draftsIn = (folder: string) => {
  const path = join(folder, ".consulta/drafts");
  return readdirSync(path).filter((name) => name.endsWith(".md"));
};

describe("a person's turn in a dialogue", () => {
  const fill = (text: string) =>
    text
      .replace("EVALUATE", "AGREE")
      .replace("    <why>\n", '    Fine: "by" me.\n\n    # And more.\n')
      .replace("<0..1>", "0.9")
      .replace("<not_run|holds|fails>", "holds")
      .replace(/<your answer>|<its record>/g, "counted");

  it("is a draft in an editor, which needs no quotes where one writes", async () => {
    const { person, seen, shown } = writing(fill);
    const folder = newFolder();
    const driver = personDriver(person);
    const result = await driver.takeTurn(turnIn(folder, [messageMove(draft)]), signal);
    assert.deepEqual(await messageIn(result.answer), {
      message: {
        type: "AGREE",
        question_or_proposal: { content: 'Fine: "by" me.\n\n# And more.' },
        confidence: 0.9,
        answers: [{ question: "Q4.1", answer: "counted" }],
        checks: [{ claim: "C3.1", outcome: "holds", evidence: "counted" }],
      },
    });
    assert.match(seen[0] ?? "", /not sent\. -+\n[\s\S]*Your turn\./);
    assert.match(shown.join(""), /Your turn\./);
    assert.equal(draftsIn(folder).length, 1);
    driver.counted?.();
    assert.deepEqual(draftsIn(folder), []);
  });

  it("opens the same text again after a rejection, with the reason", async () => {
    const { person, seen } = writing(fill, (text) => text.replace("0.9", "0.8"));
    const driver = personDriver(person);
    const folder = newFolder();
    const moves = [messageMove(draft)];
    await driver.takeTurn(turnIn(folder, moves), signal);
    const result = await driver.takeTurn(turnIn(folder, moves, { fault: "add more" }), signal);
    assert.match(seen[1] ?? "", /Fine: "by" me[\s\S]*>8[\s\S]*That did not go through: add more/);
    assert.match(result.answer, /0\.8/);
    assert.doesNotMatch(result.answer, /add more|Your turn/);
  });

  it("sends nothing that only what is there to read says", async () => {
    const situation =
      '```json\n{"type": "AGREE", "question_or_proposal": {"content": "Yes."}}\n```';
    const broken = (text: string) => text.replace("type:", "type: [");
    const { person } = writing(broken);
    const turn = turnIn(newFolder(), [messageMove(draft)], { situation });
    const { answer } = await personDriver(person).takeTurn(turn, signal);
    assert.match(JSON.stringify(await messageIn(answer)), /cannot be read/);
  });

  const stops: [how: string, edit: (path: string) => Promise<number>, why: RegExp][] = [
    ["an editor that changes nothing", async () => 0, /nothing was changed .*code --wait/],
    ["an editor that fails", async () => 127, /the editor ended with 127/],
  ];
  for (const [how, edit, why] of stops) {
    it(`leaves the session open, and the draft, after ${how}`, async () => {
      const folder = newFolder();
      const shown: string[] = [];
      const driver = personDriver({ show: (text) => void shown.push(text), edit });
      const result = await driver.takeTurn(turnIn(folder, [messageMove(draft)]), signal);
      assert.equal(result.left, true);
      assert.match(result.failure ?? "", why);
      assert.match(shown.at(-1) ?? "", /^Your draft is kept in .*drafts/);
      assert.equal(draftsIn(folder).length, 1);
    });
  }

  it("goes on with the draft of a run that was stopped", async () => {
    const folder = newFolder();
    const turn = turnIn(folder, [messageMove(draft)]);
    const stop = new AbortController();
    const first = writing((text) => {
      stop.abort();
      return fill(text);
    });
    const stopped = await personDriver(first.person).takeTurn(turn, stop.signal);
    assert.equal(stopped.answer, "");
    assert.match(first.shown.at(-1) ?? "", /Your draft is kept in/);
    const second = writing((text) => text);
    const result = await personDriver(second.person).takeTurn(turn, signal);
    assert.match(second.seen[0] ?? "", /Fine: "by" me\./);
    assert.match(result.answer, /Fine: "by" me\./);
  });
});

describe("a person's turn in a collaboration", () => {
  const form = "Context:\n- <what you read>\n\nPosition:\n- <yes>\n";
  const blocked = { purpose: "stop", options: { event: "blocked", summary: "<what blocks>" } };
  async function eventOf({ answer }: TurnResult) {
    const found = await eventBlockIn(answer);
    assert("event" in found, JSON.stringify(found));
    return found;
  }

  it("holds the form of a review, paragraphs kept", async () => {
    const options = {
      event: "review_submitted",
      "reply-to": "3",
      summary: "<your position>",
      review: "-",
    };
    const moves = [{ purpose: "review", options, input: form, draft: 3 }, blocked];
    const { person, seen } = writing((text) =>
      text.replace("  <your position>", "  I accept: yes.").replace("<what you read>", "read it"),
    );
    const result = await personDriver(person).takeTurn(turnIn(newFolder(), moves), signal);
    const { event, summary, more } = await eventOf(result);
    assert.deepEqual([event, summary], ["review_submitted", "I accept: yes."]);
    assert.equal(more["review"], "Context:\n- read it\n\nPosition:\n- <yes>");
    assert.match(seen[0] ?? "", /event is one of: review_submitted, blocked\n/);
  });

  it("names the documents to edit first, and lets one stop it all", async () => {
    const folder = newFolder();
    const moves = [{ purpose: "propose", options: { event: "proposal_submitted" } }, blocked];
    const { person, seen } = writing((text) =>
      text
        .replace("proposal_submitted", "blocked")
        .replace(/summary: .*\n.*/, "summary: Ask my boss."),
    );
    const result = await personDriver(person).takeTurn(turnIn(folder, moves), signal);
    const { event, summary } = await eventOf(result);
    assert.deepEqual([event, summary], ["blocked", "Ask my boss."]);
    assert(seen[0]?.includes(join(folder, "proposal.md")));
  });
});

describe("the editor", { skip: process.platform === "win32" }, () => {
  it("is VISUAL, then EDITOR, with its options, one at a time", async () => {
    const path = join(makeScratchFolder(), "draft.md");
    const said: string[] = [];
    writeFileSync(path, "");
    process.env["EDITOR"] = "false";
    process.env["VISUAL"] =
      `${process.execPath} -e "${"require('fs').appendFileSync(process.argv[1], process.argv[1] + ' ')"}"`;
    try {
      const person = new TerminalPerson();
      const codes = await Promise.all([person.edit(path), person.edit(path)]);
      said.push(...readFileSync(path, "utf8").trim().split(" "));
      assert.deepEqual(
        [codes, said],
        [
          [0, 0],
          [path, path],
        ],
      );
      delete process.env["VISUAL"];
      assert.equal(await person.edit(path), 1);
    } finally {
      delete process.env["EDITOR"];
      delete process.env["VISUAL"];
    }
  });

  it("takes a person through a whole session at a terminal", {
    skip: process.platform !== "linux",
  }, () => {
    const home = makeScratchFolder();
    const project = join(home, "project");
    mkdirSync(project);
    const edit = join(home, "edit.sh");
    // Positions that are the same need no synthesis.
    writeFileSync(
      edit,
      "#!/bin/sh\nsed -i -e 's/<0\\.\\.1>/0.9/' -e 's/<[^<>]*>/Files, says the person./' \"$1\"\n",
      { mode: 0o755 },
    );
    const words = [
      "--participants",
      `'me=me,bob=${scripted()}'`,
      "--turns-max",
      "2",
      "--mode",
      "turns",
    ];
    const command = [process.execPath, scriptPath("consult"), ...words, "'SQLite or files?'"];
    const ran = spawnSync("script", ["-qec", command.join(" "), "/dev/null"], {
      cwd: project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: home, EDITOR: edit },
    });
    assert.match(ran.stdout, /me has the turn \(me\)[\s\S]*me: EVALUATE to bob/, ran.stdout);
    assert.deepEqual(draftsIn(project), []);
    assert(existsSync(join(project, ".consulta/sessions")));
  });
});
