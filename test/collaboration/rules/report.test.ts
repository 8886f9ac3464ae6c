import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { report } from "../../../scripts-src/collaboration/rules/report.ts";
import { standing } from "../../../scripts-src/collaboration/rules/session-status.ts";
import { initialState } from "../../../scripts-src/collaboration/rules/state.ts";
import type { Report } from "../../../scripts-src/protocol/protocol.ts";
import { completed as completedFolder, GuidedFolder } from "../guided-folder.ts";
import { adr, conclusion, deliverable, factOf, readiness } from "../written-documents.ts";

const trio = ["ana", "bob", "cy"];

function opened(schema: 1 | 2 = 1, participants = trio): GuidedFolder {
  const folder = new GuidedFolder(schema, participants);
  folder.write(participants[0] ?? "", "initialized", { summary: "opened" });
  return folder;
}

const completed = (schema: 1 | 2 = 1) => completedFolder(schema, trio);

function reportOf({ state, events, files }: GuidedFolder): Report {
  return report(state, events, { files, before: initialState(state.settings) });
}

function lines({ sections }: Report, heading: string): string[] {
  return sections.find((section) => section.heading === heading)?.lines ?? [];
}

function review(changes: string): string {
  return `Context:\n- read\n\nPosition:\n- no\n\nConcerns:\n- None.\n\nRequired Changes:\n${changes}\n\nQuestions:\n- None.\n`;
}

describe("the verdict", () => {
  it("of a completed collaboration is what conclusion.md declares, if it still does", () => {
    const folder = completed();
    for (const outcome of ["proceed", "do_not_proceed", "defer"]) {
      folder.documents.set("conclusion.md", conclusion(1, `[${outcome}] because`));
      assert.equal(reportOf(folder).verdict, `COMPLETED: ${outcome}`);
    }
    folder.documents.set("conclusion.md", "gone");
    const none = "COMPLETED: conclusion.md no longer declares one outcome";
    assert.equal(reportOf(folder).verdict, none);
  });

  it("of one that is not says who is waited for, or who blocked it, where and why", () => {
    const folder = opened();
    folder.follow("ana");
    assert.equal(reportOf(folder).verdict, "OPEN: reviewing, waiting for bob, cy");
    folder.write("bob", "blocked", { summary: "no key" });
    assert.equal(reportOf(folder).verdict, 'BLOCKED by bob (seq 3, in reviewing): "no key"');
  });
});

describe("the facts", () => {
  it("are objective, participants, events, time and schema", () => {
    assert.deepEqual(reportOf(completed()).facts, [
      'Objective: "Pick a store"',
      "Participants: ana (proposal owner), bob, cy",
      "11 events, 2026-01-01T00:01:00Z to 2026-01-01T00:11:00Z (10 min), schema 1",
    ]);
  });

  it("stand for a folder in which nothing happened yet", () => {
    const { facts, verdict } = reportOf(new GuidedFolder(1, trio));
    assert.equal(facts.at(-1), "0 events, schema 1");
    assert.equal(verdict, "OPEN: new, waiting for nobody");
  });
});

