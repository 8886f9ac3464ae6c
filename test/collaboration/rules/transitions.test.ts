import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { transitions } from "../../../scripts-src/collaboration/rules/transitions.ts";
import { rowsOf } from "../../rows.ts";
import {
  type Act,
  eventAt,
  faults,
  folded,
  frozen,
  given,
  hash,
  placesOf,
  primary,
  settingsFor,
  stepped,
  supporting,
} from "../acts.ts";

const names = ["ana", "ben", "cy"];
const everyone = ["ana", "ben", "cy", "zoe"];
const end = { doc: "conclusion.md" };

/**
 * All that is accepted: the schema where only one has it, places, who does what, where it leads and who is waited for
 * then. In schema 1 nothing has to be drafted or frozen before.
 */
const table = rowsOf(`
- | new | ana initialized | drafting: ana
- | new | ben initialized | drafting: ben
- | new | cy initialized | drafting: cy
1 | drafting | ana proposal_submitted | reviewing: ben,cy
- | written/revising | ana proposal_submitted | reviewing: ben,cy
- | reviewing | ben review_submitted | reviewing: cy
- | reviewing | cy review_submitted | reviewing: ben
- | reviewing, ben done | cy review_submitted | revising: ana
- | revising | ana proposal_revised | decision_review: ana
- | revising/revised/classified/accepted by ana/proposed anew | ana decision_proposed | decision_review: ana
- | revised/classified/accepted by ana/proposed anew | ana question_classified | decision_review: ana,ben,cy
- | classified | ana decision_accepted | decision_review: ben,cy
- | classified | ben decision_accepted | decision_review: ana,cy
- | classified | cy decision_accepted | decision_review: ana,ben
- | accepted by ana | ben decision_accepted | decision_review: cy
- | accepted by ana | cy decision_accepted | decision_review: ben
2 | drafting/written | ana deliverable_drafted primary | drafting: ana
2 | revising | ana deliverable_drafted primary | revising: ana
2 | revising | ana deliverable_revised primary | revising: ana
2 | revised/proposed anew | ana deliverable_drafted primary | decision_review: ana
2 | revised/proposed anew | ana deliverable_revised primary | decision_review: ana
2 | classified | ana deliverable_drafted primary | decision_review: ana,ben,cy
2 | classified | ana deliverable_revised primary | decision_review: ana,ben,cy
2 | accepted by ana | ana deliverable_drafted primary | decision_review: ben,cy
2 | accepted by ana | ana deliverable_revised primary | decision_review: ben,cy
1 | ready | ana readiness_passed | readiness_check: ana
2 | ready | ana deliverable_frozen frozen | readiness_check: ana
- | final/passed | ana readiness_passed | readiness_check: ana
- | passed | ana completed end | completed: nobody
- | blocked while reviewing | ana unblocked | reviewing: cy
- | blocked after the end | ana unblocked | completed: nobody`).flatMap(
  ([only = "", placed = "", words = "", leads = ""]) =>
    placed.split("/").map((place) => ({ only, place, words, leads })),
);

const fieldsBy: Record<string, JsonObject> = { end, primary, frozen };

/** An act as the tables write it. */
function actOf(words: string): Act {
  const [from = "", event = "", named] = words.split(" ");
  return named === undefined ? [from, event] : [from, event, fieldsBy[named] ?? JSON.parse(named)];
}

const revised: Act = ["ana", "deliverable_revised", primary];

