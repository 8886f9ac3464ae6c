import { conclusion, readiness, review } from "./documents.ts";
import type { Step } from "./scene.ts";

/** A story of commands, each of which may be cut by a power failure. */
export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Commands that must work after a cut, whatever was under way, once it was said again. */
  readonly looks: readonly Step[];
  /** Where the log lies. */
  readonly log: string;
}

const talk = ["--session", "talk"];

function say(by: string, type: string, content: string, more: object = {}): Step {
  const draft = { type, question_or_proposal: { content }, confidence: 0.9, ...more };
  return {
    script: "append-event",
    words: [...talk, "--participant", by, "--message", "-"],
    input: JSON.stringify(draft),
  };
}

function next(by: string): Step {
  return { script: "next-action", words: [...talk, "--participant", by] };
}

/** Longer than a page of a disk, so that half of it is torn in the middle. */
const long = "Files are what everybody can read without a server. ".repeat(100);

export const dialogue: Story = {
  name: "a dialogue",
  log: ".consulta/sessions/talk/events.jsonl",
  steps: [
    {
      script: "init",
      words: [
        ...[...talk, "--topic", "Files or SQLite?"],
        ...["--participant", "claude", "--participant", "gemini"],
      ],
      again: [0, 3],
    },
    say("claude", "REQUEST", "Files or SQLite?"),
    next("gemini"),
    say("gemini", "RESPONSE", long, { position: "Files." }),
    next("claude"),
    // Reading one's turn is an event too: the messages are 2, 4, 6 and 8.
    say("claude", "AGREE", "Files, one line an event.", { accepts: 4 }),
    next("gemini"),
    say("gemini", "AGREE", "Yes.", { accepts: 6, agreements_so_far: ["One line an event"] }),
    { script: "report", words: talk },
  ],
  looks: [
    next("claude"),
    next("gemini"),
    // Without its name: the session is known as its user's own.
    { script: "next-action", words: ["--participant", "claude"] },
    { script: "validate", words: talk },
  ],
};

const folder = ["--folder", "shared"];

function act(by: string, event: string, more: readonly string[], rest: Partial<Step> = {}): Step {
  const words = [...folder, "--participant", by, "--event", event, "--summary", "Done.", ...more];
  // Said once more, an event is refused where the first time was stored.
  return { script: "append-event", words, again: [0, 2], ...rest };
}

/** The protocol lets a participant say it as often as it likes: the same once more is no mistake. */
const repeatable: Partial<Step> = { again: [0], isRepeatable: true };

const opening = [
  ...["--objective", "Agree on the sync API", "--completion", "Codes are listed"],
  ...["--participant", "a", "--participant", "b"],
];

export const collaboration: Story = {
  name: "a collaboration",
  log: "shared/events.jsonl",
  steps: [
    { script: "init", words: [...folder, ...opening], again: [0, 2], orElse: ["--resume"] },
    { script: "next-action", words: [...folder, "--participant", "a"] },
    act("a", "proposal_submitted", ["--doc", "proposal.md", "--reply-to", "1"], {
      writes: () => ({ "shared/proposal.md": `# Proposal\n\n${long}\n` }),
    }),
    { script: "next-action", words: [...folder, "--participant", "b"] },
    act("b", "review_submitted", ["--reply-to", "2", "--review", "-"], {
      input: review,
    }),
    act("a", "proposal_revised", ["--doc", "proposal.md", "--reply-to", "3"], {
      writes: () => ({ "shared/proposal.md": `# Proposal, revised\n\n${long}\n` }),
    }),
    act("a", "question_classified", ["--doc", "readiness.md", "--reply-to", "4"], {
      ...repeatable,
      writes: () => ({
        "shared/readiness.md": readiness,
        "shared/decisions.md": "# Decisions\n\n- Use the table.\n",
        "shared/conclusion.md": conclusion,
      }),
    }),
    act("a", "decision_accepted", ["--reply-to", "5"]),
    act("b", "decision_accepted", ["--reply-to", "6"]),
    act("a", "readiness_passed", ["--reply-to", "7"], repeatable),
    act("a", "completed", ["--doc", "conclusion.md", "--reply-to", "8"]),
  ],
  looks: [
    { script: "next-action", words: [...folder, "--participant", "a"] },
    { script: "next-action", words: [...folder, "--participant", "b"] },
    { script: "validate", words: folder },
  ],
};

function report(title: string): string {
  return [
    `# ${title}`,
    "## Working Directories\n- .",
    "## Files Modified\n- none",
    "## Files Investigated (not modified)\n- none",
    `## Summary\n${long}`,
    "",
  ].join("\n\n");
}

export const board: Story = {
  name: "a board",
  log: "board/events.jsonl",
  steps: [
    { script: "init", words: ["board", "2"], again: [0, 3] },
    { script: "register", words: ["board", "ana"], again: [0, 1] },
    { script: "register", words: ["board", "ben"], again: [0, 1] },
    {
      script: "post",
      words: ["board", "ana", "stale-cache", "--file", "-"],
      input: report("A cause"),
    },
    {
      script: "ready",
      words: ["board", "ben"],
      writes: () => ({ "board/findings/ben/001-by-hand.md": report("Another cause") }),
    },
    { script: "ready", words: ["board", "ana"] },
    { script: "read-all", words: ["board", "ana"] },
  ],
  looks: [
    { script: "read-all", words: ["board", "ana"], again: [0, 1] },
    { script: "validate", words: ["--folder", "board"] },
  ],
};
