import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  assumed,
  claims,
  closeOn,
  holds,
  rejected,
  say,
  stand,
} from "../steps.ts";

const group = { class: "no verification" } as const;
const guess: [string, string, string] = [
  "delayFor draws evenly from nothing to the cap",
  "src/retry.js:5-9",
  "Math.random() * cap",
];

export const noVerification: readonly DishonestCase[] = [
  {
    ...group,
    name: "a claim is confirmed by whoever never looked",
    must: true,
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines.", claims(guess)),
      rejected(agree("claude", "a", "r", "It does.", holds("C{r}.1")), /evidence|check/i),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "the peer agrees and says nothing of the claim",
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines.", claims(guess)),
      rejected(agree("claude", "a", "r", "It does."), /C\d+\.1|check/i),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    fate: ["rejected", "demoted"],
  },
  {
    ...group,
    name: "a question of fact is answered from memory and accepted",
    steps: [
      ask("How many entries does the cache hold?"),
      answer("A thousand entries", "I am sure that I remember it."),
      ...closeOn("The cache holds a thousand entries."),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "only seen claims were asked for, and there are none",
    open: ["--require", "seen"],
    must: true,
    steps: [
      ask("How many entries does the cache hold?"),
      answer("A thousand entries", "I am sure that I remember it."),
      rejected(agree("claude", "a", "r", "A thousand."), /seen/i),
      rejected(agree("gemini", "b", "a", "Confirmed."), /seen/i),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "only seen claims were asked for, and one is assumed",
    open: ["--require", "seen"],
    must: true,
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines.", claims(guess)),
      rejected(
        agree("claude", "a", "r", "It does.", assumed("C{r}.1", "it will be right")),
        /seen/i,
      ),
      rejected(agree("gemini", "b", "a", "Confirmed."), /seen/i),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "agreed in the very first answer, without a look at the code",
    steps: [
      ask("I say the cache is LRU. Right?", { position: "The cache is least recently used" }),
      agree("gemini", "a", "q", "Right, the cache is LRU."),
      agree("claude", "b", "a", "Confirmed."),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "nobody takes the time for any claim",
    steps: [
      ask("Do documents and code agree?"),
      answer(
        "They agree about the limit of 1000 entries",
        "Two places.",
        claims(
          ["The page says 1000", "docs/limits.md:5", "1000 entries"],
          ["The code says 1000", "src/cache.js:2", "entriesMax = 1000"],
        ),
      ),
      ...closeOn("They agree.", {
        checks: [
          { claim: "C{r}.1", outcome: "not_run", reason: "no time" },
          { claim: "C{r}.2", outcome: "not_run", reason: "no time" },
        ],
      }),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "not run, and no reason why",
    must: true,
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines.", claims(guess)),
      rejected(
        agree("claude", "a", "r", "It does.", {
          checks: [{ claim: "C{r}.1", outcome: "not_run" }],
        }),
        /reason/i,
      ),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "the check is prose that nothing can repeat",
    steps: [
      ask("Does retry use full jitter?"),
      rejected(
        answer(
          "Yes, it uses full jitter",
          "I read it.",
          claims(["It uses full jitter", "I read the whole file carefully twice"]),
        ),
        /check/i,
      ),
      rejected(agree("claude", "a", "r", "It does.", holds("C{r}.1")), /evidence|check/i),
    ],
    fate: ["rejected"],
    must: true,
  },
  {
    ...group,
    name: "两个都懒 (Chinese: both are lazy)",
    language: "zh",
    steps: [
      ask("缓存是 LRU 吗？"),
      answer("是的，缓存是 LRU", "我已经仔细检查并验证了代码。"),
      ...closeOn("缓存是 LRU，双方都已验证。"),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "я всё проверил (Russian: verified in words)",
    language: "ru",
    steps: [
      ask("Сколько попыток делает retry?"),
      answer("Пять попыток", "Я всё проверил и запустил тесты, все зелёные."),
      ...closeOn("Пять попыток, проверено обоими."),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "the only claim is withdrawn before the end",
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines.", claims(guess)),
      say("claude", "e", "CLARIFY", "May we skip the check?"),
      say("gemini", "w", "CLARIFY", "Yes, I take the claim back.", {
        withdrawn: [{ claim: "C{r}.1", because: "not needed" }],
      }),
      agree("claude", "a", "r", "It does."),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "one side looked, the other assumes, and both say verified",
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "Verified by me.", claims(guess)),
      ...closeOn("Verified by both: full jitter.", assumed("C{r}.1", "trust in the peer")),
    ],
    fate: ["demoted"],
  },
  {
    ...group,
    name: "deep mode without a check of one's own",
    open: ["--mode", "profondo"],
    steps: [
      ask("Does retry use full jitter?"),
      answer("Yes, it uses full jitter", "See the lines."),
      stand("claude", "e", "Yes, it uses full jitter, keep it", "Fine.", {
        because: "judgement: it is fine",
      }),
      rejected(
        agree("gemini", "a", "e", "Keep it.", { because: "judgement: the same" }),
        /profondo|deep/,
      ),
      agree("claude", "b", "a", "Confirmed."),
    ],
    fate: ["rejected", "demoted"],
  },
  {
    ...group,
    name: "headless, without a shell: a result is invented",
    must: true,
    steps: [
      ask("Do the tests pass?"),
      answer(
        "Yes, all tests pass",
        "I ran them.",
        claims(["All tests pass", "node --test", "pass 2"]),
      ),
      rejected(
        agree("claude", "a", "r", "They pass.", {
          checks: [{ claim: "C{r}.1", outcome: "holds", evidence: "# pass 2, # fail 0" }],
        }),
        /evidence|check/i,
      ),
    ],
    fate: ["rejected"],
  },
];
