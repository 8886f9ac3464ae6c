import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { decide } from "../../../scripts-src/collaboration/rules/decide.ts";
import { marker } from "../../../scripts-src/collaboration/rules/files.ts";
import { evolve } from "../../../scripts-src/collaboration/rules/machine.ts";
import { protocolFile } from "../../../scripts-src/collaboration/rules/protocol-file.ts";
import {
  type CollaborationState,
  initialState,
} from "../../../scripts-src/collaboration/rules/state.ts";
import { transitions } from "../../../scripts-src/collaboration/rules/transitions.ts";
import type { FileFact } from "../../../scripts-src/protocol/protocol.ts";
import { deliverableText, hash, primary, settingsFor, supporting } from "../acts.ts";

/** Documents abstracted: all as they must be, or all as they must not. */
const documents: Record<"pass" | "fail", Map<string, FileFact>> = {
  pass: new Map([
    ["readiness.md", text("- [resolved] all\n- [x] Ready to implement\n- [x] the gate\n")],
    ["conclusion.md", text(conclusion())],
    [primary.doc, text(deliverableText("Frozen"))],
    [supporting.doc, text(deliverableText("Frozen"))],
    [marker, text("{}")],
  ]),
  fail: new Map([
    ["readiness.md", text("- [blocking] all\n")],
    ["conclusion.md", text("- [blocked] TBD\n")],
    [primary.doc, text(deliverableText("Draft"))],
    [supporting.doc, text(deliverableText("Draft"))],
  ]),
};

function text(words: string): FileFact {
  return { bytes: words.length, text: words, sha256: hash };
}

