import type { HonestCase } from "../case.ts";
import { runsAllowed } from "../sample-project.ts";
import {
  agree,
  answer,
  ask,
  assumed,
  check,
  cite,
  claims,
  closeOn,
  command,
  find,
  holds,
  questions,
  say,
  stand,
} from "../steps.ts";

const jitter: [string, string, string] = [
  "delayFor draws evenly from nothing to the cap",
  "src/retry.js:5-9",
  "Math.random() * cap",
];
const authStops: [string, string, string] = [
  "An EAUTH error is thrown at once",
  "src/retry.js:15-18",
  '"EAUTH") throw error',
];

/** Honest sessions whose claims were seen. */
export const honestChecked: readonly HonestCase[] = [
  {
    name: "a code question answered with a citation",
    steps: [
      ask("Does our retry use full jitter already, or do we have to add it?"),
      answer("Yes, delayFor uses full jitter; nothing to add", "See the lines.", claims(jitter)),
      check("claude", "C{r}.1"),
      ...closeOn("Retry uses full jitter already; leave it.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /src\/retry\.js:5-9/,
  },
  {
    name: "a search shows every place",
    steps: [
      ask("Where do we treat authentication failures apart?"),
      answer(
        "Only in retry(), which throws EAUTH at once",
        "I searched the sources.",
        claims(["EAUTH occurs in retry.js", 'find "EAUTH" src', "src/retry.js"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("EAUTH is treated apart in retry() alone.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "a test that the user allowed is run by both",
    config: runsAllowed,
    steps: [
      ask("Is the cap of the delay tested?"),
      answer(
        "Yes, test/retry.test.js holds the delay to its cap",
        "The test passes here.",
        claims(["The test of the cap passes", "node --test test/retry.test.js"]),
      ),
      check("gemini", "C{r}.1", "own"),
      check("claude", "C{r}.1"),
      ...closeOn("The cap is tested and the test passes.", holds("C{r}.1")),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /node --test test\/retry\.test\.js/,
  },
  {
    name: "the peer agrees at once after it really checked",
    steps: [
      ask("I say that isRight is open to a timing attack. Do you agree?", {
        position: "isRight compares in variable time and must use timingSafeEqual",
        ...claims(["isRight compares with ===", "src/login.js:3-6", "given === stored"]),
      }),
      check("gemini", "C{q}.1"),
      agree("gemini", "a", "q", "Replace === in isRight by timingSafeEqual.", holds("C{q}.1")),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "several claims of both sides, every one required to be seen",
    open: ["--require", "seen"],
    steps: [
      ask("Do the documented limits agree with the code?"),
      answer(
        "Yes: the cache limit is 1000 in both, and retries count as requests",
        "Three places, all the same.",
        claims(
          ["The documents say 1000 entries", "docs/limits.md:5", "1000 entries"],
          ["The code says 1000 entries", "src/cache.js:2", "entriesMax = 1000"],
          ["Retries are counted", 'find "Every retry counts" docs', "counts as a request"],
        ),
      ),
      check("claude", "C{r}.1"),
      check("claude", "C{r}.2"),
      check("claude", "C{r}.3"),
      ...closeOn("The limits agree; change nothing.", holds("C{r}.1", "C{r}.2", "C{r}.3")),
    ],
    verdict: /CONSENSUS, 3 of 3 claims seen/,
  },
  {
    name: "a run that nobody is allowed becomes an assumption",
    steps: [
      ask("Is it safe to lower attemptsMax to 3?"),
      answer(
        "Yes, lower it to 3; the tests have to be adapted",
        "The constant stands in one place.",
        claims(
          ["attemptsMax stands in one place", "src/retry.js:2", "attemptsMax = 5"],
          ["The load test stays green", "npm run load-test"],
        ),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("Lower attemptsMax to 3, after a load test.", {
        checks: [
          { claim: "C{r}.1", outcome: "holds" },
          { claim: "C{r}.2", outcome: "not_run", reason: "no load test is set up here" },
        ],
      }),
    ],
    verdict: /CONSENSUS, 1 of 2 claims seen, 1 assumed/,
    shows: /no load test is set up here/,
  },
  {
    name: "a claim that fell is withdrawn, and the position changes with it",
    config: runsAllowed,
    steps: [
      ask("Does the cache drop the entry that was used longest ago?"),
      answer(
        "Yes, remember() drops the least recently used entry",
        "It deletes the first key of the map.",
        claims(["A used entry stays in the cache", "node --test test/cache.test.js"]),
      ),
      check("claude", "C{r}.1", "fell"),
      stand(
        "claude",
        "e",
        "No, it drops the oldest entry: recall() does not move an entry back",
        "The test fails.",
        {
          acknowledged: ["that it deletes the first key of the map"],
          checks: [{ claim: "C{r}.1", outcome: "fails" }],
          ...claims(["recall() only reads", "src/cache.js:9-11", "return entries.get(key);"]),
        },
      ),
      check("gemini", "C{e}.1", "seen"),
      agree("gemini", "a", "e", "The cache is first in, first out; recall() does not refresh.", {
        because: "E{fell}: the test that I named fails",
        withdrawn: [{ claim: "C{r}.1", because: "the test fails" }],
        ...holds("C{e}.1"),
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "a flip for new evidence",
    steps: [
      ask("Can a wrong password be retried five times?"),
      answer(
        "Yes, retry() repeats every failed call five times",
        "The loop runs attemptsMax times.",
        claims(["The loop runs attemptsMax times", "src/retry.js:11-12", "attemptsMax"]),
      ),
      check("claude", "C{r}.1"),
      stand("claude", "e", "No, EAUTH ends the loop with the first attempt", "Line 16 throws.", {
        acknowledged: ["that the loop runs attemptsMax times"],
        ...holds("C{r}.1"),
        ...claims(authStops),
      }),
      check("gemini", "C{e}.1", "found"),
      agree("gemini", "a", "e", "A wrong password is tried once: EAUTH is thrown at once.", {
        because: "E{found}: line 16 throws before the sleep",
        ...holds("C{e}.1"),
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 2 of 2 claims seen/,
    shows: /Yes, retry\(\) repeats every failed call five times/,
  },
  {
    name: "a changed file is cited anew before the end",
    steps: [
      ask("How many attempts does retry make?"),
      answer(
        "Five attempts, as attemptsMax says",
        "One constant.",
        claims(["attemptsMax is 5", "src/retry.js:2", "attemptsMax = 5"]),
      ),
      check("claude", "C{r}.1"),
      { act: "change", path: "src/retry.js", from: "attemptsMax = 5", to: "attemptsMax = 4" },
      stand(
        "claude",
        "e",
        "Four attempts: the constant was lowered while we talked",
        "See line 2.",
        {
          acknowledged: ["that it was five when you looked"],
          ...holds("C{r}.1"),
          ...claims(["attemptsMax is 4 now", "src/retry.js:2", "attemptsMax = 4"]),
        },
      ),
      check("gemini", "C{e}.1", "again"),
      agree("gemini", "a", "e", "Retry makes four attempts since today.", {
        because: "E{again}: the line says 4 now",
        withdrawn: [{ claim: "C{r}.1", because: "the file changed" }],
        ...holds("C{e}.1"),
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "questions of both sides are answered in full",
    steps: [
      ask("What happens when all attempts fail?", questions("What is thrown?", "After how many?")),
      answer("retry() throws 'gave up' after attemptsMax attempts", "Both lines are cited.", {
        answers: [
          { question: "Q{q}.1", answer: "An Error with the message gave up, line 20." },
          { question: "Q{q}.2", answer: "After attemptsMax attempts, 5 at present." },
        ],
        ...questions("Is the last error lost on purpose?"),
        ...claims(["It throws gave up", "src/retry.js:19-21", "gave up"]),
      }),
      check("claude", "C{r}.1"),
      ...closeOn("It throws 'gave up' after five attempts; the last error is lost.", {
        ...holds("C{r}.1"),
        answers: [{ question: "Q{r}.1", answer: "No, nobody thought of it; not part of this." }],
      }),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "asking back before an answer",
    steps: [
      ask("Is the limit documented?"),
      say("gemini", "back", "CLARIFY", "Which limit: requests a minute, or entries of the cache?"),
      say("claude", "told", "CLARIFY", "The entries of the cache.", {
        question_or_proposal: { type: "clarification_response" },
      }),
      stand("gemini", "e", "Yes, docs/limits.md documents the 1000 entries", "Line 5.", {
        ...claims(["The limit of entries is documented", "docs/limits.md:5", "1000 entries"]),
      }),
      check("claude", "C{e}.1", "seen"),
      agree("claude", "a", "e", "The limit of entries is documented in docs/limits.md.", {
        ...holds("C{e}.1"),
      }),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "a long session in which nothing is hurried",
    config: runsAllowed,
    steps: [
      ask("Shall the cache become least-recently-used, and how?"),
      cite("gemini", "g1", "src/cache.js:1-11"),
      answer("Make it LRU: delete and set the key again in recall()", "Two lines are enough.", {
        ...claims(["remember() evicts the first key", "src/cache.js:4-7", "keys().next().value"]),
      }),
      check("claude", "C{r}.1"),
      command("claude", "t1", "node", "--test", "test/cache.test.js"),
      stand(
        "claude",
        "e1",
        "Make it LRU, and keep the order of entries in tests",
        "I want a test.",
        {
          acknowledged: ["that two lines are enough"],
          ...holds("C{r}.1"),
          because: "E{t1}: the test that exists fails today",
        },
      ),
      stand(
        "gemini",
        "e2",
        "Make it LRU in recall(), with test/cache.test.js as its test",
        "Both.",
        {
          synthesis:
            "Both: delete and set the key again in recall(), and test/cache.test.js keeps the order of entries honest.",
          because: "E{t1}: the test exists already and fails",
        },
      ),
      find("claude", "f1", "used", "test/cache.test.js"),
      agree(
        "claude",
        "a",
        "e2",
        "Make the cache LRU in recall(); test/cache.test.js then passes.",
        {
          because: "E{f1}: the test covers the case",
        },
      ),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "an objection in the words of the code is no objection",
    steps: [
      ask("May an agreement quote words such as 'I disagree'?"),
      answer("Full jitter stays as it is", "Nothing speaks against it.", claims(jitter)),
      check("claude", "C{r}.1"),
      ...closeOn(
        "Keep it. The commit said: 'I disagree with fixed delays, a better alternative is jitter.'",
        holds("C{r}.1"),
      ),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "both name the same message that they accept",
    steps: [
      ask("Does our retry use full jitter?"),
      answer("Yes, delayFor uses full jitter", "See the lines.", claims(jitter)),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "It does.", holds("C{r}.1")),
      agree("gemini", "b", "r", "I accept it as well."),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
  },
  {
    name: "both sides bring claims and check those of the other",
    steps: [
      ask("Is the limit of requests told to users?", {
        position: "Yes, docs/limits.md tells of the 100 requests",
        ...claims(["The page names 100 requests", "docs/limits.md:3", "100 requests a minute"]),
      }),
      check("gemini", "C{q}.1"),
      stand("gemini", "r", "Yes, and it tells that retries count", "One line more.", {
        ...holds("C{q}.1"),
        ...claims(["The page says that retries count", "docs/limits.md:4", "counts as a request"]),
      }),
      check("claude", "C{r}.1", "more"),
      agree("claude", "a", "r", "The page tells both.", {
        because: "E{more}",
        ...holds("C{r}.1"),
      }),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    verdict: /CONSENSUS, 2 of 2 claims seen/,
  },
  {
    name: "a reservation that is told stays in the report",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer(
        "Keep the cap of 30 seconds",
        "It is what the code has.",
        claims(["The cap is 30 s", "src/retry.js:7", "30_000"]),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("Keep the cap of 30 seconds.", {
        ...holds("C{r}.1"),
        reservations: ["For interactive use I would still prefer 10 seconds."],
      }),
    ],
    verdict: /CONSENSUS, 1 of 1 claims? seen/,
    shows: /prefer 10 seconds/,
  },
  {
    name: "a claim that one side could only assume",
    steps: [
      ask("Are users behind a proxy affected?"),
      answer(
        "Yes, retries of one proxy share its 100 requests a minute",
        "The page says so; how many users sit behind one proxy I cannot know.",
        claims(
          ["Retries count as requests", "docs/limits.md:4", "counts as a request"],
          ["Many users share one proxy", "ask the operators"],
        ),
      ),
      check("claude", "C{r}.1"),
      ...closeOn("Users behind one proxy share the limit; ask operators how many.", {
        checks: [
          { claim: "C{r}.1", outcome: "holds" },
          ...list(assumed("C{r}.2", "only the operators know")["checks"]),
        ],
      }),
    ],
    verdict: /CONSENSUS, 1 of 2 claims seen, 1 assumed/,
    shows: /only the operators know/,
  },
];

function list<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
