import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditSummary } from "../../scripts-src/dialogue/audit.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { parseDialogueEvent } from "../../scripts-src/dialogue/event.ts";
import { eventFaults, intakeFault } from "../../scripts-src/dialogue/event-faults.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import { solutionText } from "../../scripts-src/dialogue/solution.ts";
import { auditSubject, decisionRecord } from "../../scripts-src/dialogue/story.ts";
import { verdictOf } from "../../scripts-src/dialogue/verdict.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import {
  asked,
  audits,
  claude,
  type Dialogue,
  gemini,
  type Setting,
  saw,
  sqlite,
  wanting,
} from "./given.ts";

const claims = [
  { text: "Nobody searches", check: "notes.md:1" },
  { text: "One process writes", check: "notes.md:2" },
];
const sha256 = "a".repeat(64);

/** Both have seen both claims of gemini, and claude has put a text before it. */
function offered(text = "SQLite. Nobody searches.", setting: Setting = {}): Dialogue {
  const turns = [
    gemini("RESPONSE", { position: sqlite, claims }),
    ...["gemini", "claude"].flatMap((by) => [
      saw(by, "notes.md:1", { claim: "C3.1" }),
      saw(by, "notes.md:2", { claim: "C3.2" }),
    ]),
    claude("AGREE", { says: text }),
  ];
  return asked(turns, setting);
}

function solutionOf({ state, events }: Dialogue): string {
  const last = events.at(-1);
  assert(last);
  return solutionText(state, parseDialogueEvent(last), last.seq);
}

type Says = "shows" | "does_not_show" | "cannot_tell";

/** An audit of what stands, as a script would submit it. */
function auditOf(played: Dialogue, says: [Says, Says] = ["shows", "shows"], more: object = {}) {
  const subject = auditSubject(played.state, played.events);
  assert(typeof subject !== "string", `${subject}`);
  const ids = subject.material.claims.map(({ id }) => id);
  return {
    agree: subject.agree,
    packet: "b".repeat(64),
    read: ids.map((claim) => ({ claim, sha256 })),
    ...{ cli: "codex", how: "its vendor wrote neither", tokens: { in: 900, out: 80 } },
    answer: {
      claims: ids.map((id, at) => ({ id, says: says[at], quote: "a line", why: `because ${id}` })),
      ...{ unsupported: [], dissent: [], owner: { kind: "none", why: "" } },
      ...more,
    },
  };
}

const wordsOf = ({ state }: Dialogue) => verdictOf(state).words;

/** All of a report as text. */
function reportOf({ state, events }: Dialogue): string {
  const { verdict, sections } = report(state, events, wanting(asked().state));
  return [verdict, ...sections.flatMap(({ heading, lines }) => [heading, ...lines])].join("\n");
}

