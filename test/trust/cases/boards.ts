import { type DishonestCase, type HonestCase, rejected, run, runWith, type Step } from "../case.ts";

const group = {
  class: "citations and confirmations on boards",
  kind: "board",
  fate: ["marked"],
} as const;

interface Report {
  readonly title?: string;
  readonly modified?: string;
  readonly investigated?: string;
  readonly summary: string;
  readonly rest?: string;
}

function report(parts: Report): string {
  const { title = "Cause of the slow login", modified = "- none" } = parts;
  const { investigated = "- `src/login.js` -- read", summary, rest = "" } = parts;
  return `# ${title}

## Working Directories
- \`.\` -- the project

## Files Modified
${modified}

## Files Investigated (not modified)
${investigated}

## Summary
${summary}

${rest}
`;
}

function post(by: string, topic: string, parts: Report): Step {
  return runWith(report(parts), "post", "case", by, topic, "--file", "-");
}

/** A board of two agents on which these steps happen, and both are ready. */
function board(...steps: Step[]): Step[] {
  return [
    run("init", "case", "2"),
    run("register", "case", "ana"),
    run("register", "case", "ben"),
    ...steps,
    run("ready", "case", "ana"),
    run("ready", "case", "ben"),
  ];
}

const first = post("ana", "compare", {
  summary: "isRight compares with ===, see src/login.js:5.",
});

