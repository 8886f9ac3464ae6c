import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defined } from "../../scripts-src/base/omit-undefined.ts";
import { statusText } from "../../scripts-src/brain/brain-status-text.ts";
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

const shown = `brain     started 2 h ago, process 7
kept      1 memory, 2 saved sessions, 0 events waiting; 132 kB on disk
damaged   /p/.consulta/brain/brain.damaged-1.db was moved aside: take out what you need, delete it
loss      2026-11-22T08:00:00Z brain.db was damaged: the backup of 2026-11-21 is in its place, 1 memory; what was stored since is missing
delegate  gemini, at work

Sessions
  claude 6f1c2d0e-9a7b-4c3d-8e1f-0123456789ab, 154,475 tokens, just now
    context  [######################..]  92.5 % of the room until it compacts
    window   [###################.....]  77.2 % of the model's own
    warned   memory_full
  gemini two, 2,097,152 tokens, 60 min ago
    context  [########################] 400.0 % of the room until it compacts
  some CLI three, 3 min ago
    usage unknown

Alerts
  60 s ago        6f1c2d0e...: memory_full at 92.5 %

Put into contexts
  60 s ago        6f1c2d0e...: memory "deploy\\u001b[2J", fits the prompt, score 9.3
  60 s ago        6f1c2d0e...: where 77b0aa12... stood, the session before
  60 s ago        6f1c2d0e...: news number 12

Saved for the next session
  24 h ago        gemini 77b0aa12...: summary, answer
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
      `brain     started 2 h ago, process 7
kept      0 memories, 0 saved sessions, 1 event waiting; 900 bytes on disk
delegate  none, so nothing can be searched or digested

Sessions
  none has told of itself yet; hooks do that: doctor says whether they are set up
`,
    );
  });

  it("stays short however much happened, and says where the rest is", () => {
    const injections = Array.from({ length: 50 }, (_, index) => given("event", `${index}`));
    const lines = statusText({ ...status, injections }, now).split("\n");
    assert.equal(lines.filter((line) => line.includes("news number")).length, 8);
    assert(lines.includes("  and 42 more: --json shows them"));
  });
});
