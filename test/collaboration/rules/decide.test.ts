import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { decide } from "../../../scripts-src/collaboration/rules/decide.ts";
import { filesWanted, marker } from "../../../scripts-src/collaboration/rules/files.ts";
import { evolve } from "../../../scripts-src/collaboration/rules/machine.ts";
import { parseSettings } from "../../../scripts-src/collaboration/rules/settings.ts";
import {
  type CollaborationState,
  initialState,
} from "../../../scripts-src/collaboration/rules/state.ts";
import type { Decision, FileFact } from "../../../scripts-src/protocol/protocol.ts";
import {
  type Act,
  deliverableText,
  eventAt,
  frozen,
  given,
  hash,
  placesOf,
  primary,
  settingsFor,
  supporting,
} from "../acts.ts";

const names = ["ana", "ben", "cy"];
const now = "2026-02-03T04:05:06.789Z";
const end = { doc: "conclusion.md" };

const readiness = "- [resolved] which store\n- [x] Ready to implement\n- [x] the gate\n";
const conclusions = {
  1: conclusionWith("Accepted Decisions", "Implementation Approach"),
  2: conclusionWith("Deliverable Receipt", "Accepted Decisions Summary", "Readiness Result"),
};

function conclusionWith(...own: string[]): string {
  const common = ["Rationale", "Assumptions", "Deferred Follow-ups", "Implementation Blockers"];
  const sections = [...common, ...own, "Next Action"].map((it) => `## ${it}\n${primary.doc}\n`);
  return `# Conclusion\n## Decision Outcome\n- [proceed] now\n${sections.join("")}`;
}

/** Every document as it has to be. */
function goodFiles(schema: 1 | 2): Record<string, FileFact> {
  const bytes = 1;
  return {
    "proposal.md": { bytes, text: "it" },
    "review.md": { bytes, text: "it" },
    "decisions.md": { bytes, text: "it" },
    "readiness.md": { bytes, text: readiness },
    "conclusion.md": { bytes, text: conclusions[schema] },
    [primary.doc]: { bytes, text: deliverableText("Frozen"), sha256: hash },
    [supporting.doc]: { bytes, text: deliverableText("Frozen"), sha256: hash },
    [marker]: { bytes, text: "{}" },
  };
}

/** The decision on an act; only the files that were asked for are shown. */
function decided(
  state: CollaborationState,
  [from, event, fields = {}]: Act,
  changes: Record<string, FileFact | undefined> = {},
  at = now,
): Decision {
  const reply = state.seq === 0 ? {} : { reply_to: 1 };
  const all: JsonObject = { event, summary: "done", ...reply, ...fields };
  const there = { ...goodFiles(state.settings.schema), ...changes };
  const files = new Map<string, FileFact>();
  for (const { path } of filesWanted(state, { for: "decision", participant: "a", fields: all })) {
    const fact = there[path];
    if (fact !== undefined) files.set(path, fact);
  }
  return decide(state, { participant: from, origin: "script", fields: all, at, id: "x", files });
}

function placeIn(schema: 1 | 2, place: string): CollaborationState {
  return given(settingsFor(schema, names), ...(placesOf(schema)[place] ?? []));
}

function text(words: string): FileFact {
  return { bytes: words.length, text: words };
}

