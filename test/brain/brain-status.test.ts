import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defined } from "../../scripts-src/base/omit-undefined.ts";
import { statusText } from "../../scripts-src/brain/brain-status.ts";
import type { ResultOf } from "../../scripts-src/brain/rules/methods.ts";

const now = Date.parse("2026-11-22T09:05:00Z");
const claude = "6f1c2d0e-9a7b-4c3d-8e1f-0123456789ab";
const gemini = "77b0aa12-0000-4c3d-8e1f-0123456789ab";

type Given = ResultOf<"brain.status">["injections"][number];
const calm = { memory_full: false, hallucination_risk: false };

const status: ResultOf<"brain.status"> = {
  started: "2026-11-22T07:00:00Z",
  pid: 7,
  connections: 1,
  store: {
    memories: 1,
    snapshots: 2,
    eventsPending: 0,
    injections: 5,
    bytes: 131_656,
    setAside: ["/p/.consulta/brain/brain.damaged-1.db"],
    loss: "2026-11-22T08:00:00Z brain.db was damaged: the backup of 2026-11-21 is in its place, 1 memory; what was stored since is missing",
  },
  sessions: [
    {
      session: claude,
      cli: "claude",
      updated: "2026-11-22T09:04:30Z",
      current: 154_475,
      token_percentage: 92.5,
      raw_percentage: 77.2,
      alerts: { memory_full: true, hallucination_risk: false },
    },
    {
      session: "two",
      cli: "gemini",
      updated: "2026-11-22T08:05:00Z",
      current: 2_097_152,
      token_percentage: 400,
      alerts: calm,
    },
    { session: "three", updated: "2026-11-22T09:02:00Z", alerts: calm },
  ],
  snapshots: [
    { session: gemini, cli: "gemini\n", at: "2026-11-21T09:00:00Z", holds: ["summary", "answer"] },
  ],
  injections: [
    given("own", "mine"),
    given("alert", "memory_full", 92.5),
    given("relevant", "deploy\u001b[2J", 9.25),
    given("restore", gemini),
    given("event", "12"),
  ],
  delegate: { configured: true, provider: "gemini", busy: true },
};

function given(reason: Given["reason"], subject: string, score?: number): Given {
  const rest = { version: 0, characters: 9, epoch: 0, at: "2026-11-22T09:04:00Z" };
  return { session: claude, reason, subject, ...rest, ...defined({ score }) };
}

const shown = `Memories        1
Saved sessions  2
Events waiting  0
On disk         132 kB
Moved aside     /p/.consulta/brain/brain.damaged-1.db is damaged and was moved aside: take out what you need, delete it
Loss            2026-11-22T08:00:00Z brain.db was damaged: the backup of 2026-11-21 is in its place, 1 memory; what was stored since is missing
Delegate        gemini, at work
Clients         1
Process         7, since 2026-11-22 07:00 UTC

Sessions
  just now        claude 6f1c2d0e-9a7b-4c3d-8e1f-0123456789ab warned; 93 % of its context, 77 % of the model's window, 154,475 tokens
  60 min ago      gemini two; 400 % of its context, 2,097,152 tokens
  3 min ago       some CLI three; usage unknown

Alerts
  60 s ago        told that its context is nearly full; at 92.5 %; session 6f1c2d0e-9a7

Put before sessions
  60 s ago        memory "deploy\\u001b[2J", which fits the prompt; score 9.3; session 6f1c2d0e-9a7
  60 s ago        where 77b0aa12-000 stood, the session before; session 6f1c2d0e-9a7
  60 s ago        event 12; session 6f1c2d0e-9a7

Saved for the next session
  24 h ago        gemini 77b0aa12-000; summary, answer
`;

describe("brain status", () => {
  it("shows sessions with usage, alerts, what was put where and why, what is saved", () => {
    assert.equal(statusText(status, now), shown);
  });

  it("says what is missing where nothing is, and leaves empty lists out", () => {
    const empty = { ...status, sessions: [], snapshots: [], injections: [] };
    const counts = { memories: 0, snapshots: 0, eventsPending: 1, injections: 0 };
    const store = { ...counts, bytes: 900, setAside: [] };
    const text = statusText({ ...empty, store, delegate: { configured: false } }, now);
    assert.equal(
      text,
      `Memories        0
Saved sessions  0
Events waiting  1
On disk         1 kB
Delegate        none, so nothing can be searched or digested
Clients         1
Process         7, since 2026-11-22 07:00 UTC

Sessions
  none has told of itself yet; hooks do that: doctor says whether they are set up
`,
    );
  });

  it("stays short however much happened, and says where the rest is", () => {
    const injections = Array.from({ length: 50 }, (_, index) => given("event", `${index}`));
    const lines = statusText({ ...status, injections }, now).split("\n");
    assert.equal(lines.filter((line) => line.includes(" event ")).length, 8);
    assert(lines.includes("  and 42 more: --json shows them"));
  });
});
