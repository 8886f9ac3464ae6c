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
import type { LogEvent } from "../../../scripts-src/log/event.ts";
import type { Addition, FileFact } from "../../../scripts-src/protocol/protocol.ts";
import { rowsOf } from "../../rows.ts";
import {
  type Act,
  eventAt,
  frozen,
  given,
  goodFiles,
  hash,
  placesOf,
  primary,
  settingsFor,
  supporting,
} from "../acts.ts";
import { adr, conclusion } from "../written-documents.ts";

const names = ["ana", "ben", "cy"];
const now = "2026-02-03T04:05:06.789Z";

type Changes = Record<string, FileFact | undefined>;

/** The decision on an act; only the files that were asked for are shown. */
function decided(
  state: CollaborationState,
  [from, event, fields = {}]: Act,
  changes: Changes = {},
) {
  const reply = state.seq === 0 ? {} : { reply_to: 1 };
  const all: JsonObject = { event, summary: "done", ...reply, ...fields };
  const wanted = filesWanted(state, { for: "decision", participant: "a", fields: all });
  const there = goodFiles(state.settings.schema);
  const facts = wanted.map(({ path }) => {
    return [path, path in changes ? changes[path] : there.get(path)] as const;
  });
  const files = new Map(facts.flatMap(([path, it]) => (it === undefined ? [] : [[path, it]])));
  const by = { participant: from, origin: "script", at: now, id: "x" } as const;
  return decide(state, { ...by, fields: all, files });
}

/** The event that an act becomes, which must be taken. */
function taken(...given: Parameters<typeof decided>): Taken {
  const decision = decided(...given);
  assert(decision.ok, decision.ok ? "" : decision.reason);
  assert("event" in decision);
  return decision;
}

interface Taken {
  readonly event: LogEvent;
  readonly additions?: readonly Addition[];
}

function refusal(...given: Parameters<typeof decided>): string {
  const decision = decided(...given);
  assert(!decision.ok);
  return decision.reason;
}

function placeIn(schema: 1 | 2, place: string): CollaborationState {
  return given(settingsFor(schema, names), ...(placesOf(schema)[place] ?? []));
}

function text(words: string): FileFact {
  return { bytes: words.length, text: words, sha256: hash };
}

describe("an accepted event", () => {
  it("has these keys in this order and no others", () => {
    assert.equal(
      JSON.stringify(taken(placeIn(2, "ready"), ["ana", "deliverable_frozen", frozen]).event),
      '{"seq":11,"from":"ana","event":"deliverable_frozen","at":"2026-02-03T04:05:06Z",' +
        `"summary":"done","doc":"deliverables/adr.md","reply_to":1,"role":"primary","sha256":"${hash}"}`,
    );
    const { additions, event } = taken(placeIn(1, "drafting"), [
      "ana",
      "proposal_submitted",
      { doc: "", summary: "" },
    ]);
    const keys = ["seq", "from", "event", "at", "summary", "reply_to"];
    assert.deepEqual(Object.keys(event), keys);
    assert.deepEqual(additions, [{ as: "file", path: ".versions/2-proposal.md", text: "it" }]);
  });

  it("answers an earlier one, and none when it is the first", () => {
    assert.equal(taken(placeIn(1, "new"), ["ben", "initialized"]).event["reply_to"], undefined);
    for (const reply_to of [2, "2", " +2 "]) {
      const review: Act = ["ben", "review_submitted", { reply_to }];
      assert.equal(taken(placeIn(1, "reviewing"), review).event["reply_to"], 2);
    }
  });

  /** The last event's time, the time that is written. */
  const times = rowsOf(`
2026-01-01T00:00:00Z | 2026-02-03T04:05:06Z
2026-02-03T04:05:09Z | 2026-02-03T04:05:09Z
2026-02-03T04:05:06.790Z | 2026-02-03T04:05:07Z
2026-02-03T04:05:06.000001Z | 2026-02-03T04:05:07Z
2026-02-03T06:05:09+02:00 | 2026-02-03T04:05:09Z
20260203T040509Z | 2026-02-03T04:05:09Z
2031-01-01T00:00:00-10:00 | 2031-01-01T10:00:00Z
9999-12-31T23:59:59.5Z | 9999-12-31T23:59:59Z
no time at all | 2026-02-03T04:05:06Z`);
  for (const [last = "", at] of times) {
    it(`has the time ${at} behind ${last}`, () => {
      const opened = { ...eventAt(1, ["ana", "initialized"]), at: last };
      const state = evolve(initialState(settingsFor(1, names)), opened);
      assert.equal(taken(state, ["ana", "proposal_submitted"]).event.at, at);
    });
  }
});