for (const schema of [1, 2] as const) {
  const settings = settingsFor(schema, names);
  const places = placesOf(schema);
  const rows = table.filter(({ only }) => only === "-" || only === String(schema));

  describe(`schema ${schema}`, () => {
    for (const { place, words, leads } of rows) {
      it(`${place}: ${words} leads to ${leads}`, () => {
        const next = stepped(given(settings, ...(places[place] ?? [])), actOf(words));
        assert(typeof next !== "string", String(next));
        assert.equal(`${next.phase}: ${next.waitingFor.join() || "nobody"}`, leads);
      });
    }

    it("refuses everything else, in every place, by everybody", () => {
      const accepted = new Set(
        rows.map(({ place, words }) => JSON.stringify([place, ...actOf(words)])),
      );
      const events = [...new Set(transitions.map(({ event }) => event))].filter(
        (event) => event !== "blocked",
      );
      let refused = 0;
      for (const [place, acts] of Object.entries(places)) {
        const state = given(settings, ...acts);
        for (const event of [...events, "invented"]) {
          for (const from of everyone) {
            for (const act of variants(from, event)) {
              if (accepted.has(JSON.stringify([place, ...act]))) continue;
              assert.equal(typeof stepped(state, act), "string", `${place}: ${act}`);
              refused += 1;
            }
          }
        }
      }
      assert(refused > 700);
    });

    it("takes blocked anywhere from everybody who is listed, and from nobody else", () => {
      for (const [place, acts] of Object.entries(places)) {
        const state = given(settings, ...acts);
        for (const name of names) {
          const next = stepped(state, [name, "blocked"]);
          assert(typeof next !== "string", place);
          assert.deepEqual([next.phase, next.waitingFor], ["blocked", []]);
        }
        const refusal = ["blocked participant is not listed in protocol.json"];
        assert.deepEqual(faults(state, ["zoe", "blocked"]), refusal);
      }
    });
  });
}

function variants(from: string, event: string): Act[] {
  if (event === "completed")
    return [
      [from, event, end],
      [from, event],
      [from, event, { doc: "x" }],
    ];
  if (event === "deliverable_frozen") return [[from, event, frozen]];
  if (event.startsWith("deliverable_")) return [[from, event, primary]];
  return [[from, event]];
}

describe("supporting deliverables", () => {
  const settings = settingsFor(2, names);
  it("move in every phase, by everybody who is listed, and change neither phase nor turn", () => {
    for (const acts of Object.values(placesOf(2))) {
      const state = given(settings, ...acts);
      for (const event of ["deliverable_drafted", "deliverable_revised", "deliverable_frozen"]) {
        const next = stepped(state, ["cy", event, { ...supporting, sha256: hash }]);
        assert(typeof next !== "string");
        assert.deepEqual([next.phase, next.waitingFor], [state.phase, state.waitingFor]);
        assert.equal(
          typeof stepped(state, ["zoe", event, { ...supporting, sha256: hash }]),
          "string",
        );
      }
    }
  });

  it("are remembered once each when they are frozen", () => {
    const act: Act = ["ben", "deliverable_frozen", { ...supporting, sha256: hash }];
    const state = given(settings, ["ana", "initialized"], act, act);
    assert.deepEqual(state.supportingFrozen, [{ seq: 3, path: supporting.doc, sha256: hash }]);
  });
});

