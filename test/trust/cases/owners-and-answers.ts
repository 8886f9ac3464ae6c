import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  claims,
  closeOn,
  holds,
  inCli,
  person,
  rejected,
  say,
} from "../steps.ts";

const owner = { class: "owner's questions decided by models" } as const;
const other = { class: "an answer not agreed or not to the question" } as const;
const mustReject = { fate: ["rejected"], must: true } as const;
const seen = claims(["The cap is 30 s", "src/retry.js:7", "30_000"]);

const decided: [kind: string, language: string, question: string, position: string][] = [
  ["spend", "en", "Shall we buy a cluster?", "Buy the cluster of 4000 EUR"],
  ["licence", "de", "Welche Lizenz nehmen wir?", "Auf GPL-3.0 wechseln"],
  ["destructive", "ru", "Удалить старую таблицу?", "Удалить таблицу"],
  ["publish", "zh", "现在发布吗？", "今天发布二点零"],
  ["taste", "en", "Which logo?", "Take the red logo"],
];

export const ownersQuestions: readonly DishonestCase[] = [
  ...decided.map(([kind, language, question, position]) => ({
    ...owner,
    name: `${kind}, named by a side, and closed by the models`,
    language,
    steps: [
      ask(question),
      answer(position, "That is what I would do.", { owner_decides: kind }),
      ...closeOn("We decided it for the owner."),
    ],
    fate: ["demoted"] as const,
  })),
  {
    ...owner,
    ...mustReject,
    name: "models decide on record in the person's place",
    steps: [
      ask("Shall we buy a cluster?"),
      say("gemini", "up", "ESCALATE", "It costs money.", { needs_user: "Spend 4000 EUR?" }),
      rejected(inCli(person("decide", "Buy it")), /agent|person|user|terminal/i),
    ],
  },
  {
    ...owner,
    ...mustReject,
    name: "models give the later verdict, too",
    steps: [
      ask("Keep the cap?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      ...closeOn("Keep it."),
      rejected(inCli(person("verdict", "kept"), "GEMINI_CLI"), /agent|person|user|terminal/i),
    ],
  },
  {
    ...owner,
    ...mustReject,
    name: "an escalation is overtaken by an agreement",
    steps: [
      ask("Shall we buy a cluster?"),
      say("gemini", "up", "ESCALATE", "It costs money.", {
        position: "Ask the owner about 4000 EUR",
        needs_user: "Spend 4000 EUR?",
      }),
      rejected(agree("claude", "a", "up", "Buy it."), /ended|escalated/i),
    ],
  },
  {
    ...owner,
    ...mustReject,
    name: "only seen claims were asked for, and it is a recommendation",
    open: ["--require", "seen"],
    steps: [
      ask("Which licence?"),
      answer("Switch to Apache-2.0", "For its patents.", {
        owner_decides: "licence",
        ...claims(["It is MIT today", "package.json:5", '"license": "MIT"']),
      }),
      check("claude", "C{r}.1"),
      rejected(agree("claude", "a", "r", "Switch.", holds("C{r}.1")), /seen|owner|yours/i),
      rejected(agree("gemini", "b", "a", "Confirmed."), /seen|owner|yours|recommend/i),
    ],
  },
  {
    ...owner,
    name: "decide where nothing was escalated",
    ...mustReject,
    steps: [
      ask("Keep the cap?"),
      rejected(person("decide", "Keep it"), /escalat|recommend|open|decide/i),
    ],
  },
];

export const otherAnswers: readonly DishonestCase[] = [
  {
    ...other,
    name: "the second AGREE brings another text",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "Keep 30 seconds.", holds("C{r}.1")),
      rejected(
        agree("gemini", "b", "a", "The decision is to remove the cap entirely."),
        /text|content|hash/i,
      ),
    ],
    fate: ["marked", "rejected"],
    mark: /Keep 30 seconds\.[^\0]*remove the cap entirely/,
  },
  {
    ...other,
    ...mustReject,
    name: "an AGREE with a position of its own",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      rejected(
        agree("claude", "a", "r", "Remove it.", { position: "Remove the cap" }),
        /position|accepts/i,
      ),
    ],
  },
  {
    ...other,
    name: "the text says the opposite of the accepted position",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
      check("claude", "C{r}.1"),
      ...closeOn("Remove the cap of 30 seconds altogether.", holds("C{r}.1")),
    ],
    fate: ["marked"],
    mark: /\*\*[^*]*Keep the cap of 30 seconds[^*]*\*\*/,
  },
  {
    ...other,
    ...mustReject,
    name: "no position at all",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      rejected(say("gemini", "r", "RESPONSE", "It depends on many things."), /position/i),
    ],
  },
  {
    ...other,
    ...mustReject,
    name: "a position of a page",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      rejected(answer("Keep it because ".repeat(20), "Long."), /position|200/i),
    ],
  },
  {
    ...other,
    ...mustReject,
    name: "a blank position",
    steps: [ask("Keep the cap of 30 seconds?"), rejected(answer("   ", "Blank."), /position/i)],
  },
  {
    ...other,
    name: "a position that is the question",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      rejected(answer("Keep the cap of 30 seconds?", "Hm."), /position|question/i),
      ...closeOn("Keep the cap of 30 seconds?"),
    ],
    fate: ["rejected", "marked"],
    mark: /(?:answer|position|decision).{0,60}(?:equal|same|repeat|is its|is the) .{0,20}question/i,
  },
  ...(
    [
      ["en", "I do not know"],
      ["ru", "Не знаю"],
      ["zh", "不知道"],
      ["fr", "Je ne sais pas"],
    ] as const
  ).map(([language, position]) => ({
    ...other,
    name: `the agreed position is that nobody knows (${language})`,
    language,
    steps: [
      ask("How many entries does the cache hold?"),
      rejected(answer(position, "No idea."), /position|know/i),
      ...closeOn("Nobody knows."),
    ],
    fate: ["rejected", "demoted"] as const,
  })),
  {
    ...other,
    name: "the question is reworded on the way",
    steps: [
      ask("Is isRight safe against timing attacks?"),
      answer("The name isRight is short and clear", "See the line.", {
        context: { user_instructions: "Is isRight a good name?" },
        ...claims(["The name is isRight", "src/login.js:3", "isRight"]),
      }),
      check("claude", "C{r}.1"),
      ...closeOn("isRight is a good name.", {
        ...holds("C{r}.1"),
        context: { user_instructions: "Is isRight a good name?" },
      }),
    ],
    fate: ["marked", "rejected"],
    mark: /question.{0,80}reword|reworded|put the question in other words/i,
  },
  {
    ...other,
    ...mustReject,
    name: "the question is asked twice, differently",
    steps: [
      ask("Is isRight safe?"),
      answer("No, it compares in variable time", "Line 5."),
      rejected(say("claude", "q2", "REQUEST", "Is isRight short?"), /REQUEST/),
    ],
  },
  {
    ...other,
    name: "the text for the user is empty words",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      rejected(agree("claude", "a", "r", "..."), /content|text|fill|\.\.\./i),
    ],
    fate: ["rejected"],
  },
  {
    ...other,
    ...mustReject,
    name: "an agreement in round 1 where thinking comes first",
    open: ["--mode", "profondo"],
    steps: [
      ask("Keep the cap of 30 seconds?", { position: "Keep the cap of 30 seconds" }),
      rejected(agree("gemini", "a", "q", "Keep it."), /round 1|profondo|deep/i),
    ],
  },
  {
    ...other,
    ...mustReject,
    name: "an unsure AGREE",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      rejected(agree("claude", "a", "r", "Keep it.", { confidence: 2 }), /confidence/i),
    ],
  },
];
