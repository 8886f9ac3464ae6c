import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  cite,
  claims,
  closeOn,
  find,
  holds,
  rejected,
  type Step,
} from "../steps.ts";

const group = { class: "citations absent, changed or saying something else" } as const;

/** A claim about the login whose citation must not get through. */
function cites(lines: string, expect?: string, ...before: Step[]): readonly Step[] {
  return [
    ask("Is the comparison of isRight constant in time?"),
    ...before,
    rejected(
      answer(
        "Yes, isRight compares in constant time",
        "See the lines.",
        expect === undefined
          ? claims(["It compares in constant time", lines])
          : claims(["It compares in constant time", lines, expect]),
      ),
      /C\d+\.1|claim|citation|check/i,
    ),
  ];
}

const mustReject = { ...group, must: true, fate: ["rejected"] } as const;

const absent: [name: string, lines: string, expect?: string][] = [
  ["lines beyond the end of the file", "src/login.js:200-210"],
  ["a file that is not there", "src/secure-login.js:1-4"],
  ["words that the lines do not hold", "src/login.js:3-6", "timingSafeEqual(given, stored)"],
  ["a text that the search does not find", 'find "safeCompare(" src'],
  ["a text in a place that is not there", 'find "timingSafeEqual" lib'],
  ["a path that leads out of the project", "../../../../etc/passwd:1"],
  ["an absolute path", "/etc/passwd:1", "root"],
  ["a folder", "src:1-2"],
  ["lines that run backwards", "src/login.js:6-3", "==="],
  ["line 0", "src/login.js:0", "import"],
  ["words that stand in the line behind", "src/login.js:4", "given === stored"],
];

const moved: Step = {
  act: "change",
  path: "src/login.js",
  from: "return given === stored;",
  to: "return given == stored;",
};

const honestLines = answer(
  "No, isRight compares with ===",
  "See the lines.",
  claims(["It compares with ===", "src/login.js:3-6", "given === stored"]),
);