describe("blocked", () => {
  it("is possible everywhere for everybody, whatever the documents say, and looks at none", () => {
    const fields = { event: "blocked", summary: "s", doc: "readiness.md", reply_to: 1 };
    for (const schema of [1, 2] as const) {
      for (const place of Object.keys(placesOf(schema))) {
        const state = placeIn(schema, place);
        const wanted = filesWanted(state, { for: "decision", participant: "a", fields });
        assert.deepEqual(wanted, []);
        for (const name of names) taken(state, [name, "blocked", { doc: "readiness.md" }]);
      }
    }
  });

  it("is possible after an event that broke a rule", () => {
    taken(evolve(placeIn(1, "drafting"), eventAt(2, ["ben", "completed"])), ["ben", "blocked"]);
  });
});

describe("unblocked", () => {
  it("is taken in a folder that our init made, elsewhere with allow_extension", () => {
    const state = placeIn(1, "blocked while reviewing");
    taken(state, ["ana", "unblocked"]);
    for (const allow_extension of ["true", true]) {
      taken(state, ["ana", "unblocked", { allow_extension }], { [marker]: undefined });
    }
  });
});

/** What is wrong with the words, whatever the place: the fields, and the reason before the way out. */
const badFields: [fields: JsonObject, reason: string][] = [
  [{ event: 4 }, "event is 4, expected a text"],
  [{ event: "approved" }, 'unknown event "approved"'],
  [{ message: {} }, "a collaboration takes no message: give --event and --summary"],
  [{ summary: " ... " }, "summary is not filled in: say it in one short sentence"],
  [{ summary: "one\ud800two" }, "summary has half a character: write it whole"],
  [{ reply_to: "last" }, 'reply_to is "last", expected the seq of an earlier event, such as 1'],
  [{ reply_to: 1.5 }, "reply_to is 1.5, expected the seq of an earlier event, such as 1"],
  [
    { role: "primary" },
    'role belongs to deliverable events, not to "proposal_submitted": leave it out',
  ],
  [
    { sha256: hash },
    'sha256 belongs to deliverable_frozen, not to "proposal_submitted": leave it out',
  ],
  [
    { summary: "x".repeat(4_001) },
    "summary has 4001 characters, at most 4000 are allowed: say it in one short sentence and put " +
      "the rest into a document",
  ],
  [
    { review: "Context:" },
    "a review belongs to review_submitted, not to proposal_submitted: leave --review out",
  ],
  [
    { doc: "notes.md" },
    'doc "notes.md" is no file in the collaboration folder: write it, or leave --doc out',
  ],
  ...[0, -1, 2, 99].map((seq): [JsonObject, string] => [
    { reply_to: seq },
    `reply_to must point to an existing event: it is ${seq}; give 1 to 1`,
  ]),
  ...["../x.md", "/etc/passwd", "a/../../x", "C:/x", "a\\b", "~/x", ".", "a\u2028b"].map(
    (doc): [JsonObject, string] => [
      { doc },
      `doc ${JSON.stringify(doc).replace("\u2028", "\\u2028")} leads out of the folder or is no plain path: ` +
        "give it relative to the collaboration folder, such as proposal.md, or leave it out",
    ],
  ),
];
/** The same for fields that are not there. */
const lackingFields = {
  event: "event is missing: name what happened with --event",
  summary: "summary is missing: say it in one short sentence",
  reply_to:
    "reply_to is required after initialized: give --reply-to 1, or the event that you answer",
};