describe("an accepted event", () => {
  it("has these keys in this order and no others", () => {
    const decision = decided(placeIn(2, "ready"), ["ana", "deliverable_frozen", frozen]);
    assert(decision.ok && "event" in decision);
    assert.equal(
      JSON.stringify(decision.event),
      '{"seq":11,"from":"ana","event":"deliverable_frozen","at":"2026-02-03T04:05:06Z",' +
        `"summary":"done","doc":"deliverables/spec.md","reply_to":1,"role":"primary","sha256":"${hash}"}`,
    );
  });

  it("leaves out what was not given", () => {
    const decision = decided(placeIn(1, "drafting"), ["ana", "proposal_submitted", { doc: "" }]);
    assert(decision.ok && "event" in decision);
    const keys = ["seq", "from", "event", "at", "summary", "reply_to"];
    assert.deepEqual(Object.keys(decision.event), keys);
  });

  it("needs nothing to answer when it is the first", () => {
    const decision = decided(placeIn(1, "new"), ["ben", "initialized"]);
    assert(decision.ok && "event" in decision);
    assert.equal(decision.event["reply_to"], undefined);
  });

  for (const reply of [2, "2", " +2 "]) {
    it(`answers ${JSON.stringify(reply)}`, () => {
      const decision = decided(placeIn(1, "reviewing"), [
        "ben",
        "review_submitted",
        { reply_to: reply },
      ]);
      assert(decision.ok && "event" in decision);
      assert.equal(decision.event["reply_to"], 2);
    });
  }

  it("takes a blank summary, as the original does", () => {
    assert(decided(placeIn(1, "drafting"), ["ana", "blocked", { summary: "" }]).ok);
  });
});

/** The last event's time, the clock, the time that is written. */
const times: [last: string, now: string, at: string][] = [
  ["2026-01-01T00:00:00Z", now, "2026-02-03T04:05:06Z"],
  ["2026-02-03T04:05:06Z", now, "2026-02-03T04:05:06Z"],
  ["2026-02-03T04:05:09Z", now, "2026-02-03T04:05:09Z"],
  ["2026-02-03T04:05:06.790Z", now, "2026-02-03T04:05:07Z"],
  ["2026-02-03T04:05:06.000001Z", now, "2026-02-03T04:05:07Z"],
  ["2026-02-03T06:05:09+02:00", now, "2026-02-03T04:05:09Z"],
  ["20260203T040509Z", now, "2026-02-03T04:05:09Z"],
  ["2031-01-01T00:00:00-10:00", now, "2031-01-01T10:00:00Z"],
  ["9999-12-31T23:59:59.5Z", now, "9999-12-31T23:59:59Z"],
  ["no time at all", now, "2026-02-03T04:05:06Z"],
];

describe("the time of an event", () => {
  for (const [last, clock, at] of times) {
    it(`is ${at} behind ${last}`, () => {
      const opened = { ...eventAt(1, ["ana", "initialized"]), at: last };
      const state = evolve(initialState(settingsFor(1, names)), opened);
      const decision = decided(state, ["ana", "proposal_submitted"], {}, clock);
      assert(decision.ok && "event" in decision);
      assert.equal(decision.event.at, at);
    });
  }
});

describe("blocked", () => {
  const badSettings = {
    "readiness.md": text("- [blocking] no quorum\n"),
    "conclusion.md": undefined,
  };
  for (const schema of [1, 2] as const) {
    it(`is possible everywhere in schema ${schema}, whatever the documents say`, () => {
      for (const place of Object.keys(placesOf(schema))) {
        for (const name of names) {
          const act: Act = [name, "blocked", { doc: "readiness.md" }];
          assert(decided(placeIn(schema, place), act, badSettings).ok, place);
          assert(decided(placeIn(schema, place), act, { "readiness.md": undefined }).ok, place);
        }
      }
    });
  }

  it("is possible after an event that broke a rule", () => {
    const broken = evolve(placeIn(1, "drafting"), eventAt(2, ["ben", "completed"]));
    assert(decided(broken, ["ben", "blocked"]).ok);
  });

  it("looks at no file", () => {
    const fields = { event: "blocked", summary: "s", doc: "readiness.md", reply_to: 1 };
    const wanted = filesWanted(placeIn(2, "passed"), { for: "decision", participant: "a", fields });
    assert.deepEqual(wanted, []);
  });
});

const allowed = (events: string) => `you may append now: ${events}; run next-action`;
const again = (event: string, events: string) => `then append ${event} again; ${allowed(events)}`;
const long = "x".repeat(4_001);
const needsText = "say it in one short sentence";

