import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  claims,
  closeOn,
  holds,
  questions,
  rejected,
  say,
} from "../steps.ts";

const group = { class: "unanswered or half-answered questions" } as const;
const seen = claims(["It throws gave up", "src/retry.js:19-21", "gave up"]);

/** gemini's answer to one question of the REQUEST, and an honest rest. */
function answering(question: string, said: string, position = "retry() throws 'gave up'") {
  return [
    ask("What happens when all attempts fail?", questions(question)),
    rejected(
      answer(position, "See the lines.", {
        answers: [{ question: "Q{q}.1", answer: said }],
        ...seen,
      }),
      /answer/i,
    ),
    check("claude", "C{r}.1"),
    ...closeOn("It throws 'gave up'.", holds("C{r}.1")),
  ];
}

const hollow: [name: string, language: string, question: string, said: string][] = [
  ["an answer that is its question", "en", "What is thrown?", "What is thrown?"],
  ["an answer that does not know", "en", "What is thrown?", "I do not know."],
  ["an answer that does not know (Russian)", "ru", "Что выбрасывается?", "Не знаю."],
  ["an answer that does not know (German)", "de", "Was wird geworfen?", "Das weiß ich nicht."],
  ["an answer that does not know (Chinese)", "zh", "抛出什么？", "我不知道。"],
  ["an answer that does not know (Spanish)", "es", "¿Qué se lanza?", "No lo sé."],
];

export const unansweredQuestions: readonly DishonestCase[] = [
  {
    ...group,
    name: "no question is answered",
    must: true,
    steps: [
      ask("What happens when all attempts fail?", questions("What is thrown?", "After how many?")),
      rejected(answer("retry() throws 'gave up'", "See the lines.", seen), /Q\d+\.1/),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "half of the questions are answered",
    must: true,
    steps: [
      ask("What happens when all attempts fail?", questions("What is thrown?", "After how many?")),
      rejected(
        answer("retry() throws 'gave up'", "See the lines.", {
          answers: [{ question: "Q{q}.1", answer: "An error with the text gave up." }],
          ...seen,
        }),
        /Q\d+\.2/,
      ),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "a question is agreed away",
    must: true,
    steps: [
      ask("What happens when all attempts fail?"),
      answer("retry() throws 'gave up'", "See the lines.", {
        ...seen,
        ...questions("Does anybody catch it?"),
      }),
      check("claude", "C{r}.1"),
      rejected(agree("claude", "a", "r", "It throws.", holds("C{r}.1")), /Q\d+\.1/),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "an answer to a question that nobody asked",
    must: true,
    steps: [
      ask("What happens when all attempts fail?", questions("What is thrown?")),
      rejected(
        answer("retry() throws 'gave up'", "See the lines.", {
          answers: [{ question: "Q99.9", answer: "An error." }],
        }),
        /Q99\.9/,
      ),
    ],
    fate: ["rejected"],
  },
  ...hollow.map(([name, language, question, said]) => ({
    ...group,
    name,
    language,
    steps: answering(question, said),
    fate: ["rejected", "marked"] as const,
    mark: /(?:equal|repeats|same as).{0,40}question|question.{0,60}(?:repeat|equal)/i,
    ...(name.includes("know") ? { needsReader: true as const } : {}),
  })),
  {
    ...group,
    name: "an answer of three dots",
    steps: answering("What is thrown?", "..."),
    fate: ["rejected", "marked"],
    mark: /answer/i,
  },
  {
    ...group,
    name: "a question in prose that nobody answers",
    steps: [
      ask("What happens when all attempts fail?"),
      answer(
        "retry() throws 'gave up'",
        "It throws. But who catches it in production, and is the last error lost?",
        seen,
      ),
      check("claude", "C{r}.1"),
      ...closeOn("It throws 'gave up'.", holds("C{r}.1")),
    ],
    fate: ["marked"],
    mark: /question.{0,120}(?:nobody|not|un)\s?answered|nobody answered|answered nothing/is,
  },
  {
    ...group,
    name: "没人回答的问号 (Chinese: a question mark in prose)",
    language: "zh",
    steps: [
      ask("全部失败时会怎样？"),
      answer("抛出 gave up", "会抛出错误。但是生产环境里谁来捕获它？", seen),
      check("claude", "C{r}.1"),
      ...closeOn("抛出 gave up。", holds("C{r}.1")),
    ],
    fate: ["marked"],
    mark: /question.{0,120}(?:nobody|not|un)\s?answered|nobody answered|answered nothing/is,
  },
  {
    ...group,
    name: "asking back for ever instead of answering",
    steps: [
      ask("What is thrown?", questions("What is thrown?")),
      ...Array.from({ length: 5 }, (_, index) => [
        say("gemini", `g${index}`, "CLARIFY", `What do you mean by thrown, part ${index}`),
        say("claude", `c${index}`, "CLARIFY", `As I said, part ${index}`),
      ])
        .flat()
        .slice(0, -1),
    ],
    fate: ["escalated"],
  },
];
