import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { takeRehearsalTurn } from "../../../scripts-src/consult/rehearsal/take-rehearsal-turn.ts";
import { systemClock } from "../../../scripts-src/script/clock.ts";
import { appendEvent } from "../../../scripts-src/session/append-event.ts";
import { loadSession, type Session } from "../../../scripts-src/session/session.ts";
import { validateSession } from "../../../scripts-src/session/validate-session.ts";
import { removeFolder } from "../../scratch-folder.ts";
import { openScratch } from "../collaboration-run.ts";
import { copyScripts } from "../copy-scripts.ts";

describe("a rehearsal of a collaboration", { concurrency: 2 }, () => {
  let scripts = "";
  const folders: string[] = [];
  before(() => {
    scripts = copyScripts();
  });
  after(() => {
    for (const folder of [...folders, dirname(scripts)]) removeFolder(folder);
  });

  async function open(participants: string[], schema: 1 | 2, objective?: string): Promise<Session> {
    const session = await openScratch(participants, schema, objective);
    folders.push(dirname(session.place.folder));
    return session;
  }

  /** One turn of everybody who has it; the documents hold after every event. */
  async function takeTurns({ place }: Session): Promise<readonly string[]> {
    const { waitingFor } = (await loadSession(place)).machine.standing();
    for (const participant of waitingFor) {
      await takeRehearsalTurn({ place, participant, scripts, environment: process.env });
      const { errors, warnings } = await validateSession(place);
      assert.deepEqual([errors, warnings], [[], []]);
    }
    return waitingFor;
  }

  async function play(session: Session): Promise<string> {
    while ((await takeTurns(session)).length > 0);
    return (await loadSession(session.place)).machine.standing().phase;
  }

  const textIn = ({ place }: Session, name: string) =>
    readFileSync(join(place.folder, name), "utf8");

  const names = ["ada", "bob", "cy", "dan", "eve", "fay"];
  for (const schema of [1, 2] as const) {
    for (const count of [2, 3, 6]) {
      it(`takes ${count} participants to the end in schema ${schema}, valid after every event`, async () => {
        const session = await open(names.slice(0, count), schema);
        assert.equal(await play(session), "completed");
        const conclusion = textIn(session, "conclusion.md");
        assert.match(conclusion, /- \[proceed\] Take "SQLite" first/);
        assert.match(conclusion, /This was a dry run: all participants are scripts/);
        assert.match(textIn(session, "review.md"), /Add a section "## Way Back" to proposal\.md/);
        assert.match(textIn(session, "proposal.md"), /^## Way Back$/m);
        const readiness = textIn(session, "readiness.md");
        assert.match(readiness, /- \[resolved\] .*measured: 20 durable writes/);
        assert.match(readiness, /- \[deferred_nonblocking\] .* Reason: /);
        assert.match(readiness, /- \[x\] Error codes are listed/);
        assert.match(textIn(session, "decisions.md"), /### D1\. .*\n\n- Decision: /);
        const log = textIn(session, "events.jsonl").trim().split("\n").slice(1);
        for (const line of log) assert.match(line, /"summary":"\[dry run script\] /);
      });
    }
  }

  it("takes words that no conclusion can quote, and names that no path can hold", async () => {
    const objective = "Settle the unresolved TODO list:\n- [blocking] TBD";
    const session = await open(["Ada Lovelace/../x", "bob"], 2, objective);
    assert.equal(await play(session), "completed");
  });

  it("stops where only a real agent could go on", async () => {
    const session = await open(["ada", "bob"], 1);
    await takeTurns(session);
    const review =
      "Context:\n- I read it.\nPosition:\n- Reject.\nConcerns:\n- Cost.\n" +
      "Required Changes:\n- Compare the cost of both.\nQuestions:\n- None.\n";
    const fields = { event: "review_submitted", summary: "reject", reply_to: 2, review };
    await appendEvent(session.place, "bob", { ...fields, doc: "review.md" }, systemClock);
    assert.equal(await play(session), "blocked");
    const log = textIn(session, "events.jsonl");
    assert.match(log, /a script cannot make this change: Compare the cost of both\./);
  });

  it("accepts nothing that lacks what it required", async () => {
    const session = await open(["ada", "bob"], 1);
    for (let turn = 0; turn < 4; turn += 1) await takeTurns(session);
    const path = join(session.place.folder, "proposal.md");
    writeFileSync(path, readFileSync(path, "utf8").replace("## Way Back", "## Later"));
    assert.equal(await play(session), "blocked");
    assert.match(textIn(session, "events.jsonl"), /a change that I required is not made/);
  });
});