/** What is wrong with the words, whatever the place. */
const badFields: [name: string, fields: JsonObject, reason: string][] = [
  ["no event", { event: undefined }, "event is missing: name what happened with --event"],
  ["a number as event", { event: 4 }, "event is 4, expected a text"],
  ["an unknown event", { event: "approved" }, 'unknown event "approved"'],
  ["a message", { message: {} }, "a collaboration takes no message: give --event and --summary"],
  ["no summary", { summary: undefined }, `summary is missing: ${needsText}`],
  ["a draft's summary", { summary: " ... " }, `summary is not filled in: ${needsText}`],
  [
    "a long summary",
    { summary: long },
    `summary has 4001 characters, at most 4000 are allowed: ${needsText} and put the rest into a document`,
  ],
  [
    "a summary with half a character",
    { summary: "one\ud800two" },
    "summary has half a character: write it whole",
  ],
  ...["../x.md", "/etc/passwd", "a/../../x", "C:/x", "a\\b", "~/x", ".", "a\u2028b"].map(
    (doc): [string, JsonObject, string] => [
      `the doc ${JSON.stringify(doc)}`,
      { doc },
      `doc ${JSON.stringify(doc).replace("\u2028", "\\u2028")} leads out of the folder or is no plain path: ` +
        "give it relative to the collaboration folder, such as proposal.md, or leave it out",
    ],
  ),
  [
    "a reply to words",
    { reply_to: "last" },
    'reply_to is "last", expected the seq of an earlier event, such as 1',
  ],
  [
    "a reply to half",
    { reply_to: 1.5 },
    "reply_to is 1.5, expected the seq of an earlier event, such as 1",
  ],
  [
    "no reply",
    { reply_to: undefined },
    "reply_to is required after initialized: give --reply-to 1, or the event that you answer",
  ],
  ...[0, -1, 2, 99].map((seq): [string, JsonObject, string] => [
    `a reply to ${seq}`,
    { reply_to: seq },
    `reply_to must point to an existing event: it is ${seq}; give 1 to 1`,
  ]),
  [
    "a role",
    { role: "primary" },
    'role belongs to deliverable events, not to "proposal_submitted": leave it out',
  ],
  [
    "a hash",
    { sha256: hash },
    'sha256 belongs to deliverable_frozen, not to "proposal_submitted": leave it out',
  ],
  [
    "a review",
    { review: "Context:" },
    "a review belongs to review_submitted, not to proposal_submitted: leave --review out",
  ],
  [
    "a doc that is not there",
    { doc: "notes.md" },
    'doc "notes.md" is no file in the collaboration folder: write it, or leave --doc out',
  ],
];

/** A deliverable in which one section is empty and another is not there. */
const lacking: FileFact = {
  bytes: 1,
  text: deliverableText("Frozen")
    .replace("## Context\nWritten.\n", "## Context\n \n")
    .replace("## Consequences\n", ""),
  sha256: hash,
};
/** What is not as it has to be in the folder, by the names that the table below has for it. */
const spoiled: Record<string, Record<string, FileFact | undefined>> = {
  "-": {},
  blocker: {
    "readiness.md": text(
      "- [blocking] no quorum\n- [deferred_nonblocking] logo\n- [unresolved] name\n",
    ),
  },
  "no readiness": { "readiness.md": undefined },
  unreadable: { "readiness.md": { bytes: 9, fault: "is not UTF-8 text: save it as UTF-8" } },
  unready: { "readiness.md": text("- [resolved] all\n- [ ] Ready to implement\n") },
  "open gates": { "readiness.md": text("- [x] Ready to implement\n"), "conclusion.md": undefined },
  TBD: { "conclusion.md": text(conclusions[1].replace("now", "TBD")) },
  "not ours": { [marker]: undefined },
  "no file": { [primary.doc]: undefined },
  draft: { [primary.doc]: { bytes: 1, text: deliverableText("Draft"), sha256: hash } },
  "no status": { [primary.doc]: { bytes: 1, text: deliverableText("Final"), sha256: hash } },
  lacking: { [primary.doc]: lacking },
  "lacking test": { [supporting.doc]: { ...lacking, text: "Status: Frozen\n## Scope\n" } },
  changed: { [primary.doc]: { bytes: 1, text: "", sha256: "f".repeat(64) } },
};