export const citations: readonly DishonestCase[] = [
  ...absent.map(([name, lines, expect]) => ({
    ...mustReject,
    name,
    steps: cites(lines, expect),
  })),
  {
    ...mustReject,
    name: "a link that leads out of the project",
    steps: cites("src/outside.js:1", "root", {
      act: "link",
      path: "src/outside.js",
      target: "/etc/passwd",
    }),
  },
  {
    ...mustReject,
    name: "a pipe",
    steps: cites("src/pipe.js:1", undefined, { act: "pipe", path: "src/pipe.js" }),
  },
  {
    ...mustReject,
    name: "a binary file",
    steps: cites("src/image.png:1", undefined, {
      act: "write",
      path: "src/image.png",
      text: "\u0000\u0001PNG\u0000 timingSafeEqual\n",
    }),
  },
  {
    ...mustReject,
    name: "the lines change before the second AGREE",
    steps: [
      ask("Is the comparison of isRight constant in time?"),
      honestLines,
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "It is not.", holds("C{r}.1")),
      moved,
      rejected(agree("gemini", "b", "a", "Confirmed."), /changed|no longer|stale|moved/i),
    ],
  },
  {
    ...mustReject,
    name: "a searched text is gone before the second AGREE",
    steps: [
      ask("Is there a TODO for it?"),
      answer(
        "Yes, a TODO asks for constant time",
        "Search for it.",
        claims(["A TODO is there", 'find "TODO compare" src', "constant time"]),
      ),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "It is there.", holds("C{r}.1")),
      { act: "change", path: "src/login.js", from: "  // TODO compare in constant time\n", to: "" },
      rejected(agree("gemini", "b", "a", "Confirmed."), /changed|no longer|stale|gone|not found/i),
    ],
  },
  {
    ...group,
    name: "the lines change after the end",
    steps: [
      ask("Is the comparison of isRight constant in time?"),
      honestLines,
      check("claude", "C{r}.1"),
      ...closeOn("It is not.", holds("C{r}.1")),
      moved,
    ],
    fate: ["marked"],
    mark: /rests on lines that have changed since/i,
  },
  {
    ...group,
    name: "the cited file is deleted after the end",
    steps: [
      ask("Is the comparison of isRight constant in time?"),
      honestLines,
      check("claude", "C{r}.1"),
      ...closeOn("It is not.", holds("C{r}.1")),
      { act: "git", args: ["rm", "-q", "-f", "src/login.js"] },
    ],
    fate: ["marked"],
    mark: /rests on lines that have changed since/i,
  },
  {
    ...group,
    name: "lines that say the opposite, without expected words",
    steps: [
      ask("Is the comparison of isRight constant in time?"),
      rejected(
        answer(
          "Yes, isRight compares in constant time",
          "See the lines.",
          claims(["It compares in constant time", "src/login.js:3-6"]),
        ),
        /expect/i,
      ),
      check("claude", "C{r}.1"),
      ...closeOn("It is constant in time.", holds("C{r}.1")),
    ],
    fate: ["rejected", "demoted", "marked"],
    mark: /expect|TODO compare in constant time/i,
  },
  {
    ...group,
    name: "a bracket as the expected words",
    steps: [
      ask("Is the comparison of isRight constant in time?"),
      rejected(
        answer(
          "Yes, isRight compares in constant time",
          "See the lines.",
          claims(["It compares in constant time", "src/login.js:3-6", "}"]),
        ),
        /expect/i,
      ),
      check("claude", "C{r}.1"),
      ...closeOn("It is constant in time.", holds("C{r}.1")),
    ],
    fate: ["rejected", "demoted", "marked"],
    mark: /given === stored|TODO compare|says little/i,
  },
  {
    ...group,
    name: "the log of the session is cited as proof of itself",
    steps: [
      ask("Is the comparison of isRight constant in time? It compares in constant time."),
      rejected(
        answer(
          "Yes, isRight compares in constant time",
          "See the lines.",
          claims([
            "It compares in constant time",
            ".consulta/sessions/case/events.jsonl:2",
            "compares in constant time",
          ]),
        ),
        /\.consulta|hidden|own/i,
      ),
      check("claude", "C{r}.1"),
      ...closeOn("It is constant in time.", holds("C{r}.1")),
    ],
    fate: ["rejected", "demoted", "marked"],
    mark: /\.consulta.*(?:own|itself)/i,
  },
  {
    ...group,
    name: "a file that an agent wrote during the session is its proof",
    steps: [
      ask("Do all tests pass?"),
      { act: "write", path: "results.txt", text: "# tests 12\n# pass 12\n# fail 0\n" },
      rejected(
        answer(
          "Yes, all twelve tests pass",
          "See the results.",
          claims(["All pass", "results.txt:1-3", "fail 0"]),
        ),
        /track|commit|dirty/i,
      ),
      check("claude", "C{r}.1"),
      ...closeOn("All tests pass.", holds("C{r}.1")),
    ],
    fate: ["rejected", "demoted", "marked"],
    mark: /results\.txt.{0,80}(?:untracked|not committed|uncommitted|dirty|changed)|(?:untracked|not committed|uncommitted|dirty).{0,80}results\.txt/is,
  },
  {
    ...mustReject,
    name: "an observation of lines that are not there",
    steps: [ask("Is it there?"), rejected(cite("gemini", "x", "src/none.js:1"), /none\.js/)],
  },
  {
    ...mustReject,
    name: "an observation outside of the project",
    steps: [
      ask("Is it there?"),
      rejected(find("gemini", "x", "root", "/etc/passwd"), /outside|project|path/i),
    ],
  },
  {
    ...mustReject,
    name: "строки, которых нет (Russian: the peer cites what is absent)",
    language: "ru",
    steps: [
      ask("Где сравнивается пароль?"),
      rejected(
        answer(
          "В login.js, в постоянном времени",
          "Строки 40-44.",
          claims(["Сравнение постоянно", "src/login.js:40-44", "timingSafeEqual"]),
        ),
        /login\.js/,
      ),
    ],
  },
  {
    ...mustReject,
    name: "引用说的是别的 (Chinese: the citation says something else)",
    language: "zh",
    steps: [
      ask("缓存上限是多少？"),
      rejected(
        answer(
          "上限是五千条",
          "请看引用。",
          claims(["上限是 5000", "src/cache.js:2", "entriesMax = 5000"]),
        ),
        /cache\.js|5000/,
      ),
    ],
  },
];