/** What is not as it has to be in the folder, by the names that the table below has for it. */
const spoiled: Record<string, Changes> = {
  "-": {},
  blocker: {
    "readiness.md": text(
      "- [blocking] no quorum\n- [deferred_nonblocking] logo\n- [unresolved] it\n",
    ),
  },
  "no readiness": { "readiness.md": undefined },
  unreadable: { "readiness.md": { bytes: 9, fault: "is not UTF-8 text: save it as UTF-8" } },
  unready: { "readiness.md": text("- [resolved] all\n- [ ] Ready to implement\n") },
  "open gates": { "readiness.md": text("- [x] Ready to implement\n"), "conclusion.md": undefined },
  TBD: { "conclusion.md": text(conclusion(1, "[proceed] TBD")) },
  "not ours": { [marker]: undefined },
  "no file": { [primary.doc]: undefined },
  draft: { [primary.doc]: text(adr("Draft")) },
  "no status": { [primary.doc]: text(adr("Final")) },
  lacking: {
    [primary.doc]: text(
      adr("Frozen").replace("Context\n\nWritten.", "Context\n ").replace("## Con", ""),
    ),
    [supporting.doc]: text(adr("Frozen", "test-plan").replace("## Risk", "").replace("## Fix", "")),
  },
  changed: { [primary.doc]: { ...text(""), sha256: "f".repeat(64) } },
};

const fieldsBy: Record<string, JsonObject> = {
  end: { doc: "conclusion.md" },
  primary,
  frozen,
  unnamed: { doc: primary.doc },
  proposal: { role: "primary", doc: "proposal.md" },
  other: { ...primary, sha256: "f".repeat(64) },
  test: { ...supporting, sha256: hash },
  external: { role: "primary", doc: "external:adr.md" },
};

/** Place (of schema 2 with a 2 before it), who does what with which fields, what is spoiled, the reason, the way out. */
const refusals = rowsOf(`
drafting | zoe blocked | - | participant "zoe" is not listed in protocol.json: give one of "ana", "ben", "cy"
  with --participant | waiting for ana
drafting | ben review_submitted | - | seq 2: review_submitted is not allowed from phase drafting;
  seq 2: review_submitted is reserved for no participant; got ben | waiting for ana; you may append now: blocked
drafting | ana decision_accepted | blocker | seq 2: decision_accepted is not allowed from phase drafting;
  seq 2: decision_accepted is reserved for no participant; got ana; seq 2: blocking readiness items must be cleared
  before decision_accepted; seq 2: unresolved readiness questions must be classified before decision_accepted; seq 2:
  deferred_nonblocking readiness items require a reason before decision_accepted
  | you may append now: proposal_submitted, blocked
drafting | ana initialized | - | initialized must be seq 1 | you may append now: proposal_submitted, blocked
classified | ben decision_accepted | blocker | readiness.md: once it is settled, line "- [blocking] no quorum" must
  become "- [<resolved|deferred_nonblocking>] no quorum <the answer, or Reason: why it can wait>" (for ana to write);
  readiness.md: line "- [unresolved] it" must become "- [<resolved|deferred_nonblocking|blocking>] it <the answer, or
  Reason: why it can wait>" (for ana to write); readiness.md: line "- [deferred_nonblocking] logo" must become
  "- [deferred_nonblocking] logo Reason: <why it can wait>" (for ana to write) | again
classified | ben decision_accepted | no readiness | readiness.md: is missing; write it (for ana to write) | again
classified | ben decision_accepted | unreadable | readiness.md is not UTF-8 text: save it as UTF-8 (for ana to
  write) | again
ready | ana readiness_passed | unready | readiness.md: line "- [ ] Ready to implement" must become
  "- [x] Ready to implement" | again
passed | ana completed end | open gates | readiness.md: gate is not checked: once it is met, write the line
  "- [x] the gate"; conclusion.md: is missing; write it; doc "conclusion.md" is no file in the collaboration folder:
  write it, or leave --doc out | again readiness_passed, blocked
passed | ana completed end | TBD | conclusion.md: write what is true in place of TBD, TODO, unresolved or \u5f85\u5b9a,
  in 1 lines such as "- [proceed] TBD" | again readiness_passed, blocked
passed | ana completed unnamed | - | seq 11: completed must reference conclusion.md | again readiness_passed, blocked
blocked while reviewing | ana unblocked | not ours | unblocked is an event of Consulta alone, and this folder was not
  made by it: a peer with the original scripts could not append any more; give --allow-extension when there is none,
  or begin a new collaboration with init | again
2 drafting | ana deliverable_drafted unnamed | - | deliverable events require role | again
2 drafting | ana deliverable_drafted proposal | - | doc must reference the primary deliverable | again
2 drafting | ana deliverable_drafted primary | no file | deliverable_drafted doc does not exist: write
  deliverables/adr.md first | again
2 ready | ana deliverable_frozen other | - | deliverable_frozen sha256 does not match current file:
  deliverables/adr.md has ${hash}; give that when the file is final | again
2 ready | ana deliverable_frozen frozen | draft | deliverables/adr.md: its line "Status: Draft" must become
  "Status: Frozen" when all else is written | again
2 ready | ana deliverable_frozen frozen | no status | deliverables/adr.md: needs a line "Status: Frozen" when all else
  is written | again
2 ready | ana deliverable_frozen frozen | lacking | deliverables/adr.md: the section "## Context" is missing; write it |
  again
2 ready | ben deliverable_frozen test | lacking | deliverables/test.md: the section "## Fixtures" is missing; write it |
  waiting for ana; you may append now: blocked
2 final | ana readiness_passed | changed | deliverables/adr.md: is not what was frozen; restore it: seq 11 froze it as
  SHA-256 ${hash} | again
2 passed | ana completed end | no file | deliverables/adr.md: is not what was frozen; restore it: seq 11 froze it as
  SHA-256 ${hash} | again readiness_passed, blocked`);

