import type { HonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  claims,
  closeOn,
  holds,
  person,
  run,
  say,
  stand,
} from "../steps.ts";

/** Honest sessions of other shapes: judgement, languages, modes, escalations, letters by hand. */
export const honestDialogues: readonly HonestCase[] = [
  {
    name: "a question of judgement only",
    steps: [
      ask("Which name reads better, attemptsMax or maxAttempts?"),
      answer("attemptsMax, because the sources put the unit or bound last", "A matter of habit."),
      ...closeOn("Keep attemptsMax: one habit for all names."),
    ],
    verdict: /CONSENSUS on judgement, nothing was checked/,
  },
  {
    name: "в коде уже есть полный джиттер (Russian)",
    language: "ru",
    steps: [
      ask("Есть ли в retry полный джиттер, или его надо добавить?"),
      answer(
        "Есть: delayFor выбирает задержку от нуля до предела",
        "Смотрите строки; я не против оставить как есть.",
        claims(["Задержка случайна", "src/retry.js:5-9", "Math.random() * cap"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn(
        "Оставить как есть: полный джиттер уже используется. Я был не согласен с этим раньше.",
        holds("C{r}.1"),
      ),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "缓存上限 (Chinese)",
    language: "zh",
    steps: [
      ask("缓存最多保存多少条？文档和代码一致吗？"),
      answer(
        "一致：文档和代码都是一千条",
        "两处都引用了。",
        claims(
          ["代码上限是 1000", "src/cache.js:2", "entriesMax = 1000"],
          ["文档上限是 1000", "docs/limits.md:5", "1000"],
        ),
      ),
      check("claude", "C{r}.1"),
      check("claude", "C{r}.2"),
      ...closeOn("上限为一千条，无需修改。", holds("C{r}.1", "C{r}.2")),
    ],
    verdict: /CONSENSUS, 2 of 2 claims seen/,
  },
  {
    name: "Vergleich in konstanter Zeit (German)",
    language: "de",
    steps: [
      ask("Ist der Vergleich in isRight sicher gegen Zeitmessung?"),
      answer(
        "Nein, isRight vergleicht mit === und muss timingSafeEqual benutzen",
        "Die Zeile ist eindeutig, auch wenn man dagegen einwenden könnte, dass das Netz rauscht.",
        claims(["Es wird mit === verglichen", "src/login.js:5", "given === stored"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("isRight auf timingSafeEqual umstellen.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "tentativi falliti (Italian)",
    language: "it",
    steps: [
      ask("Quanti tentativi fa retry?"),
      answer(
        "Cinque tentativi, come dice attemptsMax",
        "Una sola costante, non sono contrario a cambiarla.",
        claims(["attemptsMax è 5", "src/retry.js:2", "attemptsMax = 5"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("Cinque tentativi.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "opposed blind positions end in a synthesis",
    open: ["--mode", "competitiva"],
    steps: [
      ask("Fix the login first, or the cache?"),
      stand("gemini", "r", "Fix the cache first, users feel it daily", "Users notice it."),
      say("claude", "s", "RESPONSE", "A security fault waits for nobody.", {
        position: "Fix the login first, it is a security fault",
        ...claims(["The comparison is variable time", "src/login.js:5", "given === stored"]),
      }),
      stand(
        "claude",
        "e",
        "Login today, as it is one line; the cache in the same release",
        "Both.",
        {
          acknowledged: ["that users feel it daily"],
          because: "judgement: one release for both costs nothing",
          synthesis:
            "The login first because it is a security fault of one line; the cache in the same release because users feel it daily.",
        },
      ),
      check("gemini", "C{s}.1", "seen"),
      agree("gemini", "a", "e", "Fix the login today, the cache in the same release.", {
        because: "E{seen}: it is one line",
        ...holds("C{s}.1"),
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /Fix the cache first, users feel it daily/,
  },
  {
    name: "blind positions that are the same in other words",
    open: ["--mode", "competitiva"],
    steps: [
      ask("Must isRight change?"),
      stand("gemini", "r", "Yes: compare in constant time", "See line 5.", {
        ...claims(["=== is used", "src/login.js:5", "given === stored"]),
      }),
      say("claude", "s", "RESPONSE", "The TODO says so itself.", {
        position: "Yes, use timingSafeEqual",
        ...claims(["A TODO asks for it", "src/login.js:4", "constant time"]),
      }),
      check("claude", "C{r}.1", "seen"),
      agree("claude", "a", "r", "Use timingSafeEqual in isRight.", {
        because: "E{seen}: the same answer, and the line shows it",
        ...holds("C{r}.1"),
      }),
      check("gemini", "C{s}.1"),
      agree("gemini", "b", "a", "Confirmed.", holds("C{s}.1")),
    ],
    verdict: /CONSENSUS, 2 of 2 claims seen/,
  },
  {
    name: "thinking first: nobody agrees in round 1",
    open: ["--mode", "profondo"],
    steps: [
      ask("Is the number of attempts documented?"),
      answer("No, the documents name no number of attempts", "I looked at the one page.", {
        ...claims(["Only requests are named", "docs/limits.md:3-4", "100 requests a minute"]),
      }),
      check("claude", "C{r}.1", "seen"),
      stand("claude", "e", "No, and it should be documented", "It is missing there.", {
        ...holds("C{r}.1"),
        because: "E{seen}: the page has nothing on it",
      }),
      agree("gemini", "a", "e", "Document the number of attempts in docs/limits.md.", {
        because: "judgement: whoever reads the limit needs the number",
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "without turns",
    open: ["--mode", "parallelo"],
    steps: [
      ask("Is sessionMinutes used anywhere?"),
      answer(
        "No: it is exported and nobody imports it",
        "The search finds only its definition.",
        claims(["Defined in login.js", 'find "sessionMinutes" src', "src/login.js"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("Remove sessionMinutes.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "the owner is asked, and decides on record",
    steps: [
      ask("Shall we pay for a hosted cache?"),
      say("gemini", "up", "ESCALATE", "It costs money every month: the owner decides.", {
        needs_user: "Spend 40 EUR a month for a hosted cache?",
      }),
      person("decide", "No, stay with the cache in memory"),
      person("verdict", "kept"),
    ],
    verdict: /ESCALATED|DECIDED/,
    shows: /stay with the cache in memory/,
  },
  {
    name: "two that recommend and leave it to the owner",
    steps: [
      ask("Which licence for the next release?"),
      answer("Recommend Apache-2.0 for its patent grant", "The owner has the last word.", {
        owner_decides: "licence",
        ...claims(["It is MIT today", "package.json:5", '"license": "MIT"']),
      }),
      check("claude", "C{r}.1"),
      ...closeOn("We recommend Apache-2.0; it is yours to decide.", holds("C{r}.1")),
    ],
    verdict: /RECOMMENDATION, yours to decide/,
  },
  {
    name: "two that cannot agree say so",
    steps: [
      ask("Tabs or spaces?"),
      answer("Spaces, as the sources have them", "They are there already."),
      stand("claude", "e", "Tabs, readers choose the width", "For the readers.", {
        acknowledged: ["that the sources have spaces"],
      }),
      say("gemini", "up", "ESCALATE", "We hold opposite views and no fact decides it.", {
        position: "Spaces, as the sources have them",
      }),
    ],
    verdict: /ESCALATED|NOT DECIDED/,
    shows: /Tabs, readers choose the width/,
  },
  {
    name: "a task is given and reported",
    steps: [
      ask("Does any document name the cap of the delay?"),
      say("gemini", "t", "TASK_ASSIGN", "Search the documents, please; I read the sources."),
      say("claude", "done", "TASK_RESULT", "The documents do not name it."),
      stand("gemini", "e", "No document names the cap of 30 seconds", "Only the source has it.", {
        ...claims(["The cap stands in the source", "src/retry.js:7", "30_000"]),
      }),
      check("claude", "C{e}.1"),
      agree("claude", "a", "e", "The cap is undocumented.", holds("C{e}.1")),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "letters by hand of a colleague with the original",
    steps: [
      ask("Is the jitter full?"),
      {
        act: "letter",
        type: "RESPONSE",
        fields: {
          content: "Yes, src/retry.js line 8 multiplies by Math.random().",
          confidence: 0.9,
        },
      },
      run("next-action", "--session", "case", "--participant", "claude"),
      say("claude", "a", "AGREE", "The jitter is full.", {
        accepts: "{last message}",
        position: "The jitter is full",
      }),
      { act: "letter", type: "AGREE", fields: { content: "Agreed.", confidence: 0.95 } },
      run("next-action", "--session", "case", "--participant", "claude"),
      say("claude", "end", "CONSENSUS", "The jitter is full."),
    ],
    verdict: /CONSENSUS/,
    shows: /by hand/,
  },
];