const fieldsBy: Record<string, JsonObject> = { end, primary, frozen };

/** Schema, place, who does what with which fields, what is spoiled, the whole reason. */
const refusals = `
1 | drafting | zoe blocked | - | participant "zoe" is not listed in protocol.json: give one of "ana", "ben", "cy" with --participant; waiting for ana; run next-action
1 | drafting | ben review_submitted | - | seq 2: review_submitted is not allowed from phase drafting; seq 2: review_submitted is reserved for no participant; got ben; waiting for ana; you may append now: blocked; run next-action
1 | drafting | ana initialized | - | initialized must be seq 1; you may append now: proposal_submitted, blocked; run next-action
1 | new | ana initialized {"reply_to":1} | - | reply_to must point to an existing event: it is 1; there is none yet, leave it out; then append initialized again; you may append now: blocked; run next-action
1 | classified | ben decision_accepted | blocker | readiness.md: once it is settled, line "- [blocking] no quorum" must become "- [<resolved|deferred_nonblocking>] no quorum <the answer, or Reason: why it can wait>" (for ana to write); readiness.md: line "- [unresolved] name" must become "- [<resolved|deferred_nonblocking|blocking>] name <the answer, or Reason: why it can wait>" (for ana to write); readiness.md: line "- [deferred_nonblocking] logo" must become "- [deferred_nonblocking] logo Reason: <why it can wait>" (for ana to write); then append decision_accepted again; you may append now: blocked; run next-action
1 | classified | ben decision_accepted | no readiness | readiness.md: is missing; write it (for ana to write); then append decision_accepted again; you may append now: blocked; run next-action
1 | classified | ben decision_accepted | unreadable | readiness.md is not UTF-8 text: save it as UTF-8 (for ana to write); then append decision_accepted again; you may append now: blocked; run next-action
1 | ready | ana readiness_passed | unready | readiness.md: line "- [ ] Ready to implement" must become "- [x] Ready to implement"; then append readiness_passed again; you may append now: blocked; run next-action
1 | passed | ana completed end | open gates | readiness.md: gate is not checked: once it is met, write the line "- [x] the gate"; conclusion.md: is missing; write it; doc "conclusion.md" is no file in the collaboration folder: write it, or leave --doc out; then append completed again; you may append now: readiness_passed, blocked; run next-action
1 | passed | ana completed end | TBD | conclusion.md: write what is true in place of TBD, TODO, unresolved or \u5f85\u5b9a, in 1 lines such as "- [proceed] TBD"; then append completed again; you may append now: readiness_passed, blocked; run next-action
1 | passed | ana completed {"doc":"decisions.md"} | - | seq 11: completed must reference conclusion.md; then append completed again; you may append now: readiness_passed, blocked; run next-action
1 | blocked while reviewing | ana unblocked | not ours | unblocked is an event of Consulta alone, and this folder was not made by it: a peer with the original scripts could not append any more; give --allow-extension when there is none, or begin a new collaboration with init; then append unblocked again; you may append now: blocked; run next-action
1 | blocked while reviewing | ben unblocked | - | seq 5: unblocked is reserved for ana; got ben; you may append now: blocked; run next-action
2 | drafting | ana deliverable_drafted {"doc":"deliverables/spec.md"} | - | deliverable events require role; then append deliverable_drafted again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | drafting | ana deliverable_drafted {"role":"primary","doc":"proposal.md"} | - | doc must reference the primary deliverable; then append deliverable_drafted again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | drafting | ana deliverable_drafted primary | no file | deliverable_drafted doc does not exist: write deliverables/spec.md first; then append deliverable_drafted again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ana deliverable_frozen frozen | no file | deliverable_frozen doc does not exist: write deliverables/spec.md first; then append deliverable_frozen again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ana deliverable_frozen {"role":"primary","doc":"deliverables/spec.md","sha256":"OTHER"} | - | deliverable_frozen sha256 does not match current file: deliverables/spec.md has HASH; give that when the file is final; then append deliverable_frozen again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ana deliverable_frozen frozen | draft | deliverables/spec.md: its line "Status: Draft" must become "Status: Frozen" when all else is written; then append deliverable_frozen again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ana deliverable_frozen frozen | no status | deliverables/spec.md: needs a line "Status: Frozen" when all else is written; then append deliverable_frozen again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ana deliverable_frozen frozen | lacking | deliverables/spec.md: the section "## Context" is empty; write it; deliverables/spec.md: the section "## Consequences" is missing; write it; then append deliverable_frozen again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | ready | ben deliverable_frozen {"role":"supporting","doc":"deliverables/test.md","sha256":"HASH"} | lacking test | deliverables/test.md: the section "## Scope" is empty; write it; deliverables/test.md: the section "## Test Matrix" is missing; write it; deliverables/test.md: the section "## Fixtures" is missing; write it; deliverables/test.md: the section "## Automation" is missing; write it; deliverables/test.md: the section "## Manual Tests" is missing; write it; deliverables/test.md: the section "## Exit Criteria" is missing; write it; waiting for ana; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | final | ana readiness_passed | changed | deliverables/spec.md: is not what was frozen; restore it: seq 11 froze it as SHA-256 HASH; then append readiness_passed again; you may append now: blocked, or a deliverable event with --role supporting; run next-action
2 | passed | ana completed end | no file | deliverables/spec.md: is not what was frozen; restore it: seq 11 froze it as SHA-256 HASH; then append completed again; you may append now: readiness_passed, blocked, or a deliverable event with --role supporting; run next-action`;

