import { type DishonestCase, type HonestCase, rejected, run, runWith, type Step } from "../case.ts";

const group = { class: "formal gates in collaborations", kind: "collaboration" } as const;

/** The collaboration's folder is `case`; server owns the proposal, reader and tests review it. */
const participants = ["server", "reader", "tests"] as const;

const proposal = `# Proposal

## Change

Lower attemptsMax to 3, see src/retry.js:2, and adapt the test that pins it.

## Why

Five attempts hold a user for up to 3 seconds.
`;

interface Review {
  readonly context?: string;
  readonly concerns?: string;
  readonly changes?: string;
  readonly questions?: string;
}

function review({ context = "", concerns, changes, questions }: Review): string {
  return `Context:
- Read proposal.md and ${context}.

Position:
- accept

Concerns:
- ${concerns ?? "None."}

Required Changes:
- ${changes ?? "None."}

Questions:
- ${questions ?? "None."}
`;
}

const read = review({ context: "src/retry.js:2 and src/retry.js:11-12" });
const readToo = review({
  context: "test/retry.test.js:6",
  concerns: "test/retry.test.js:6 pins the number and has to change.",
});

function event(by: string, name: string, ...words: string[]): Step {
  return run(
    "append-event",
    ...["--folder", "case", "--participant", by, "--event", name, "--summary", "Done."],
    ...["--reply-to", "{last}", ...words],
  );
}

function reviewed(by: string, text: string): Step {
  const words = ["--folder", "case", "--participant", by, "--event", "review_submitted"];
  const rest = ["--summary", "Reviewed.", "--reply-to", "{last}", "--review", "-"];
  return runWith(text, "append-event", ...words, ...rest);
}

function wrote(name: string, text: string): Step {
  return { act: "write", path: `case/${name}`, text };
}

function opened(...words: string[]): Step {
  return run(
    "init",
    ...["--folder", "case", "--objective", "Lower attemptsMax to 3"],
    ...participants.flatMap((name) => ["--participant", name]),
    ...["--completion", "The test of retry passes"],
    ...words,
  );
}

function readiness(...items: string[]): string {
  const lines = [
    "- [resolved] How many attempts? Three.",
    ...items,
    "- [x] The test of retry passes",
    "- [x] Ready to implement",
  ];
  return `# Readiness\n\n${lines.join("\n")}\n`;
}

