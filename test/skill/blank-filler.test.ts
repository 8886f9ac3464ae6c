import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft, type Project, projectMaker, scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { BlankFiller } from "./blank-filler.ts";

const makeProject = projectMaker();

interface Play {
  readonly init: string;
  readonly where: string;
  readonly names: readonly string[];
  /** A command that the user lets scripts run. */
  readonly allows?: readonly string[];
  /** What is said before the filler begins. */
  readonly before?: readonly (readonly [by: string, message: JsonObject])[];
  /** The form that it takes where it is offered: once, or whenever it is. */
  readonly once?: string;
  readonly always?: string;
}

/** Plays a session to its end without a rejection; returns what was done, and its report. */
function play({ init, where, names, allows, before = [], once, always }: Play) {
  const project: Project = makeProject();
  const home = makeScratchFolder();
  try {
    writeFileSync(join(project.folder, "notes.md"), "Nobody searches the sessions.\n");
    mkdirSync(join(home, ".consulta"), { mode: 0o700 });
    const settings = JSON.stringify({ checks: allows === undefined ? [] : [allows] });
    writeFileSync(join(home, ".consulta/config.yaml"), settings, { mode: 0o600 });
    const filler = new BlankFiller(project.folder, home);
    filler.type(`node ${scriptPath("init")} ${init}`);
    for (const [by, message] of before) project.say("talk", by, message);
    let isTaken = false;
    filler.play(where, names, (purpose) => {
      const isOnce = purpose === once && !isTaken;
      isTaken ||= isOnce;
      return isOnce || purpose === always;
    });
    assert.deepEqual(filler.rejected, []);
    const report = filler.type(`node ${scriptPath("report")} ${where}`);
    return { did: filler.did.join("\n"), report };
  } finally {
    removeFolder(home);
  }
}

const dialogue = (mode: string): Play => ({
  init: `--topic 'SQLite or files?' --session talk --participant claude --participant gemini --mode ${mode}`,
  where: "--session talk",
  names: ["claude", "gemini"],
});
const turns = dialogue("turns");
const asks = ["claude", draft("REQUEST", "SQLite or files?")] as const;

describe("one that can only fill in the blanks of what next-action prints", () => {
  for (const mode of ["turns", "deep", "async", "blind"])
    it(`ends a dialogue in ${mode} by consensus, on a synthesis of both`, () => {
      const { did, report } = play(dialogue(mode));
      assert.match(did, /: make one of both\n.*: agree\n.*: confirm that text/);
      assert.match(report, /^\*\*CONSENSUS on judgement/m);
      assert.match(
        report,
        /^## Decision\n\n\*\*From 'text \d+': text \d+\. From 'text \d+': text \d+/m,
      );
    });

  it("ends a dispute over a fact with a look", () => {
    const { did, report } = play({ ...turns, once: "object" });
    assert.match(did, /claude: object\ngemini ran check of its own\ngemini: judge it\n/);
    assert.match(report, /^\*\*CONSENSUS/m);
    assert.match(report, /F\d+\.1/);
  });

  it("ends nothing but objections by escalation, after a self-check", () => {
    const { report } = play({ ...turns, always: "object" });
    assert.match(report, /^\*\*ESCALATED: self_check_failed/m);
  });

  it("ends what a peer claims, asks and hands over, also what nobody may run", () => {
    const claims = [
      { text: "nobody searches", check: "notes.md:1", expect: "Nobody" },
      { text: "the tests pass", check: "node -p 7", expect: "7" },
    ];
    const question_or_proposal = {
      content: "Files. What do you think of locks?",
      specific_questions: ["Who writes?"],
    };
    const answers = draft("RESPONSE", "", { question_or_proposal, claims });
    const claimed: Play = { ...turns, before: [asks, ["gemini", answers]] };
    const { report } = play(claimed);
    assert.match(report, /^\*\*CONSENSUS, 1 of 2 claims seen, 1 assumed, not audited\*\*/m);
    const ran = play({ ...claimed, allows: ["node", "-p", "7"] });
    assert.match(ran.did, /claude ran check C\d+\.2/);
    const hands = draft("TASK_ASSIGN", "Count the files.");
    const { did } = play({ ...turns, before: [asks, ["gemini", hands]] });
    assert.match(did, /^claude: report on task T\d+ "Count the files\."\n/);
  });

  it("ends a collaboration with its conclusion", () => {
    const { did, report } = play({
      init: "--folder docs/api --objective 'Agree on the API' --completion 'Every error is listed' --participant server --participant reader",
      where: "--folder docs/api",
      names: ["server", "reader"],
    });
    assert.match(did, /server: end the collaboration with its conclusion/);
    assert.match(report, /proceed/);
  });

  it("ends a board with everybody's report read", () => {
    const board = { init: "board 2 900 --about 'The import loses rows'", where: "--folder board" };
    const { did, report } = play({ ...board, names: ["alice", "bob"] });
    for (const name of ["alice", "bob"]) assert.match(did, new RegExp(`${name}: read what`));
    assert.match(report, /^- findings: 2$/m);
  });
});