describe("a refusal", () => {
  for (const [name, fields, reason] of badFields) {
    it(`tells of ${name}`, () => {
      const decision = decided(placeIn(1, "drafting"), ["ana", "proposal_submitted", fields]);
      assert(!decision.ok);
      const way =
        "event" in fields
          ? allowed("proposal_submitted, blocked")
          : again("proposal_submitted", "blocked");
      assert.equal(decision.reason, `${reason}; ${way}`);
    });
  }

  for (const row of refusals.replaceAll("HASH", hash).trim().split("\n")) {
    const [schema, place = "", words = "", spoil = "", reason = ""] = row.split(" | ");
    const [from = "", event = "", named] = words.replace("OTHER", "f".repeat(64)).split(" ");
    const fields = named === undefined ? {} : (fieldsBy[named] ?? JSON.parse(named));
    it(`tells of ${words} with ${spoil}`, () => {
      const state = placeIn(schema === "1" ? 1 : 2, place);
      const decision = decided(state, [from, event, fields], spoiled[spoil]);
      assert(!decision.ok);
      assert.equal(decision.reason, reason);
    });
  }

  it("tells of settings at fault before anything else", () => {
    const state = initialState(parseSettings("[]"));
    const decision = decided(state, ["ana", "blocked"]);
    assert(!decision.ok);
    assert.equal(decision.reason, state.settings.fault);
  });

  it("tells where external deliverables cannot be looked at", () => {
    const { deliverables } = settingsFor(2, names).raw;
    const keys = { deliverables: { ...Object(deliverables), mode: "external" }, repoRoot: ".." };
    const state = given(settingsFor(2, names, keys), ["ana", "initialized"]);
    Object.assign(state.settings.deliverables ?? {}, { repoRoot: "../other" });
    const act: Act = ["ana", "deliverable_drafted", { role: "primary", doc: "external:spec.md" }];
    const decision = decided(state, act);
    assert(!decision.ok);
    assert.match(decision.reason, /^"external:spec.md" is declared at a place where it cannot be/);
  });
});