const conclusion = `# Conclusion

## Decision Outcome

- [proceed] attemptsMax becomes 3.

${[
  ["Rationale", "A user waits at most one second, see src/retry.js:7."],
  ["Accepted Decisions", "attemptsMax becomes 3."],
  ["Implementation Approach", "Change src/retry.js:2 and test/retry.test.js:6."],
  ["Assumptions", "None."],
  ["Deferred Follow-ups", "None."],
  ["Implementation Blockers", "None."],
  ["Next Action", "server changes both files."],
]
  .map(([heading, text]) => `## ${heading}\n\n${text}\n`)
  .join("\n")}`;

interface Story {
  readonly init?: readonly string[];
  readonly proposal?: string;
  readonly reviews?: readonly [string, string];
  readonly readiness?: string;
  readonly mayReject?: RegExp;
}

/** A whole collaboration, honest unless told otherwise. */
function played(story: Story): Step[] {
  const [first, second] = story.reviews ?? [read, readToo];
  const steps = [
    wrote("proposal.md", story.proposal ?? proposal),
    event("server", "proposal_submitted", "--doc", "proposal.md"),
    { ...reviewed("reader", first), name: "review" },
    reviewed("tests", second),
    event("server", "proposal_revised", "--doc", "proposal.md"),
    wrote("decisions.md", "# Decisions\n\n- attemptsMax becomes 3, see src/retry.js:2.\n"),
    wrote("readiness.md", story.readiness ?? readiness()),
    wrote("conclusion.md", conclusion),
    event("server", "question_classified", "--doc", "readiness.md"),
    ...participants.map((name) => event(name, "decision_accepted")),
    event("server", "readiness_passed"),
    event("server", "completed", "--doc", "conclusion.md"),
  ];
  const { mayReject } = story;
  return [
    opened(...(story.init ?? [])),
    ...(mayReject === undefined ? steps : steps.map((step) => rejectable(step, mayReject))),
  ];
}

function rejectable(step: Step, reason: RegExp): Step {
  return step.act === "script" ? rejected(step, reason) : step;
}

const bare = review({ context: "it" });

export const collaborations: readonly DishonestCase[] = [
  {
    ...group,
    name: "a gate is ticked and nobody ran anything",
    steps: played({}),
    fate: ["marked"],
    mark: /ticked by server, not run/i,
  },
  {
    ...group,
    name: "two reviews with the same words",
    steps: played({ reviews: [read, read] }),
    fate: ["marked"],
    mark: /identical|word for word/i,
  },
  {
    ...group,
    name: "reviews that cite nothing",
    steps: played({ reviews: [bare, review({ context: "all of it" })] }),
    fate: ["marked"],
    mark: /cites? (?:nothing|no)|without a citation|no citation/i,
  },
  {
    ...group,
    name: "the proposal is the template",
    steps: played({}).filter(
      (step) => !(step.act === "write" && step.path.endsWith("proposal.md")),
    ),
    fate: ["marked"],
    mark: /template/i,
  },
  {
    ...group,
    name: "a required change is not heard of again",
    steps: played({
      reviews: [
        review({ context: "src/retry.js:2", changes: "Keep 5 for idempotent calls." }),
        readToo,
      ],
      mayReject: /readiness\.md|required|change/i,
    }),
    fate: ["rejected", "marked"],
    mark: /required change.{0,120}(?:not|un)|readiness\.md.{0,80}(?:not|name)/is,
  },
  {
    ...group,
    name: "a reviewer's question is not heard of again",
    steps: played({
      reviews: [
        review({ context: "src/retry.js:2", questions: "Who measured the three seconds?" }),
        readToo,
      ],
      mayReject: /readiness\.md|question/i,
    }),
    fate: ["rejected", "marked"],
    mark: /question.{0,120}(?:not|un)|readiness\.md.{0,80}(?:not|name)/is,
  },
  {
    ...group,
    name: "two reviews with the same words, but for signs and capitals",
    steps: played({
      reviews: [read, read.replace("accept", "ACCEPT!").replace("Read ", "READ: ")],
    }),
    fate: ["marked"],
    mark: /identical|word for word/i,
  },
  {
    ...group,
    name: "прочитано (Russian: a review that cites nothing)",
    language: "ru",
    steps: played({
      reviews: [
        review({ context: "всё", concerns: "Нет.", changes: "Нет.", questions: "Нет." }),
        readToo,
      ],
    }),
    fate: ["marked"],
    mark: /cites? (?:nothing|no)|without a citation|no citation/i,
  },
  {
    ...group,
    name: "a required change is named and nothing is said of it",
    steps: played({
      reviews: [
        review({ context: "src/retry.js:2", changes: "Keep 5 for idempotent calls." }),
        readToo,
      ],
      readiness: readiness("- [resolved] R{review}.1"),
      mayReject: /readiness\.md|R\d+\.1/,
    }),
    fate: ["rejected", "marked"],
    mark: /does not answer R\d+\.1/,
  },
  {
    ...group,
    name: "a changed log of a collaboration, and validate",
    steps: [
      ...played({}),
      { act: "change", path: "case/events.jsonl", from: "Reviewed.", to: "Rejected." },
      // The originals find it valid: theirs is the exit code, ours the warning.
      { ...rejected(run("validate", "--folder", "case"), /changed|chain/i), codes: [0] },
    ],
    fate: ["marked"],
    mark: /changed|chain/i,
  },
];

export const honestCollaborations: readonly HonestCase[] = [
  {
    name: "three agree on a change, with reviews that looked",
    kind: "collaboration",
    steps: played({}),
    verdict: /proceed|completed/i,
  },
  {
    name: "a required change and a question are settled by name",
    kind: "collaboration",
    steps: played({
      reviews: [
        review({
          context: "src/retry.js:2",
          changes: "Say what a user sees after three attempts.",
          questions: "Does docs/limits.md:4 stay true?",
        }),
        readToo,
      ],
      readiness: readiness(
        "- [resolved] R{review}.1 What a user sees: the error gave up, as before.",
        "- [resolved] Q{review}.1 docs/limits.md:4 stays true.",
      ),
    }),
    verdict: /proceed|completed/i,
  },
  {
    name: "трое договорились (Russian: reviews that looked, required change settled)",
    kind: "collaboration",
    language: "ru",
    steps: played({
      reviews: [
        review({
          context: "src/retry.js:2",
          concerns: "Нет.",
          changes: "Описать, что видит пользователь, см. src/retry.js:20.",
          questions: "Нет.",
        }),
        readToo,
      ],
      readiness: readiness(
        "- [resolved] R{review}.1 Пользователь видит ошибку gave up, как и раньше.",
      ),
    }),
    verdict: /proceed|completed/i,
    shows: /^(?![\s\S]*(?:cites nothing|identical))/,
  },
];