describe("a refusal", () => {
  const drafting = placeIn(1, "drafting");
  const again = (event: string, events = "blocked") =>
    `; then append ${event} again; you may append now: ${events}`;

  for (const [fields, reason] of badFields) {
    it(`tells of ${JSON.stringify(fields).slice(0, 40)}`, () => {
      const way =
        "event" in fields
          ? "; you may append now: proposal_submitted, blocked"
          : again("proposal_submitted");
      const told = refusal(drafting, ["ana", "proposal_submitted", fields]);
      assert.equal(told, `${reason}${way}; run next-action`);
    });
  }
  for (const [field, reason] of Object.entries(lackingFields)) {
    it(`tells of no ${field}`, () => {
      const told = refusal(drafting, ["ana", "proposal_submitted", { [field]: undefined }]);
      assert(told.startsWith(`${reason}; `), told);
    });
  }

  for (const [place = "", words = "", spoil = "", reason, way = ""] of refusals) {
    const [from = "", event = "", fields = ""] = words.split(" ");
    it(`tells of ${words} in ${place} with ${spoil}`, () => {
      const isSecond = place.startsWith("2 ");
      const state = placeIn(isSecond ? 2 : 1, place.replace("2 ", ""));
      const told = refusal(state, [from, event, fieldsBy[fields] ?? {}], spoiled[spoil]);
      const out = way.startsWith("again") ? again(event, way.slice(6) || "blocked") : `; ${way}`;
      const more = isSecond ? ", or a deliverable event with --role supporting" : "";
      assert.equal(told, `${reason}${out}${more}; run next-action`);
    });
  }

  it("tells of settings at fault before anything else", () => {
    const state = initialState(parseSettings("[]"));
    assert.equal(refusal(state, ["ana", "blocked"]), state.settings.fault);
  });

  it("tells where external deliverables cannot be looked at", () => {
    const { deliverables } = settingsFor(2, names).raw;
    const keys = { deliverables: { ...Object(deliverables), mode: "external" }, repoRoot: ".." };
    const state = given(settingsFor(2, names, keys), ["ana", "initialized"]);
    for (const [repoRoot, reason] of [
      ["../other", '"external:adr.md" is declared at a place where it cannot be'],
      ["", "repoRoot is required for external deliverables: correct it in protocol.json"],
    ]) {
      Object.assign(state.settings.deliverables ?? {}, { repoRoot });
      const told = refusal(state, ["ana", "deliverable_drafted", fieldsBy["external"] ?? {}]);
      assert(told.startsWith(reason ?? "?"), told);
    }
  });
});