describe("an audit before the second AGREE", () => {
  it("says in the verdict that what was seen shows the claims", () => {
    const played = offered();
    const closed = played.and(audits(auditOf(played)), gemini("AGREE"));
    assert.equal(wordsOf(closed), "CONSENSUS, 2 of 2 claims seen and shown");
    assert.equal(
      wordsOf(played.and(gemini("AGREE"))),
      "CONSENSUS, 2 of 2 claims seen, not audited",
    );
    const text = reportOf(closed);
    assert.match(text, / {2}- auditor \(codex, saw only the evidence\): shows it: "a line"/);
    assert.match(
      text,
      /by codex in a fresh process .*\(its vendor wrote neither\); about 900 tokens/,
    );
  });

  it("puts what it does not see shown before the side that has the turn, and the other", () => {
    const played = offered();
    const doubted = played.and(audits(auditOf(played, ["shows", "does_not_show"])));
    for (const name of ["claude", "gemini"]) {
      const { obligations, todo } = doubted.guidance(name);
      const told = [...obligations, ...(todo ?? [])].join("\n");
      if (name === "gemini")
        assert.match(told, /not shown, says the auditor .*: C3\.2 "because C3\.2"/);
    }
    const [form] = doubted.guidance("gemini").moves;
    assert.match(JSON.stringify(form?.input), /"kept":\[\{"claim":"C3\.2","because":"<why>"\}\]/);
    assert.match(
      doubted.refusal(gemini("AGREE")),
      /not shown, says the auditor.*C3\.2.*keep it with a reason.*withdraw it.*add kept: \[/,
    );
  });

  it("lets a doubted claim be kept with a reason, as an assumption", () => {
    const played = offered();
    for (const says of ["does_not_show", "cannot_tell"] as const) {
      const doubted = played.and(audits(auditOf(played, ["shows", says])));
      const kept = [{ claim: "C3.2", because: "E5 has the only call" }];
      const closed = doubted.and(gemini("AGREE", { kept }));
      assert.equal(wordsOf(closed), "CONSENSUS, 2 of 2 claims seen, 1 shown");
      const { assumed, shown } = verdictOf(closed.state);
      assert.deepEqual([shown, assumed], [1, 1]);
      const [, assumptions = ""] = reportOf(closed).split("\nAssumptions\n");
      assert.match(
        assumptions,
        /^- C3\.2 of gemini[\s\S]*kept by gemini, because "E5 has the only/,
      );
    }
  });

  it("lets its author withdraw it, which needs no other audit", () => {
    const played = offered();
    const doubted = played.and(audits(auditOf(played, ["shows", "does_not_show"])));
    const withdrawn = [{ claim: "C3.2", because: "the lines do not say so" }];
    const closed = doubted.and(gemini("AGREE", { withdrawn }));
    assert.equal(wordsOf(closed), "CONSENSUS, 1 of 1 claims seen and shown");
  });

  const odd: [what: string, kept: object[], reason: RegExp][] = [
    ["a claim that nobody doubts", [{ claim: "C3.1", because: "we saw it" }], /doubts \(C3\.2\)/],
    ["no reason", [{ claim: "C3.2", because: "ok" }], /each with a reason in a few words/],
  ];
  for (const [what, kept, reason] of odd)
    it(`takes no kept with ${what}`, () => {
      const played = offered();
      const doubted = played.and(audits(auditOf(played, ["shows", "does_not_show"])));
      assert.match(
        doubted.refusal(gemini("AGREE", { kept: JSON.parse(JSON.stringify(kept)) })),
        reason,
      );
      assert.match(
        played.refusal(gemini("AGREE", { kept: JSON.parse(JSON.stringify(kept)) })),
        /none/,
      );
    });

  it("counts claim by claim: for those whose lines are as read, whatever text stands", () => {
    const played = offered();
    const doubted = played.and(audits(auditOf(played, ["shows", "does_not_show"])));
    const claim = { text: "Three read", check: "notes.md:3" };
    const more = doubted.and(
      gemini("EVALUATE", { position: sqlite, claims: [claim] }),
      saw("gemini", "notes.md:3", { claim: `C${doubted.state.seq + 1}.1` }),
    );
    assert.deepEqual(more.guidance("claude").obligations.join(), "");
    // Its peer has answered it, and has the turn to write another.
    assert.equal(protocol.auditWanted?.(more.state), undefined);
    assert.match(String(auditSubject(more.state, more.events)), /no AGREE waits for its answer/);
    assert.match((more.guidance("claude").todo ?? []).join(), /not shown, .*or withdrawn\): C3\.2/);
    const anew = doubted.and(
      saw("gemini", "notes.md:2", { claim: "C3.2", sha256: "c".repeat(64) }),
    );
    assert.equal(protocol.auditWanted?.(anew.state), anew.state.offer?.seq);
    const partly = anew.and(gemini("AGREE"));
    assert.equal(wordsOf(partly), "CONSENSUS, 2 of 2 claims seen, 1 shown, 1 not audited");
    const other = doubted.and(
      saw("gemini", "notes.md:1", { claim: "C3.1", sha256: "c".repeat(64) }),
    );
    assert.match(other.refusal(gemini("AGREE")), /not shown, says the auditor.*C3\.2/);
    const kept = [{ claim: "C3.2", because: "it is plain" }];
    const again = doubted.and(gemini("EVALUATE", { position: sqlite }), claude("AGREE", { kept }));
    assert.equal(protocol.auditWanted?.(again.state), again.state.seq);
    assert.deepEqual(again.guidance("gemini").obligations, []);
    const unread = again.and(gemini("AGREE"));
    assert.equal(
      verdictOf(unread.state).line,
      "CONSENSUS, 2 of 2 claims seen, 1 shown; no auditor has read the text",
    );
    const lines = saw("gemini", "notes.md:2", { claim: "C3.2", sha256: "c".repeat(64) });
    assert.match(wordsOf(again.and(lines, gemini("AGREE"))), /2 claims seen, 1 shown$/);
    const text = reportOf(unread);
    assert.match(text, /Assumptions\n- C3\.2 [\s\S]*kept by claude, because "it is plain"/);
    assert.match(text, /nobody who saw only the evidence has read what was agreed; at a terminal/);
  });

  it("is made twice at most", () => {
    const played = offered();
    const once = played.and(audits(auditOf(played)));
    const twice = once.and(audits(auditOf(once, ["cannot_tell", "shows"])));
    assert.match(
      twice.refusal(audits(auditOf(once))),
      /has been audited 2 times, which is the most/,
    );
    assert.equal(protocol.auditWanted?.(twice.state), undefined);
    assert.match(twice.refusal(gemini("AGREE")), /C3\.1/);
  });

  it("tells both of words that still object, of a text that decides otherwise, and of what rests on nothing", () => {
    const played = offered();
    const remarks = {
      ...{ unsupported: ["Nobody searches."], dissent: ["SQLite."] },
      contradicts: { position: "SQLite", text: "Nobody" },
    };
    const told = played.and(audits(auditOf(played, ["shows", "shows"], remarks)));
    const closed = told.and(gemini("AGREE"));
    assert.equal(
      verdictOf(closed.state).line,
      "CONSENSUS, 2 of 2 claims seen and shown; 3 remarks of the auditor on the decision",
    );
    for (const lines of [
      told.guidance("gemini").standing,
      closed.guidance("claude").advice,
      [reportOf(closed)],
    ]) {
      const text = lines.join("\n");
      assert.match(text, /"\\"Nobody\\" is another decision than \\"SQLite\\""/);
      assert.match(text, /"still objects: SQLite\."/);
      assert.match(text, /"rests on no claim: Nobody searches\."/);
    }
  });

  it("leaves a decision to the user that the auditor says is theirs", () => {
    const judged = asked([gemini("RESPONSE"), claude("AGREE")]);
    const owner = { kind: "destructive", why: "It deletes the records." };
    const closed = judged.and(
      audits(auditOf(judged, ["shows", "shows"], { owner })),
      gemini("AGREE"),
    );
    const { code, words } = verdictOf(closed.state);
    assert.deepEqual([code, words], ["recommendation", "RECOMMENDATION, yours to decide"]);
    assert.match(reportOf(closed), /the auditor says that it destroys something/);
    assert.match(reportOf(closed), /## |Recommendation/);
  });
});

describe("what an auditor says, wherever it is told", () => {
  const both: [Says, Says] = ["shows", "does_not_show"];

  it("stays where the user is to decide", () => {
    const played = offered();
    const said = audits(auditOf(played, both, { unsupported: ["Nobody searches."] }));
    const left = played.and(said, gemini("ESCALATE"));
    const { advice } = left.guidance("claude");
    for (const text of [advice.join("\n"), reportOf(left)]) {
      assert.match(text, /auditor \(codex, .*"rests on no claim: Nobody searches\."/);
    }
    assert.match(reportOf(left), /auditor \(codex, .*does not show it: "because C3\.2"/);
  });

  it("is the same in report, decision record, solution and page", () => {
    const played = offered();
    const doubted = played.and(audits(auditOf(played, ["does_not_show", "does_not_show"])));
    const kept = ["C3.1", "C3.2"].map((claim) => ({ claim, because: "it is plain to see" }));
    const closed = doubted.and(gemini("AGREE", { kept }));
    assert.match(reportOf(closed), /no claim was seen by both and shown/);
    const because = "C3.1 of gemini, assumed, seen by both, kept by gemini: Nobody searches";
    assert.equal(decisionRecord(closed.state)?.because[0], because);
    assert.match(solutionOf(closed), /- C3\.1 .*: assumed, seen by both, kept by gemini/);
  });

  it("is not in a solution where nobody audited, as files written earlier have it", () => {
    const text = solutionOf(offered().and(gemini("AGREE")));
    assert.match(text, /^Verdict: CONSENSUS, 2 of 2 claims seen$/m);
    assert.match(text, /^- C3\.1 .*: seen by both$/m);
  });

  it("keeps a session open that takes only what is seen", () => {
    const played = offered(undefined, { opened: { require: "seen" } });
    const doubted = played.and(audits(auditOf(played, both)));
    const kept = [{ claim: "C3.2", because: "it is plain to see" }];
    assert.match(
      doubted.refusal(gemini("AGREE", { kept })),
      /require seen, and not shown, .*C3\.2: .*ESCALATE/,
    );
    const forms = JSON.stringify(doubted.guidance("gemini").moves);
    assert.match(forms, /"type":"AGREE".*"withdrawn":\[\{"claim":"C3\.2"/);
    const later = doubted.and(gemini("EVALUATE", { kept }), claude("EVALUATE"));
    const own = JSON.stringify(later.guidance("gemini").moves);
    assert.match(own, /"type":"AGREE".*"withdrawn":\[\{"claim":"C3\.2"/);
    const withdrawn = [{ claim: "C3.2", because: "the lines do not say so" }];
    assert.equal(verdictOf(doubted.and(gemini("AGREE", { withdrawn })).state).code, "seen");
    const owner = { kind: "spend", why: "It costs." };
    const owned = played.and(audits(auditOf(played, ["shows", "shows"], { owner })));
    assert.match(owned.refusal(gemini("AGREE")), /the user's \(spend\).*ESCALATE/);
    const left = JSON.stringify(owned.guidance("gemini").moves);
    assert.match(
      left,
      /leave it to the user: the decision is the user's \(spend\).*"type":"ESCALATE"/,
    );
  });
});

describe("an audit after the end", () => {
  it("reads both AGREEs, and changes the verdict alone", () => {
    const closed = offered().and(gemini("AGREE", { says: "Yes, and I still object." }));
    const subject = auditSubject(closed.state, closed.events);
    assert(typeof subject !== "string");
    assert.deepEqual(subject.material.agreeTexts, [
      "SQLite. Nobody searches.",
      "Yes, and I still object.",
    ]);
    assert.equal(subject.author, "claude");
    const read = closed.and(audits(auditOf(closed, ["does_not_show", "shows"])));
    assert.equal(wordsOf(read), "CONSENSUS, 2 of 2 claims seen, 1 shown");
    assert.equal(read.guidance("gemini").turn, "ended");
  });
});

describe("an event `audited`", () => {
  it("is rejected of a decision that is not there, or another one", () => {
    const open = asked([gemini("RESPONSE")]);
    assert.match(String(auditSubject(open.state, open.events)), /no decision to audit/);
    const played = offered();
    const audit = auditOf(played);
    assert.match(open.refusal(audits(audit)), /\(talking\) has no decision to audit/);
    assert.match(played.refusal(audits({ ...audit, agree: 3 })), /the audit is of message 3/);
    const { packet: _, ...bare } = audit;
    assert.match(played.refusal(audits(bare)), /audit\.packet is missing/);
  });

  it("comes from the user alone, as what a script submits for them", () => {
    const played = offered();
    const event = played.and(audits(auditOf(played))).events.at(-1);
    assert(event?.event === "audited" && event.from === "user");
    assert.match(
      event.summary,
      /^audited by codex: 2 of 2 claims shown, 0 remarks on the decision$/,
    );
    for (const from of ["gemini", "consulta"]) {
      const forged = { ...event, from };
      assert.throws(() => evolve(played.state, forged), /is not a dialogue event/);
      assert.throws(() => intakeFault(played.state, forged), /is not a dialogue event/);
    }
    for (const origin of ["script", "inbox"] as const) {
      const turn = { ...audits(auditOf(played)), by: "gemini", origin };
      assert.match(played.refusal(turn), /carries a message/);
    }
    const stray: LogEvent = { ...event, seq: 3 };
    const early = asked([gemini("RESPONSE")]);
    assert.match(eventFaults(early.state, stray).join(), /no decision to audit/);
    assert.equal(evolve(early.state, stray).audit, undefined);
  });

  it("is told in few words", () => {
    const played = offered();
    const owner = { kind: "spend", why: "It costs." };
    const audit = auditOf(played, ["shows", "cannot_tell"], { owner, dissent: ["SQLite."] });
    const record = played.and(audits(audit)).state.audit;
    assert(record);
    assert.equal(
      auditSummary(record),
      "audited by codex: 1 of 2 claims shown, 1 remark on the decision; the user's to decide: spend",
    );
  });
});