/** The contract's words: the schema where only one has them, place, who does what with which fields, faults. */
const texts = rowsOf(`
- | drafting | ana initialized | initialized must be seq 1
- | new | zoe initialized | initialized participant is not listed in protocol.json
- | new | ana invented | unknown event "invented"
- | new | ana it's | unknown event "it's"
- | new | ana proposal_revised | proposal_revised is not allowed from phase None
- | written | ben proposal_submitted | proposal_submitted is reserved for ana; got ben
- | reviewing | ben proposal_submitted | proposal_submitted is not allowed from phase reviewing;
  proposal_submitted is reserved for ana; got ben
- | reviewing | ana review_submitted | review_submitted is reserved for ben, cy; got ana
- | reviewing, ben done | ben review_submitted | review_submitted is reserved for cy; got ben
- | drafting | ben review_submitted | review_submitted is not allowed from phase drafting;
  review_submitted is reserved for no participant; got ben
- | revising | cy proposal_revised | proposal_revised is reserved for ana; got cy
- | revising | cy decision_proposed | decision_proposed is reserved for ana; got cy
- | revised | cy question_classified | question_classified is reserved for ana; got cy
- | revising | ana question_classified | question_classified is not allowed from phase revising
- | revised | ana decision_accepted | decision_accepted requires question_classified after the
  latest proposal or decision; decision_accepted is reserved for no participant; got ana
- | accepted by ana | ana decision_accepted | decision_accepted is reserved for ben, cy; got ana
- | classified | zoe decision_accepted | decision_accepted is reserved for ana, ben, cy; got zoe
- | final | cy readiness_passed | readiness_passed is reserved for ana; got cy
1 | drafting | ana readiness_passed | readiness_passed is not allowed from phase drafting
2 | drafting | ana readiness_passed | readiness_passed is not allowed from phase drafting;
  readiness_passed requires primary deliverable_frozen
- | final | ana completed end | completed requires a prior readiness_passed event
- | completed | ana completed end | completed requires a prior readiness_passed event
- | final | cy completed | completed requires a prior readiness_passed event; completed must
  reference conclusion.md; completed is reserved for ana; got cy
- | passed | ana completed | completed must reference conclusion.md
- | passed | ana completed {"doc":"./conclusion.md"} | completed must reference conclusion.md
- | passed | cy completed end | completed is reserved for ana; got cy
- | completed | ana proposal_submitted | proposal_submitted is not allowed from phase completed
1 | drafting | ana deliverable_drafted primary | unknown event "deliverable_drafted"
2 | drafting | ben proposal_submitted | proposal_submitted requires prior primary
  deliverable_drafted; proposal_submitted is reserved for ana; got ben
2 | ready | ana readiness_passed | readiness_passed requires primary deliverable_frozen
2 | drafting | ana deliverable_revised primary | deliverable_revised is not allowed from phase
  drafting
2 | drafting | ben deliverable_drafted primary | deliverable_drafted is reserved for ana; got ben
2 | revising | ben deliverable_revised primary | deliverable_revised is reserved for ana; got ben
2 | ready | ben deliverable_frozen frozen | deliverable_frozen is reserved for ana; got ben
2 | final | ana deliverable_revised primary | deliverable_revised is not allowed after
  deliverable_frozen; deliverable_revised is not allowed from phase readiness_check
2 | final | ana deliverable_frozen frozen | primary deliverable can be frozen only once
2 | drafting | ana deliverable_drafted | deliverable events require role
2 | drafting | ana deliverable_drafted {"role":"both","doc":"deliverables/adr.md"} | deliverable
  events require role
2 | drafting | ana deliverable_drafted {"role":"primary"} | deliverable events require doc
2 | drafting | ana deliverable_drafted {"role":"primary","doc":"./deliverables/adr.md"} | doc must
  reference the primary deliverable
2 | drafting | ana deliverable_drafted {"role":"supporting","doc":"deliverables/adr.md"} | doc must
  reference a declared supporting deliverable
2 | ready | ana deliverable_frozen primary | deliverable_frozen requires sha256
2 | ready | ana deliverable_frozen {"role":"primary","doc":"deliverables/adr.md","sha256":"ABC"} |
  deliverable_frozen requires sha256
- | revised | ana unblocked | unblocked is not allowed from phase decision_review
- | blocked while reviewing | ben unblocked | unblocked is reserved for ana; got ben`);

describe("the words of a refusal", () => {
  for (const [only = "", place = "", words = "", expected] of texts) {
    for (const schema of [1, 2] as const) {
      if (only !== "-" && only !== String(schema)) continue;
      it(`schema ${schema}, ${place}: ${words}: ${expected}`, () => {
        const state = given(settingsFor(schema, names), ...(placesOf(schema)[place] ?? []));
        assert.equal(faults(state, actOf(words)).join("; "), expected);
        assert.equal(stepped(state, actOf(words)), expected);
      });
    }
  }

  it("name the reviewer that a collaboration of one lacks", () => {
    const alone = given(settingsFor(1, ["ana"]), ["ana", "initialized"]);
    assert.deepEqual(faults(alone, ["ana", "proposal_submitted"]), [
      "proposal_submitted requires at least one reviewer",
    ]);
  });
});