describe("a review", () => {
  const sections = ["Context:", "Position:", "Concerns:", "Required Changes:", "Questions:"];
  const review = sections.map((section) => `${section}\n- None.\n`).join("\n");
  const withReview = (words: string, more = {}): Act => {
    return ["ben", "review_submitted", { review: words, ...more }];
  };
  const reviewing = placeIn(1, "reviewing");

  it("goes into review.md under a heading that names its event", () => {
    const text = `## 2026-02-03T04:05:06Z - ben - seq 3\n\n${review.trim()}\n`;
    const { additions } = taken(reviewing, withReview(review));
    assert.deepEqual(additions, [{ as: "section", path: "review.md", text }]);
  });

  it("may be wanted in a file that is not there yet, or left to the participant", () => {
    taken(reviewing, withReview(review, { doc: "review.md" }), { "review.md": undefined });
    assert.equal(taken(reviewing, ["ben", "review_submitted"]).additions, undefined);
  });

  const unfilled = "- <what can go wrong, with the evidence; or None.>";
  const refused: [what: string, words: string, reason: string][] = [
    ...sections.map((section): [string, string, string] => [
      `without ${section}`,
      review.replace(section, "Else:"),
      `the review lacks "${section}": add each section as a line of its own and write below it; `,
    ]),
    [
      "while a line of the form is not filled in",
      review.replace("Concerns:\n- None.", `Concerns:\n${unfilled}`),
      `the review still has the line "${unfilled}": write what is true, or "- None."; `,
    ],
    ...["## x - cy - seq 4\n", "## a - b - seq 3  \r\n", "##\tx - y - seq 1\r"].map(
      (line): [string, string, string] => [
        `when it forges the heading ${JSON.stringify(line)}`,
        `${review}\n${line}`,
        "the review has the line ",
      ],
    ),
  ];
  for (const [what, words, reason] of refused) {
    it(`is refused ${what}`, () => {
      const told = refusal(reviewing, withReview(words));
      assert(told.startsWith(reason), told);
    });
  }

  it("says in schema 2 what of the deliverable it covers", () => {
    const lacks =
      'the review lacks "Reviewed primary deliverable:", "Review Scope:", "Primary deliverable completeness", ' +
      '"deliverables/adr.md": ';
    const state = placeIn(2, "reviewing");
    assert(refusal(state, withReview(review)).startsWith(lacks));
    const scope = `Reviewed primary deliverable: ${primary.doc}\nReview Scope:\n- Primary deliverable completeness\n`;
    taken(state, withReview(scope + review));
  });
});

describe("the files that are looked at", () => {
  const rows = rowsOf(`
drafting | proposal_submitted | text proposal.md
drafting | proposal_submitted proposal.md | file proposal.md, text proposal.md
drafting | proposal_submitted ../x | -
reviewing | review_submitted | -
classified | decision_accepted | text readiness.md
ready | readiness_passed | text readiness.md
passed | completed conclusion.md | file conclusion.md, text readiness.md, text conclusion.md
completed | unblocked | file .consulta.json
2 written | deliverable_drafted ${primary.doc} | text ${primary.doc}
2 ready | deliverable_frozen ${primary.doc} | text ${primary.doc}, sha256 ${primary.doc}
2 final | readiness_passed | text readiness.md, sha256 ${primary.doc}`);
  for (const [place = "", words = "", files] of rows) {
    it(`for ${words} in ${place} are ${files}`, () => {
      const [event = "", doc] = words.split(" ");
      const state = placeIn(place.startsWith("2 ") ? 2 : 1, place.replace("2 ", ""));
      const role = event.startsWith("deliverable_") ? { role: "primary" } : {};
      const hashed = event === "deliverable_frozen" ? { sha256: hash } : {};
      const named = doc === undefined ? {} : { doc };
      const fields = { event, summary: "s", reply_to: 1, ...named, ...role, ...hashed };
      const wanted = filesWanted(state, { for: "decision", participant: "a", fields });
      assert.equal(wanted.map(({ path, as }) => `${as} ${path}`).join(", ") || "-", files);
    });
  }

  it("are never the text of review.md for guidance", () => {
    for (const schema of [1, 2] as const) {
      const purpose = { for: "guidance", participant: "ana" } as const;
      const wanted = filesWanted(placeIn(schema, "reviewing"), purpose);
      const looked = wanted.map(({ path, as }) => `${as} ${path}`);
      const documents = ["proposal", "decisions", "readiness", "conclusion"];
      assert.deepEqual(looked, [
        ...documents.map((name) => `text ${name}.md`),
        ...["file review.md", `file ${marker}`],
        ...(schema === 1 ? [] : [`text ${primary.doc}`, `sha256 ${primary.doc}`]),
      ]);
    }
  });
});