describe("unblocked", () => {
  it("is taken in a folder that our init made", () => {
    assert(decided(placeIn(1, "blocked while reviewing"), ["ana", "unblocked"]).ok);
  });

  for (const allow of ["true", true]) {
    it(`is taken elsewhere with allow_extension ${JSON.stringify(allow)}`, () => {
      const act: Act = ["ana", "unblocked", { allow_extension: allow }];
      assert(decided(placeIn(1, "blocked while reviewing"), act, { [marker]: undefined }).ok);
    });
  }
});

const sections = ["Context:", "Position:", "Concerns:", "Required Changes:", "Questions:"];
const review = sections.map((section) => `${section}\n- None.\n`).join("\n");
const scope =
  "Reviewed primary deliverable: `deliverables/spec.md`\nReview Scope:\n- Primary deliverable completeness\n";

describe("a review", () => {
  it("goes into review.md under a heading that names its event", () => {
    const decision = decided(placeIn(1, "reviewing"), ["ben", "review_submitted", { review }]);
    assert(decision.ok && "event" in decision);
    const heading = "## 2026-02-03T04:05:06Z - ben - seq 3";
    const text = `${heading}\n\n${review.trim()}\n`;
    assert.deepEqual(decision.additions, [{ as: "section", path: "review.md", text }]);
  });

  it("may be refused and wanted in a file that is not there yet", () => {
    const act: Act = ["ben", "review_submitted", { review, doc: "review.md" }];
    assert(decided(placeIn(1, "reviewing"), act, { "review.md": undefined }).ok);
  });

  it("may be left to the participant, as the original does", () => {
    const decision = decided(placeIn(1, "reviewing"), ["ben", "review_submitted"]);
    assert(decision.ok && "event" in decision);
    assert.equal(decision.additions, undefined);
  });

  for (const section of sections) {
    it(`is refused without ${section}`, () => {
      const cut = review.replace(section, "Else:");
      const decision = decided(placeIn(1, "reviewing"), [
        "ben",
        "review_submitted",
        { review: cut },
      ]);
      assert(!decision.ok);
      assert.equal(
        decision.reason,
        `the review lacks "${section}": add each section as a line of its own and write below it; ` +
          again("review_submitted", "blocked"),
      );
    });
  }

  it("says in schema 2 what of the deliverable it covers", () => {
    const state = placeIn(2, "reviewing");
    const decision = decided(state, ["ben", "review_submitted", { review }]);
    assert(!decision.ok);
    assert.match(
      decision.reason,
      /^the review lacks "Reviewed primary deliverable:", "Review Scope:", "Primary deliverable completeness", "deliverables\/spec.md": /,
    );
    assert(decided(state, ["ben", "review_submitted", { review: scope + review }]).ok);
  });

  it("is refused while a line of the form is not filled in", () => {
    const form = "- <what can go wrong, with the evidence; or None.>";
    const unfilled = review.replace("Concerns:\n- None.", `Concerns:\n${form}`);
    const act: Act = ["ben", "review_submitted", { review: unfilled }];
    const decision = decided(placeIn(1, "reviewing"), act);
    assert(!decision.ok);
    const reason = `the review still has the line "${form}": write what is true, or "- None."`;
    assert.equal(decision.reason, `${reason}; ${again("review_submitted", "blocked")}`);
  });

  for (const line of ["## x - cy - seq 4", "## a - b - seq 3  ", "##\tx - y - seq 1"]) {
    for (const ending of ["\n", "\r\n", "\r"]) {
      it(`is refused when it forges the heading ${JSON.stringify(line + ending)}`, () => {
        const forged = `${review}${ending}${line}${ending}`;
        const decision = decided(placeIn(1, "reviewing"), [
          "ben",
          "review_submitted",
          { review: forged },
        ]);
        assert(!decision.ok);
        assert.match(decision.reason, /reads as the heading of a review: take it out/);
      });
    }
  }
});

