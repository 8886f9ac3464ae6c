import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  claims,
  closeOn,
  holds,
  rejected,
  run,
  type Step,
} from "../steps.ts";

const group = { class: "tampering" } as const;
const log = ".consulta/sessions/case/events.jsonl";
const solution = ".consulta/artifacts/case/merged-solution.md";
const report = ".consulta/artifacts/case/report.md";

const agreed = [
  ask("Keep the cap of 30 seconds?"),
  answer("Keep the cap of 30 seconds", "It is what the code has.", {
    ...claims(["The cap is 30 s", "src/retry.js:7", "30_000"]),
  }),
  check("claude", "C{r}.1"),
] as const;
const ended = [...agreed, ...closeOn("Keep 30 seconds for now.", holds("C{r}.1"))] as const;

function changed(path: string, from: string, to: string): Step {
  return { act: "change", path, from, to };
}

const inLog = /changed|altered|hash|chain|prev/i;

export const tampering: readonly DishonestCase[] = [
  {
    ...group,
    name: "a position is rewritten in the log",
    steps: [...ended, changed(log, "It is what the code has.", "It is what the boss said.")],
    fate: ["marked", "rejected"],
    mark: inLog,
  },
  {
    ...group,
    name: "the text of the decision is rewritten in the log",
    steps: [...ended, changed(log, "Keep 30 seconds for now.", "Keep 90 seconds for now.")],
    fate: ["marked", "rejected"],
    mark: inLog,
  },
  {
    ...group,
    name: "a record of evidence is rewritten in the log",
    steps: [...ended, changed(log, '"met":true', '"met":false')],
    fate: ["marked", "rejected"],
    mark: inLog,
  },
  {
    ...group,
    name: "a line is taken out of the log",
    steps: [...ended, { act: "change", path: log, from: "LINE 3", to: "" }],
    fate: ["marked", "rejected"],
    mark: /seq|line|missing|changed|chain|continu/i,
  },
  {
    ...group,
    name: "two lines of the log change places",
    steps: [...ended, { act: "change", path: log, from: "LINE 3", to: "LINE 4" }],
    fate: ["marked", "rejected"],
    mark: /seq|line|changed|chain|order|continu/i,
  },
  {
    ...group,
    name: "the closing is cut off the log",
    steps: [...ended, { act: "change", path: log, from: "LAST LINE", to: "" }],
    fate: ["marked", "rejected"],
    mark: /lost|changed|fewer|solution|log|event/i,
  },
  {
    ...group,
    name: "the solution says something else",
    steps: [...ended, changed(solution, "Keep 30 seconds for now.", "Keep 90 seconds for now.")],
    fate: ["marked"],
    mark: /(?:solution|merged-solution\.md).{0,80}(?:changed|differs|not)|(?:changed|differs).{0,80}solution/is,
  },
  {
    ...group,
    name: "the kept report says something else",
    steps: [
      ...ended,
      run("report", "--session", "case"),
      changed(report, "30 seconds for now.", "90 seconds for now."),
      run("validate", "--session", "case"),
    ],
    fate: ["marked"],
    mark: /report.{0,80}(?:changed|differs|not as)|(?:changed|differs).{0,80}report/is,
  },
  {
    ...group,
    name: "a record of evidence is put into the log by hand",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", {
        ...claims(["The cap is 30 s", "src/retry.js:7", "30_000"]),
      }),
      { act: "append", path: log, text: "FORGED EVIDENCE" },
      rejected(
        agree("claude", "a", "r", "Keep it.", holds("C{r}.1")),
        /evidence|check|log|chain|changed/i,
      ),
      rejected(agree("gemini", "b", "a", "Confirmed."), /log|chain|changed/i),
    ],
    fate: ["rejected", "marked"],
    mark: /changed|unchained|forged|not written|by hand|chain/i,
  },
  {
    ...group,
    name: "a first AGREE is rewritten before the second",
    steps: [
      ...agreed,
      agree("claude", "a", "r", "Keep 30 seconds for now.", holds("C{r}.1")),
      changed(log, "Keep 30 seconds for now.", "Keep 90 seconds for now."),
      rejected(agree("gemini", "b", "a", "Confirmed."), /changed|hash|log|chain|damage/i),
    ],
    fate: ["rejected", "marked"],
    mark: inLog,
  },
];