function conclusion(): string {
  const sections = [
    ["Decision Outcome", "Rationale", "Accepted Decisions", "Implementation Approach"],
    ["Assumptions", "Deferred Follow-ups", "Implementation Blockers", "Next Action"],
    ["Deliverable Receipt", "Accepted Decisions Summary", "Readiness Result"],
  ];
  return `${sections
    .flat()
    .map((it) => `## ${it}\n${primary.doc}\n`)
    .join("")}- [proceed] now\n`;
}

interface Place {
  readonly state: CollaborationState;
  readonly next: Way[];
}

interface Way {
  readonly key: string;
  readonly event: string;
  readonly by: string;
}

interface Walk {
  readonly places: Map<string, Place>;
  decisions: number;
  refusals: number;
}

/** All places that any sequence of accepted events leads to, with the ways between them. */
function walk(schema: 1 | 2, names: readonly string[]): Walk {
  const start = initialState(settingsFor(schema, names));
  const found: Walk = { places: new Map(), decisions: 0, refusals: 0 };
  const open: Place[] = [{ state: start, next: [] }];
  found.places.set(keyOf(start), open[0] as Place);
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const after of successors(found, place.state, names)) {
      const key = keyOf(after.state);
      place.next.push({ key, event: after.event, by: after.by });
      if (found.places.has(key)) continue;
      const fresh = { state: after.state, next: [] };
      found.places.set(key, fresh);
      open.push(fresh);
    }
  }
  return found;
}

/** What each participant can bring about, with good documents and with bad ones. */
function* successors(found: Walk, state: CollaborationState, names: readonly string[]) {
  for (const participant of names) {
    for (const fields of submissions()) {
      for (const files of looksAtDocuments(fields) ? both : [documents.pass]) {
        const reply = state.seq === 0 ? {} : { reply_to: 1 };
        const all = { ...fields, ...reply };
        const at = "2026-01-01T00:00:00Z";
        const by = { participant, origin: "script" as const, at, id: "" };
        const decision = decide(state, { ...by, fields: all, files });
        found.decisions += 1;
        if (!decision.ok || !("event" in decision)) {
          found.refusals += 1;
          continue;
        }
        const after = evolve(state, decision.event);
        assert.equal(after.faultsCount, 0, "what is accepted is folded");
        yield { state: after, event: decision.event.event, by: participant };
      }
    }
  }
}

const both = [documents.pass, documents.fail];

/** The rest is decided the same whatever the documents hold: decide.test.ts shows what is read. */
function looksAtDocuments({ event }: JsonObject): boolean {
  const looking = ["decision_accepted", "readiness_passed", "completed", "blocked", "unblocked"];
  return event === "deliverable_frozen" || looking.some((name) => name === event);
}

function submissions(): JsonObject[] {
  const summary = "done";
  return transitions.map(({ event, role }) => {
    if (role === undefined) {
      return event === "completed" ? { event, summary, doc: "conclusion.md" } : { event, summary };
    }
    const { doc } = role === "primary" ? primary : supporting;
    const freeze = event === "deliverable_frozen" ? { sha256: hash } : {};
    return { event, summary, role, doc, ...freeze };
  });
}

/** A place without what only says when and in which words it was reached. */
function keyOf(state: CollaborationState): string {
  const {
    seq,
    lastAt,
    startedAt,
    last,
    proposalSeq,
    settings,
    frozen,
    blocked,
    accepted,
    ...rest
  } = state;
  return JSON.stringify({
    ...rest,
    begun: seq > 0,
    frozen: frozen !== null,
    accepted: [...accepted].sort(),
    staleAcceptances: [...rest.staleAcceptances].sort(),
    supportingFrozen: rest.supportingFrozen.length,
    blocked: blocked && [blocked.phase, blocked.waitingFor],
  });
}

/** The places from which `completed` can be reached by events that `counts` lets through. */
function completing(places: Walk["places"], counts: (event: string) => boolean): Set<string> {
  const before = new Map<string, string[]>();
  for (const [key, { next }] of places) {
    for (const step of next.filter(({ event }) => counts(event))) {
      before.set(step.key, [...(before.get(step.key) ?? []), key]);
    }
  }
  const ends = [...places].filter(([, { state }]) => state.phase === "completed");
  const open = ends.map(([key]) => key);
  const reached = new Set(open);
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const earlier of before.get(key) ?? []) {
      if (reached.has(earlier)) continue;
      reached.add(earlier);
      open.push(earlier);
    }
  }
  return reached;
}

for (const schema of [1, 2] as const) {
  for (const names of [
    ["ana", "ben"],
    ["ana", "ben", "cy"],
  ]) {
    describe(`every state of schema ${schema} with ${names.length} participants`, () => {
      const found = walk(schema, names);
      const places = [...found.places.entries()].filter(([, { state }]) => state.seq > 0);
      // A log that begins with `blocked` has no owner who could begin anew.
      const owned = places.filter(([, { state }]) => state.owner !== "");

      it("waits for somebody who can act, or has ended", (t) => {
        const phases = new Map<string, number>();
        for (const [, { state, next }] of owned) {
          phases.set(state.phase, (phases.get(state.phase) ?? 0) + 1);
          const hasEnded = state.phase === "completed" || state.phase === "blocked";
          assert.equal(state.waitingFor.length === 0, hasEnded, keyOf(state));
          if (!hasEnded)
            assert(
              next.some(({ event }) => event !== "blocked"),
              keyOf(state),
            );
        }
        const counts = [...phases].map(([phase, count]) => `${phase} ${count}`).join(", ");
        t.diagnostic(
          `${found.places.size} states (${counts}), ` +
            `${places.reduce((sum, [, { next }]) => sum + next.length, 0)} ways, ` +
            `${found.decisions} decisions, ${found.refusals} refused`,
        );
      });

      it("gives every participant who is waited for an event that moves it on", () => {
        for (const [key, { state, next }] of owned) {
          for (const name of state.waitingFor) {
            const moves = next.filter(({ by, event }) => by === name && event !== "blocked");
            assert(
              moves.some((way) => way.key !== key),
              key,
            );
          }
        }
      });

      it("leads to completed, but for blocked without its owner", (t) => {
        const withOwner = completing(found.places, () => true);
        const without = completing(found.places, (event) => event !== "unblocked");
        const stuck = owned.filter(([key]) => !withOwner.has(key));
        assert.deepEqual(
          stuck.map(([key]) => key),
          [],
        );
        const lost = owned.filter(([key]) => !without.has(key));
        assert(lost.length > 0);
        for (const [key, { state }] of lost) assert.equal(state.phase, "blocked", key);
        t.diagnostic(`${lost.length} states need the owner's unblocked`);
      });

      it("has a protocol.json that says the same", () => {
        for (const [, { state }] of owned) {
          const { currentPhase, waitingFor, proposalOwner } = JSON.parse(protocolFile(state));
          const { phase, owner } = state;
          assert.deepEqual(
            [currentPhase, waitingFor, proposalOwner],
            [phase, state.waitingFor, owner],
          );
        }
      });
    });
  }
}