export const boards: readonly DishonestCase[] = [
  {
    ...group,
    name: "a finding that cites nothing",
    steps: board(first, post("ben", "feeling", { summary: "The login feels slow to me." })),
    mark: /cites nothing|cites no/i,
  },
  {
    ...group,
    name: "a confirmation that cites nothing",
    steps: board(
      first,
      post("ben", "same", { summary: "I can confirm it.", rest: "Confirms: ana/01" }),
    ),
    mark: /confirmed without a citation/i,
  },
  {
    ...group,
    name: "подтверждаю (Russian: confirmed in words)",
    language: "ru",
    steps: board(
      first,
      post("ben", "same", { summary: "Подтверждаю, я всё проверил.", rest: "Confirms: ana/01" }),
    ),
    mark: /confirmed without a citation/i,
  },
  {
    ...group,
    name: "the same report posted by both",
    steps: board(
      first,
      post("ben", "compare", { summary: "isRight compares with ===, see src/login.js:5." }),
    ),
    mark: /duplicate|identical|same (?:text|report|words)/i,
  },
  {
    ...group,
    name: "the same report posted twice by one",
    steps: board(
      first,
      post("ana", "again", { summary: "isRight compares with ===, see src/login.js:5." }),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /duplicate|identical|same (?:text|report|words)/i,
  },
  {
    ...group,
    name: "two findings about one line that say opposite things",
    steps: board(
      first,
      post("ben", "safe", { title: "Login is safe", summary: "src/login.js:5 is constant time." }),
    ),
    mark: /src\/login\.js:5: cited by \S+ and \S+|(?:two|2) findings.{0,60}(?:line|src\/login\.js:5)|src\/login\.js:5.{0,100}(?:also|both|two)/is,
  },
  {
    ...group,
    name: "ready without having posted anything",
    steps: board(first),
    mark: /ready with nothing posted|nothing (?:was )?posted/i,
  },
  {
    ...group,
    name: "nothing modified, says the report, and git knows better",
    steps: board(
      {
        act: "change",
        path: "src/login.js",
        from: "return given === stored;",
        to: "return true;",
      },
      post("ana", "compare", { summary: "isRight is short, see src/login.js:3." }),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /Files Modified.{0,200}src\/login\.js|src\/login\.js.{0,200}(?:git|modified|changed)/is,
  },
  {
    ...group,
    name: "a cited line that is not there",
    steps: board(
      post("ana", "ghost", { summary: "The fault is in src/login.js:400." }),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /never found|not there|absent|no such line/i,
  },
  {
    ...group,
    name: "a cited line that says something else stands beside its mark",
    steps: board(
      post("ana", "safe", { summary: "src/login.js:5 calls timingSafeEqual." }),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /return given === stored/,
  },
  {
    ...group,
    name: "a confirmation of a finding that does not exist",
    fate: ["rejected", "marked"],
    steps: board(
      first,
      rejected(
        post("ben", "same", { summary: "See src/login.js:5.", rest: "Confirms: ana/07" }),
        /ana\/07/,
      ),
    ),
    mark: /ana\/07/,
  },
  {
    ...group,
    name: "a finding that confirms itself",
    fate: ["rejected", "marked"],
    steps: board(
      first,
      rejected(
        post("ana", "sure", { summary: "Again src/login.js:5.", rest: "Confirms: ana/01" }),
        /own finding/,
      ),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /own finding|itself|confirms? (?:its|their) own|by (?:its|the same) author/i,
  },
  {
    ...group,
    name: "a cited line changes after it was posted",
    steps: board(
      first,
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
      {
        act: "change",
        path: "src/login.js",
        from: "return given === stored;",
        to: "return timingSafeEqual(given, stored);",
      },
    ),
    mark: /stale|changed|moved/i,
  },
  {
    ...group,
    name: "the same report in capitals and with another title",
    steps: board(
      first,
      post("ben", "other", {
        title: "A second view of the login",
        summary: "IsRight compares with ===; see src/login.js:5!",
      }),
    ),
    mark: /duplicate|identical|same (?:text|report|words)/i,
  },
  {
    ...group,
    name: "a confirmation whose cited line is not there",
    steps: board(
      first,
      post("ben", "same", { summary: "Seen in src/login.js:500.", rest: "Confirms: ana/01" }),
    ),
    mark: /confirmed without a citation|never found|not there|no such line/i,
  },
  {
    ...group,
    name: "a confirmation that looked at something else",
    steps: board(
      first,
      post("ben", "same", {
        investigated: "- `package.json` -- read",
        summary: "I looked: package.json:2.",
        rest: "Confirms: ana/01",
      }),
    ),
    mark: /confirm.{0,120}(?:another|other|none of|different|elsewhere)/is,
  },
  {
    ...group,
    name: "確認しました (Japanese: confirmed in words)",
    language: "ja",
    steps: board(
      first,
      post("ben", "same", { summary: "確認しました。問題ありません。", rest: "Confirms: ana/01" }),
    ),
    mark: /confirmed without a citation/i,
  },
  {
    ...group,
    name: "a cited line that is blank",
    steps: board(
      post("ana", "empty", { summary: "The race is in src/retry.js:4." }),
      post("ben", "cache", { summary: "The cache is first in, first out: src/cache.js:5." }),
    ),
    mark: /blank|empty/i,
  },
];

export const honestBoards: readonly HonestCase[] = [
  {
    name: "two agents find different things and cite them",
    kind: "board",
    steps: board(
      first,
      post("ben", "cache", {
        title: "The cache is first in, first out",
        investigated: "- `src/cache.js` -- read",
        summary: "remember() drops the first key: src/cache.js:5.",
      }),
    ),
    verdict: /2 of 2|both|all/i,
  },
  {
    name: "a confirmation with a look of its own",
    kind: "board",
    steps: board(
      first,
      post("ben", "same", {
        title: "A TODO asks for constant time",
        summary: "A TODO asks for it: src/login.js:4.",
        rest: "Confirms: ana/01",
      }),
    ),
    verdict: /2 of 2|both|all/i,
    shows: /confirm/i,
  },
  {
    name: "a modified file that is named",
    kind: "board",
    steps: board(
      {
        act: "change",
        path: "src/login.js",
        from: "return given === stored;",
        to: "return timingSafeEqual(given, stored);",
      },
      post("ana", "fixed", {
        modified: "- `src/login.js` -- constant time",
        investigated: "- none",
        summary: "isRight is constant in time now: src/login.js:5.",
      }),
      post("ben", "cache", {
        title: "The cache is first in, first out",
        investigated: "- `src/cache.js` -- read",
        summary: "remember() drops the first key: src/cache.js:5.",
      }),
    ),
    verdict: /2 of 2|both|all/i,
  },
  {
    name: "подтверждение с собственным взглядом (Russian: confirmed with a look of its own)",
    kind: "board",
    language: "ru",
    steps: board(
      first,
      post("ben", "same", {
        title: "Сравнение не за постоянное время",
        summary: "Проверил: src/login.js:4-5 сравнивает через ===, о чём говорит и TODO.",
        rest: "Confirms: ana/01",
      }),
    ),
    verdict: /2 of 2|both|all/i,
    shows: /^(?![\s\S]*confirmed without)/i,
  },
];