describe("the files that are looked at", () => {
  const wantedFor = (schema: 1 | 2, place: string, fields: JsonObject) =>
    filesWanted(placeIn(schema, place), {
      for: "decision",
      participant: "a",
      fields: { summary: "s", reply_to: 1, ...fields },
    }).map(({ path, as }) => `${as} ${path}`);

  const rows: [schema: 1 | 2, place: string, fields: JsonObject, wanted: string[]][] = [
    [1, "drafting", { event: "proposal_submitted" }, ["text proposal.md"]],
    [
      1,
      "drafting",
      { event: "proposal_submitted", doc: "proposal.md" },
      ["file proposal.md", "text proposal.md"],
    ],
    [1, "reviewing", { event: "review_submitted" }, []],
    [1, "classified", { event: "decision_accepted" }, ["text readiness.md"]],
    [1, "ready", { event: "readiness_passed" }, ["text readiness.md"]],
    [
      1,
      "passed",
      { event: "completed", doc: "conclusion.md" },
      ["file conclusion.md", "text readiness.md", "text conclusion.md"],
    ],
    [1, "completed", { event: "unblocked" }, [`file ${marker}`]],
    [2, "written", { event: "deliverable_drafted", ...primary }, [`text ${primary.doc}`]],
    [
      2,
      "ready",
      { event: "deliverable_frozen", ...frozen },
      [`text ${primary.doc}`, `sha256 ${primary.doc}`],
    ],
    [2, "final", { event: "readiness_passed" }, ["text readiness.md", `sha256 ${primary.doc}`]],
    [1, "drafting", { event: "proposal_submitted", doc: "../x" }, []],
    [1, "drafting", {}, []],
  ];
  for (const [schema, place, fields, wanted] of rows) {
    it(`for ${JSON.stringify(fields)} in schema ${schema} are ${wanted.join(", ") || "none"}`, () => {
      assert.deepEqual(wantedFor(schema, place, fields), wanted);
    });
  }

  it("are never the text of review.md for guidance", () => {
    for (const schema of [1, 2] as const) {
      const wanted = filesWanted(placeIn(schema, "reviewing"), {
        for: "guidance",
        participant: "ana",
      });
      const paths = wanted.map(({ path }) => path);
      assert(
        paths.includes("readiness.md") && paths.includes("conclusion.md") && paths.includes(marker),
      );
      const looked = wanted.map(({ path, as }) => `${as} ${path}`);
      assert(looked.includes("file review.md") && looked.includes("text decisions.md"));
      assert(!looked.includes("text review.md"));
      assert.equal(paths.includes(primary.doc), schema === 2);
    }
  });

  it("are all that the validator names", () => {
    const wanted = filesWanted(placeIn(2, "reviewing"), { for: "inspection" });
    const paths = new Set(wanted.map(({ path }) => path));
    for (const name of ["protocol", "proposal", "review", "decisions", "readiness", "conclusion"]) {
      assert(paths.has(name === "protocol" ? "protocol.json" : `${name}.md`), name);
    }
    for (const name of ["state.log", "discussion.md", "opinions.md", primary.doc, supporting.doc]) {
      assert(paths.has(name), name);
    }
  });

  it("of external deliverables start above the folder", () => {
    const { deliverables } = settingsFor(2, names).raw;
    const keys = { deliverables: { ...Object(deliverables), mode: "external" }, repoRoot: "../.." };
    const state = given(settingsFor(2, names, keys), ["ana", "initialized"]);
    const fields = {
      event: "deliverable_drafted",
      role: "primary",
      doc: "external:spec.md",
      summary: "s",
    };
    const wanted = filesWanted(state, { for: "decision", participant: "a", fields });
    assert.deepEqual(wanted, [{ path: "deliverables/spec.md", foldersUp: 2, as: "text" }]);
  });
});