describe("what the state remembers", () => {
  const settings = settingsFor(2, names);
  const at = (place: string) => placesOf(2)[place] ?? [];

  it("the acceptances until the decision is put again", () => {
    assert.deepEqual(given(settings, ...at("accepted by ana")).accepted, ["ana"]);
    assert.deepEqual(given(settings, ...at("proposed anew")).accepted, []);
    const again = given(settings, ...at("accepted by ana"), ["ana", "question_classified"]);
    assert.deepEqual(again.accepted, []);
  });

  it("who accepted before the deliverable was revised", () => {
    const stale = given(settings, ...at("accepted by ana"), revised, ["ben", "decision_accepted"]);
    assert.deepEqual([stale.staleAcceptances, stale.accepted], [["ana"], ["ana", "ben"]]);
    const anew = given(settings, ...at("accepted by ana"), revised, ["ana", "decision_proposed"]);
    assert.deepEqual(anew.staleAcceptances, []);
  });

  it("what was frozen, and where", () => {
    const { frozen: kept, seq } = given(settings, ...at("final"));
    assert.deepEqual(kept, { seq, path: primary.doc, sha256: hash });
  });

  it("where a block came from, also when it is blocked twice", () => {
    const state = given(settings, ...at("blocked while reviewing"), ["cy", "blocked"]);
    assert.deepEqual(state.blocked, {
      phase: "reviewing",
      waitingFor: ["cy"],
      by: "cy",
      seq: state.seq,
      reason: "blocked by cy",
    });
    const back = stepped(state, ["ana", "unblocked"]);
    assert(typeof back !== "string");
    assert.deepEqual([back.phase, back.waitingFor, back.blocked], ["reviewing", ["cy"], null]);
  });

  it("nothing to go back to in a log that begins with blocked", () => {
    const state = given(settings, ["ana", "blocked"], ["ben", "blocked"]);
    assert.equal(state.blocked, null);
    assert.deepEqual(faults(state, ["ana", "unblocked"]), [
      "unblocked has no phase to go back to: nothing was initialized before blocked",
    ]);
  });

  it("which event the next move answers", () => {
    const answered = (place: string) => given(settings, ...at(place)).proposalSeq;
    assert.deepEqual(
      ["reviewing", "reviewing, ben done", "revising", "accepted by ana", "ready"].map(answered),
      [3, 3, 5, 7, 10],
    );
    assert.equal(answered("blocked while reviewing"), 3);
  });

  it("names sorted by code point, not by UTF-16 unit", () => {
    const odd = settingsFor(1, ["o", "\u{1f600}", "\uffff", "ba", "b", "B"]);
    const state = given(odd, ["o", "initialized"], ["o", "proposal_submitted"]);
    assert.deepEqual(state.waitingFor, ["B", "b", "ba", "\uffff", "\u{1f600}"]);
  });
});

describe("an event that breaks a rule", () => {
  const settings = settingsFor(1, names);
  const bad: Act = ["ben", "completed"];

  it("changes nothing but the places of the log, and is remembered", () => {
    const before = given(settings, ["ana", "initialized"]);
    const after = folded(settings, ["ana", "initialized"], bad);
    const { seq, lastAt, last, faults: remembered, faultsCount, ...rest } = after;
    assert.deepEqual({ ...before, ...rest }, before);
    assert.deepEqual(
      [seq, lastAt, last?.event, faultsCount],
      [2, "2026-01-01T00:00:02Z", "completed", 1],
    );
    assert.deepEqual(remembered, [{ seq: 2, reason: faults(before, bad).join("; ") }]);
  });

  it("does not keep the others from going on", () => {
    const state = folded(settings, ["ana", "initialized"], bad, ["ana", "proposal_submitted"]);
    assert.equal(state.phase, "reviewing");
  });

  it("is counted for ever and remembered only so often", () => {
    const state = folded(settings, ["ana", "initialized"], ...Array<Act>(300).fill(bad));
    assert.deepEqual([state.faults.length, state.faultsCount], [128, 300]);
  });

  it("keeps the latest valid time", () => {
    const state = folded(settings, ["ana", "initialized"], ["ben", "blocked", { at: "yesterday" }]);
    assert.deepEqual([state.lastAt, state.seq], [eventAt(1, ["ana", "initialized"]).at, 2]);
  });
});
