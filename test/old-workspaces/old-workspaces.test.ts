import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import type { Ran } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { unpack, versions } from "./old-workspace.ts";

const review = ["Context:\n- Read proposal.md:1 to its end.", "Position:\n- accept"]
  .concat(["Concerns", "Required Changes", "Questions"].map((name) => `${name}:\n- None.`))
  .join("\n\n");

assert.deepEqual(versions, ["0.1", "0.2", "0.3", "0.3-before-rooms"]);

for (const version of versions) {
  describe(`a workspace of ${version}`, () => {
    const { project, home, remove } = unpack(version);
    after(remove);
    const run = (script: string, args: string[], input = ""): Ran =>
      project.run(script, args, input, { env: { HOME: home } });
    const done = (script: string, args: string[], input = ""): string => {
      const { code, stdout, stderr } = run(script, args, input);
      assert.equal(code, 0, `${script} ${args.join(" ")}: ${stderr}`);
      return stdout;
    };

    it("is valid and tells of what is open", () => {
      assert.match(done("validate", []), /^validation passed \(2 sessions\)\n/);
      const status = done("status", []);
      assert.match(status, /^open: dialogue, talking, turn: claude; .*"Which limit\?"$/m);
      assert.match(status, /1 ended one hidden/);
    });

    it("has its ended dialogue's decision", () => {
      const report = done("report", ["--session", "ended"]);
      assert.match(
        report,
        /^# SQLite or files\?\n\n\*\*CONSENSUS on judgement, nothing was checked/,
      );
      assert.match(report, /\n## Decision\n\n> Files, one line an event\.\n/);
      const told = done("next-action", ["--session", "ended", "--participant", "gemini"]);
      assert.match(told, /^session ended: ENDED\n/);
    });

    it("goes on with its open dialogue, to consensus", () => {
      const as = (name: string) => ["--session", "open", "--participant", name];
      const say = (name: string, message: JsonObject) =>
        done("append-event", [...as(name), "--message", "-"], JSON.stringify(message));
      const content = (text: string) => ({ question_or_proposal: { content: text } });
      const turn = done("next-action", as("claude"));
      assert.match(turn, /^session open: YOUR TURN\n/);
      assert.match(
        turn,
        /message 3 from gemini: type RESPONSE, .*\n\| content: Five is enough\.\n/,
      );
      say("claude", { type: "AGREE", confidence: 0.9, ...content("Five.") });
      const waited = done("wait-for-turn", [...as("gemini"), "--timeout", "30"]);
      assert.match(waited, /^ready: gemini has the turn in open\n[\s\S]*\n\| content: Five\.\n/);
      say("gemini", { type: "AGREE", confidence: 0.9, ...content("Yes, five.") });
      say("claude", { type: "CONSENSUS", ...content("Five.") });
      assert.match(done("report", ["--session", "open"]), /\n\n\*\*CONSENSUS /);
      assert.match(done("validate", []), /^validation passed \(2 sessions\)\n/);
    });

    it("goes on with its collaboration", () => {
      const as = (name: string) => ["--folder", "shared", "--participant", name];
      assert.match(done("next-action", as("b")), /^phase: reviewing\n[\s\S]*\nwaiting for: b\n/);
      const words = ["--event", "review_submitted", "--reply-to", "2", "--summary", "Accepted."];
      assert.equal(
        done("append-event", [...as("b"), ...words, "--review", "-"], review),
        "appended seq 3: review_submitted\n",
      );
      const waited = done("wait-for-turn", [...as("a"), "--timeout", "30"]);
      assert.match(waited, /^ready: a is listed in waitingFor\nphase: revising\n/);
      assert.equal(done("validate", ["--folder", "shared"]), "ACP validation passed\n");
      assert.match(
        done("report", ["--folder", "shared"]),
        /\n\*\*OPEN: revising, waiting for a\*\*\n/,
      );
    });

    it("goes on with its board", () => {
      const pool = done("read-all", ["board", "b"]);
      assert.match(pool, /^board board: 1 of 2 agents ready, 1 finding shown; you are b\.\n/);
      assert.match(pool, /\n\| The limit in src\/retry\.js:1 is low\.\n/);
      // Its deadline is long over.
      assert.equal(run("poll", ["board", "a"]).code, 2);
      const report = reportText({ summary: "Five, as src/retry.js:1 has it." });
      const path = done("post", ["board", "b", "limit", "--file", "-"], report);
      assert.equal(path, "board/findings/b/01-limit.md\n");
      assert.equal(done("ready", ["board", "b"]), "Agent b marked ready (2/2)\n");
      assert.equal(done("poll", ["board", "a"]), "all-ready (2/2 agents)\n");
      assert.equal(done("validate", ["--folder", "board"]), "board validation passed\n");
      assert.match(done("report", ["--folder", "board"]), /2 of 2 agents are ready/);
    });
  });
}
