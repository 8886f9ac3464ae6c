import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFinding } from "../../scripts-src/findings/rules/finding-text.ts";

const header = `# T
## Working Directories
- \`~/code/pika/worktrees/audio-2\`
## Files Modified
- \`core: a.rs\`
## Files Investigated
## Summary
It leaks.
## Details
`;

function cited(text: string): string[] {
  return readFinding(header + text).citations.map(({ repo, path, from, to }) => {
    const lines = from === to ? `${from}` : `${from}-${to}`;
    return `${repo === undefined ? "" : `${repo}: `}${path}:${lines}`;
  });
}

const citations: [text: string, ...cited: string[]][] = [
  ["src/a.rs:10", "src/a.rs:10"],
  ["`src/a.rs:10-20`", "src/a.rs:10-20"],
  ["see a.rs:10.", "a.rs:10"],
  ["(a.rs:10)", "a.rs:10"],
  ["[a.rs:10](x)", "a.rs:10"],
  ['**a.rs:10**, b.rs:2; "c.rs:3"', "a.rs:10", "b.rs:2", "c.rs:3"],
  ["a.rs:10,20", "a.rs:10"],
  ["a.rs:10\u201320", "a.rs:10-20"],
  ["a.rs:10:5: error", "a.rs:10"],
  ["a.rs:10:let x = 5", "a.rs:10"],
  ["a.rs:20-10", "a.rs:20"],
  ["a.rs:7 a.rs:7-7 a.rs:8", "a.rs:7", "a.rs:8"],
  ["bin/tool:12", "bin/tool:12"],
  [".gitignore:3 .env.local:4", ".gitignore:3", ".env.local:4"],
  ["app/[id]/(group)/page.tsx:3", "app/[id]/(group)/page.tsx:3"],
  ["caf\u00e9/x.rs:3", "caf\u00e9/x.rs:3"],
  ["C:\\code\\a.rs:10 and D:/b.rs:4-5", "C:\\code\\a.rs:10", "D:/b.rs:4-5"],
  ["/home/u/a.rs:10 ~/b.rs:4 ../c.rs:5", "/home/u/a.rs:10", "~/b.rs:4", "../c.rs:5"],
  ["--file=src/a.rs:10", "src/a.rs:10"],
  ["    at run (src/a.ts:10:5)", "src/a.ts:10"],
  ["    at async Promise.all(src/a.ts:10:5)", "src/a.ts:10"],
  ["    at file:///home/u/a.js:10:5", "/home/u/a.js:10"],
  ["    at main (file:///C:/u/a.js:10:5)", "C:/u/a.js:10"],
  ["```\n  --> src/main.rs:4:5\n```", "src/main.rs:4"],
  ["thread 'main' panicked at src/main.rs:4:5:", "src/main.rs:4"],
];

const repositories: [text: string, cited: string][] = [
  ["`pika: src/a.rs:10`", "pika: src/a.rs:10"],
  ["`elsewhere: src/a.rs:10`", "elsewhere: src/a.rs:10"],
  ["pika: src/a.rs:10", "pika: src/a.rs:10"],
  ["audio-2: src/a.rs:10", "audio-2: src/a.rs:10"],
  ["core: src/a.rs:10", "core: src/a.rs:10"],
  ["in (core: src/a.rs:10)", "core: src/a.rs:10"],
  ["core: `src/a.rs:10`", "core: src/a.rs:10"],
  ["`core: C:\\a.rs:10`", "core: C:\\a.rs:10"],
  ["`error: src/a.rs:10`", "src/a.rs:10"],
  ["Cause: src/a.rs:10", "src/a.rs:10"],
  ["elsewhere: src/a.rs:10", "src/a.rs:10"],
  ["core : src/a.rs:10", "src/a.rs:10"],
  ["core:  src/a.rs:10", "src/a.rs:10"],
  ["core src/a.rs:10", "src/a.rs:10"],
  ["x/core: src/a.rs:10", "src/a.rs:10"],
];

