import type { HonestCase } from "../case.ts";
import { runsAllowed } from "../sample-project.ts";
import {
  agree,
  answer,
  ask,
  assumed,
  check,
  claims,
  closeOn,
  holds,
  person,
  questions,
  say,
  stand,
} from "../steps.ts";

// Written by somebody who knew PROTOCOL.md and had not read a rule.

const cap = claims(["The cap is 30 s", "src/retry.js:7", "30_000"]);

/** Assent that holds a word of dissent; no reservation may be made of it. */
const content: [language: string, text: string][] = [
  ["en", "Keep 30 seconds. I have no objection left, and do not disagree with any of it."],
  ["de", "Es bleibt bei 30 Sekunden. Ich habe nichts dagegen, dagegen spricht nichts."],
  ["ru", "Оставляем 30 секунд. Возражений нет, я больше не против."],
  ["ja", "30秒のままにします。異論はありません。"],
  ["es", "Se queda en 30 segundos. No tengo objeciones ni estoy en contra."],
];

export const newcomerHonest: readonly HonestCase[] = [
  ...content.map(([language, text]) => ({
    name: `assent with a word of dissent in it (${language})`,
    language,
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", cap),
      check("claude", "C{r}.1"),
      ...closeOn(text, holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /^(?![\s\S]*## Reservations)/,
  })),
  {
    name: "a long way with corrections and withdrawals of both",
    config: runsAllowed,
    steps: [
      ask("What does a client see when the service is down for a minute?"),
      answer(
        "It waits up to a minute and then sees the last error",
        "Five attempts with growing delays.",
        claims(
          ["Five attempts are made", "src/retry.js:2", "attemptsMax = 5"],
          ["The last error is thrown", "src/retry.js:12-20", "throw"],
        ),
      ),
      check("claude", "C{r}.1"),
      check("claude", "C{r}.2", "thrown"),
      stand("claude", "e", "It sees 'gave up' after at most 3 seconds", "The sum is 3.1 s.", {
        acknowledged: ["that five attempts are made"],
        checks: [
          { claim: "C{r}.1", outcome: "holds" },
          {
            ...{ claim: "C{r}.2", outcome: "fails", evidence: "E{thrown}" },
            reason: "what line 20 throws is a new error, and the last one is dropped",
          },
        ],
        ...claims(
          ["The error is another one", "src/retry.js:20", "gave up"],
          ["The delays add up to 3.1 s at most", "src/retry.js:3", "baseDelayMs = 100"],
        ),
      }),
      check("gemini", "C{e}.1", "error"),
      check("gemini", "C{e}.2", "delays"),
      stand(
        "gemini",
        "e2",
        "It sees 'gave up' after at most 3.1 seconds: five delays of 100 ms doubled",
        "You are right about the error; I add where the 3.1 s come from.",
        {
          acknowledged: ["that the error is another one"],
          withdrawn: [{ claim: "C{r}.2", because: "line 20 throws an error of its own" }],
          because: "E{error}: line 20 throws its own error",
          synthesis:
            "Five attempts with growing delays, and it sees 'gave up' after at most 3.1 seconds.",
          ...holds("C{e}.1", "C{e}.2"),
          ...claims(["Delays double", "src/retry.js:7", "2 ** attempt"]),
        },
      ),
      check("claude", "C{e2}.1", "double"),
      agree("claude", "a", "e2", "A client sees 'gave up' after at most 3.1 seconds.", {
        because: "E{double}: the delays double, from which the 3.1 s follow",
        ...holds("C{e2}.1"),
      }),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 4 of 4 claims seen/,
    shows: /line 20 throws an error of its own/,
  },
  {
    name: "both sides were right about a part",
    steps: [
      ask("Is the cache fit for production?"),
      answer("Yes, it is bounded to 1000 entries", "It cannot grow.", {
        ...claims(["It is bounded", "src/cache.js:2", "entriesMax = 1000"]),
      }),
      check("claude", "C{r}.1"),
      stand("claude", "e", "No, entries never expire", "Nothing removes old values.", {
        acknowledged: ["that it is bounded"],
        ...holds("C{r}.1"),
        ...claims(["Only size removes entries", "src/cache.js:4-7", "entriesMax"]),
      }),
      check("gemini", "C{e}.1", "size"),
      stand(
        "gemini",
        "e2",
        "Fit where values do not age, as it is bounded; else it needs an expiry",
        "We spoke of two things.",
        {
          acknowledged: ["that nothing removes old values"],
          because: "E{size}: only size removes entries",
          synthesis: "It is bounded to 1000 entries, and entries never expire: fit for some.",
          ...holds("C{e}.1"),
        },
      ),
      agree("claude", "a", "e2", "Fit for values that do not age; add an expiry otherwise.", {
        because: "judgement: both of us were right, about different uses",
      }),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 2 of 2 claims seen/,
  },
  {
    name: "the person decides against the recommendation, and it is changed later",
    steps: [
      ask("Which licence for the next release?"),
      answer("Recommend Apache-2.0 for its patent grant", "The owner has the last word.", {
        owner_decides: "licence",
        ...claims(["It is MIT today", "package.json:5", '"license": "MIT"']),
      }),
      check("claude", "C{r}.1"),
      ...closeOn("We recommend Apache-2.0; it is yours to decide.", holds("C{r}.1")),
      person("decide", "Stay with MIT, our customers know it"),
      person("verdict", "changed"),
    ],
    verdict: /RECOMMENDATION|DECIDED/,
    shows: /Stay with MIT, our customers know it/,
  },
  {
    name: "すぐに同意する十分な理由 (Japanese: agreed at once, for a good reason)",
    language: "ja",
    steps: [
      ask("isRight は定数時間で比較していますか？", {
        position: "いいえ、isRight は === で比較しているので timingSafeEqual が必要",
        ...claims(["=== で比較している", "src/login.js:5", "given === stored"]),
      }),
      check("gemini", "C{q}.1"),
      agree("gemini", "a", "q", "isRight を timingSafeEqual に置き換える。", holds("C{q}.1")),
      agree("claude", "b", "a", "確認しました。"),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "equal blind answers owe no synthesis",
    open: ["--mode", "competitiva"],
    steps: [
      ask("Keep the cap of 30 seconds?"),
      stand("gemini", "r", "Keep the cap of 30 seconds", "It is what the code has.", cap),
      say("claude", "s", "RESPONSE", "Nobody complained about it in a year.", {
        position: "Keep the cap of 30 seconds",
      }),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "Keep the cap of 30 seconds.", holds("C{r}.1")),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /^(?![\s\S]*identical)/,
  },
  {
    name: "a confirmation that repeats the text which it confirms",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", cap),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "Keep the cap of 30 seconds; it is in the code.", {
        ...holds("C{r}.1"),
      }),
      agree("gemini", "b", "a", "Keep the cap of 30 seconds; it is in the code."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /^(?![\s\S]*identical)/,
  },
  {
    name: "an answer that says what it knows and what not (Spanish)",
    language: "es",
    steps: [
      ask("¿Qué pasa cuando fallan todos los intentos?", questions("¿Quién captura el error?")),
      answer("retry() lanza 'gave up'", "Se ve en las líneas.", {
        answers: [
          {
            question: "Q{q}.1",
            answer: "No lo sé con certeza: en src nadie lo captura, y fuera del proyecto no veo.",
          },
        ],
        ...claims(["Lanza gave up", "src/retry.js:19-21", "gave up"]),
      }),
      check("claude", "C{r}.1"),
      ...closeOn("Lanza 'gave up'; en src nadie lo captura.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "a claim that nobody can run here carries a decision",
    steps: [
      ask("Does the service stand 200 requests a second?"),
      answer(
        "Yes, as measured in staging last week",
        "The run was mine; it cannot be repeated here.",
        claims(["200 a second were measured", "k6 run load.js"]),
      ),
      ...closeOn("200 a second, measured in staging and not repeated here.", {
        ...assumed("C{r}.1", "no staging system is within reach of this machine"),
      }),
    ],
    verdict: /CONSENSUS, 0 of 1 claims? seen, 1 assumed|CONSENSUS on judgement/,
    shows: /no staging system is within reach/,
  },
  {
    name: "the user's word as a part of another word",
    config: "owner_words: [art, rent]\n",
    steps: [
      ask("Which part of retry() is apparently current, and does a restart change it?"),
      answer("The loop is current; a restart changes nothing", "See the lines.", cap),
      check("claude", "C{r}.1"),
      ...closeOn("The loop is current; a restart changes nothing.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
];