describe("who did what", () => {
  it("is told for everybody with seq and summary", () => {
    const folder = opened();
    folder.follow("ana", "files");
    folder.follow("bob", "fine");
    const told = reportOf(folder);
    assert.deepEqual(lines(told, "What ana did"), [
      '- seq 1: opened the collaboration: "opened"',
      '- seq 2: proposed: "files"',
    ]);
    assert.deepEqual(lines(told, "What cy did"), ["- nothing yet; is waited for"]);
  });

  it("quotes what a review required, from under its own heading", () => {
    const folder = opened();
    folder.follow("ana");
    const fields = { event: "review_submitted", reply_to: 2, summary: "not yet" };
    folder.append("bob", { ...fields, review: review("- Name the port.\n- # and the host") });
    folder.append("cy", { ...fields, review: review("- Cite a source.") });
    const told = reportOf(folder);
    assert.deepEqual(lines(told, "What bob did"), [
      '- seq 3: reviewed: "not yet"',
      "",
      "  It required:",
      "> - R3.1: Name the port.",
      "> - R3.2: # and the host",
      "",
    ]);
    assert(lines(told, "What cy did").includes("> - R4.1: Cite a source."));
  });

  it("does not believe a heading that somebody else forged", () => {
    const folder = opened();
    folder.follow("ana");
    folder.follow("bob");
    const forged = `## 2026-01-01T00:00:00Z - cy - seq 3\n\n${review("- Pay me.")}`;
    folder.documents.set("review.md", `${folder.documents.get("review.md")}\n${forged}`);
    assert.doesNotMatch(JSON.stringify(reportOf(folder)), /Pay me/);
  });

  it("marks acceptances that were put in question again", () => {
    const folder = opened();
    while (folder.state.last?.event !== "question_classified") {
      folder.follow(folder.state.waitingFor[0] ?? "");
    }
    folder.follow("bob", "yes");
    folder.append("ana", { event: "decision_proposed", reply_to: 6, summary: "anew" });
    folder.follow("ana");
    folder.follow("bob", "still yes");
    const did = lines(reportOf(folder), "What bob did");
    assert.deepEqual(did.slice(-2), [
      '- seq 7: accepted the decision (void since: the decision was put again): "yes"',
      '- seq 10: accepted the decision: "still yes"',
    ]);
  });

  it("is cut where it gets long", () => {
    const folder = opened();
    for (let index = 0; index < 60; index += 1) folder.write("ana", "blocked");
    const told = lines(reportOf(folder), "What ana did");
    assert.equal(told.length, 41);
    assert.equal(told.at(-1), "- and 21 more in the log");
  });
});

describe("what the documents say", () => {
  it("shows questions by their status and gates as met or not", () => {
    const folder = opened();
    const deferred = "[deferred_nonblocking] Cost. Reason: later";
    const items = ["[blocking] No key", deferred, "[resolved] X"];
    folder.documents.set("readiness.md", readiness([], items));
    const told = reportOf(folder);
    assert.deepEqual(lines(told, "Open questions"), ['- blocking: "No key"']);
    assert.deepEqual(lines(told, "Deferred questions"), ['- "Cost. Reason: later"']);
    assert.deepEqual(lines(told, "Resolved questions"), ['- "X"']);
    assert.deepEqual(lines(told, "Completion gates"), ['- NOT met: "Store chosen"']);
    folder.documents.set("readiness.md", readiness(["Store chosen"]));
    assert.deepEqual(lines(reportOf(folder), "Completion gates"), [
      '- met: "Store chosen" (ticked by ana, not run)',
    ]);
  });

  it("quotes decisions and leaves the template's TBD out", () => {
    const folder = opened();
    assert.deepEqual(lines(reportOf(folder), "Decisions"), []);
    const text = "# Decisions\n\n### D1. Files\n\nprose\n- Decision: use files\n- TBD.\n";
    folder.documents.set("decisions.md", text);
    const told = ["> ### D1. Files", "> - Decision: use files"];
    assert.deepEqual(lines(reportOf(folder), "Decisions"), told);
  });

  it("quotes the conclusion of a completed collaboration only", () => {
    const folder = opened();
    folder.documents.set("conclusion.md", conclusion(1));
    assert.deepEqual(lines(reportOf(folder), "Conclusion"), []);
    const told = lines(reportOf(completed()), "Conclusion");
    assert.deepEqual(told.slice(0, 3), ["Rationale:", "", `> As agreed on ${deliverable}.`]);
  });

  it("tells the status and the hash of deliverables, and a change after the freeze", () => {
    const folder = completed(2);
    const { sha256 } = factOf(adr("Frozen"));
    const seq = folder.state.frozen?.seq;
    const line = `- primary "${deliverable}" ("adr"): Frozen, frozen by seq ${seq}, SHA-256 ${sha256}`;
    assert.deepEqual(lines(reportOf(folder), "Deliverables"), [line]);
    folder.documents.set(deliverable, adr("Draft"));
    const changed = `${line.replace(": Frozen,", ": Draft,")}, CHANGED since`;
    assert.deepEqual(lines(reportOf(folder), "Deliverables"), [changed]);
    folder.documents.delete(deliverable);
    assert.match(lines(reportOf(folder), "Deliverables").join(), /: MISSING, frozen by/);
  });

  it("cuts long lists and says where the rest stands", () => {
    const folder = opened();
    const items = Array.from({ length: 100 }, (_, index) => `[unresolved] Question ${index}`);
    folder.documents.set("readiness.md", readiness([], items));
    const told = lines(reportOf(folder), "Open questions");
    assert.equal(told.length, 61);
    assert.equal(told.at(-1), "- and 40 more in readiness.md");
  });
});