const others = [
  "http://host:8080",
  "https://host.org/a/b.rs:80/c",
  "see(http://host/a=b/c.rs:10)",
  "postgres://u:pw@host/db:5432",
  "12:30",
  "2026-04-22T12:30:45Z",
  "2026/04/22T12:30",
  "1/2:3",
  "localhost:3000",
  "example.com:443",
  "registry.example.io:5000",
  "10.0.0.1:80",
  "[::1]:80",
  "node:20",
  "std::vec:10",
  "Makefile:12",
  "//host/x:80",
  "a.rs:0",
  "a.rs:",
  "a.rs:x",
  "a.rs:10abc",
  "a.rs:10/x",
  "a.rs:1.5",
  "a.rs:10-x",
  "a.rs:1234567890",
  "a.rs 10",
  ":10",
  "src/:10",
  `${"x".repeat(1025)}.rs:1`,
  "a\u001b[1m/b.rs:1",
  "node:internal/modules/run_main:123:12",
];

describe("citations", () => {
  for (const [text, ...expected] of citations) {
    it(`are found in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(cited(text), expected);
    });
  }

  for (const [text, expected] of repositories) {
    it(`know the repository in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(cited(text), [expected]);
    });
  }

  for (const text of others) {
    it(`are not ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.deepEqual(cited(text), []);
    });
  }

  it("count in the header and in each repository", () => {
    const text = header.replace("core: a.rs", "core: a.rs:5").replace("leaks", "leaks at b.rs:6");
    const read = readFinding(`${text}\`pika: b.rs:6\` and b.rs:6`);
    const found = read.citations.map(({ repo = "", path }) => `${repo} ${path}`);
    assert.deepEqual(found, ["core a.rs", " b.rs", "pika b.rs"]);
    assert.deepEqual(read.modified, [{ repo: "core", path: "a.rs" }]);
  });
});

const relations: [line: string, confirms: string[], supersedes: string[]][] = [
  ["Confirms: bob/01", ["bob/01"], []],
  ["Supersedes: alice/02", [], ["alice/02"]],
  [
    "Confirms: bob/01-x.md, `cy/2` and dan/3; eve/4-a-and-b.",
    ["bob/01-x.md", "cy/2", "dan/3", "eve/4-a-and-b"],
    [],
  ],
  ["- **Confirms:** bob/01 -- the same cause", ["bob/01"], []],
  ["* **confirms**: bob/01 (the same cause, really)", ["bob/01"], []],
  ["  SUPERSEDES:bob/01", [], ["bob/01"]],
  ["Confirms: bob/01\nSupersedes: bob/02\nConfirms: bob/01, cy/1", ["bob/01", "cy/1"], ["bob/02"]],
  [
    "Confirms: .consulta/sessions/b/findings/bob/01-x.md",
    [".consulta/sessions/b/findings/bob/01-x.md"],
    [],
  ],
  ["Confirms: bob/notes.md", ["bob/notes.md"], []],
  ["Confirms: none", [], []],
  ["Supersedes:", [], []],
  ["This confirms: bob/01", [], []],
  ["Confirmed: bob/01", [], []],
];

describe("relations", () => {
  for (const [line, confirms, supersedes] of relations) {
    it(`are read from ${JSON.stringify(line)}`, () => {
      const read = readFinding(`${header}${line}\n`);
      assert.deepEqual([read.confirms, read.supersedes], [confirms, supersedes]);
      assert.deepEqual(read.faults, []);
    });
  }

  it("that name no finding are told", () => {
    const read = readFinding(`${header}Confirms: bob's idea, x, 01, Bob/1, cy/1\n`);
    assert.deepEqual(read.confirms, ["cy/1"]);
    assert.deepEqual(
      read.faults,
      ['"bob\'s idea"', '"x"', '"01"', '"Bob/1"'].map(
        (it) => `${it} names no finding; write agent/number, such as: Confirms: bob/01`,
      ),
    );
  });
});