describe("how it went", () => {
  it("names the rules that were broken and leaves those events out of the deeds", () => {
    const folder = opened();
    folder.write("bob", "proposal_submitted");
    const told = reportOf(folder);
    assert.deepEqual(lines(told, "Rules broken on the way").length, 1);
    assert.match(
      lines(told, "Rules broken on the way").join(),
      /^- seq 2: ".*reserved.*"; ignored$/,
    );
    assert.deepEqual(lines(told, "What bob did"), ["- nothing yet"]);
  });

  it("shows what participants wrote so that it cannot pass for a line of ours", () => {
    const names = ["ana", "x\u202e## y"];
    const folder = opened(1, names);
    folder.write("ana", "proposal_submitted", { summary: "a\n## Verdict\u202e" });
    folder.write(names[1] ?? "", "review_submitted", { summary: "b" });
    folder.documents.set("decisions.md", "- a\u202eb\n");
    const { sections, facts, verdict } = reportOf(folder);
    const all = [verdict, ...facts, ...sections.flatMap((it) => [it.heading, ...it.lines])];
    for (const line of all) assert.doesNotMatch(line, /[\n\u202e]/);
  });
});

describe("the standing", () => {
  const counts = {
    initialized: "0 of 2 reviews in, 0 of 3 accepted, seq 1",
    review_submitted: "1 of 2 reviews in, 0 of 3 accepted, seq 3",
    decision_accepted: "2 of 2 reviews in, 1 of 3 accepted, seq 7",
    completed: "2 of 2 reviews in, 3 of 3 accepted, seq 11",
  };
  for (const [event, summary] of Object.entries(counts)) {
    it(`counts reviews and acceptances after ${event}`, () => {
      const folder = opened();
      while (folder.state.last?.event !== event) folder.follow(folder.state.waitingFor[0] ?? "");
      assert.equal(standing(folder.state).summary, `schema 1, 3 participants, ${summary}`);
    });
  }

  it("of a blocked review counts as before the block, and has ended", () => {
    const folder = opened(2);
    for (const name of ["ana", "ana", "cy"]) folder.follow(name);
    for (const event of ["blocked", "nonsense"]) folder.write("bob", event);
    const { summary, ended, waitingFor } = standing(folder.state);
    const counts = "1 of 2 reviews in, 0 of 3 accepted, deliverable drafted, 1 event ignored";
    assert.equal(summary, `schema 2, 3 participants, ${counts}, seq 6`);
    assert.deepEqual([ended, waitingFor], [true, []]);
  });

  it("waits half an hour in schema 1 and for ever in schema 2, as the originals do", () => {
    assert.equal(standing(opened(1).state).waitSeconds, 1_800);
    assert.equal(standing(opened(2).state).waitSeconds, 0);
  });

  it("stands for an empty log, from the settings alone", () => {
    const told = standing(new GuidedFolder(1, trio).state);
    const { id, initiator, startedAt, seq, phase, ended } = told;
    assert.deepEqual([id, seq, ended], [undefined, 0, false]);
    assert.deepEqual([initiator, startedAt, phase], ["ana", "2026-01-01T00:00:00Z", "drafting"]);
  });
});
