import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readFinding } from "../../../scripts-src/findings/rules/finding-text.ts";

const sample = `# Audio stops after a reconnect

## Working Directories
- \`~/code/pika/worktrees/audio-2\` -- media transport layer
- \`~/code/openclaw-marmot\` -- bot sidecar daemon

## Files Modified
- \`pika: crates/media/src/network.rs\` -- worker thread
- \`openclaw-marmot: src/daemon.rs\` -- new, logging

## Files Investigated (not modified)
- \`pika: rust/src/core/call.rs\` -- serialization

## Summary
The relay drops
its socket.

## Details
See \`pika: crates/media/src/network.rs:10-20\` and marmotd/src/x.rs:7.
Confirms: bob/01
`;

interface Parts {
  directories?: string;
  modified?: string;
  investigated?: string;
  summary?: string;
  rest?: string;
}

/** A right report but for what is given. */
function report(parts: Parts = {}): string {
  const { directories = "- `~/code/pika`", modified = "- none", investigated = "- none" } = parts;
  const { summary = "It leaks.", rest = "" } = parts;
  return (
    `# T\n\n## Working Directories\n${directories}\n\n## Files Modified\n${modified}\n\n` +
    `## Files Investigated (not modified)\n${investigated}\n\n## Summary\n${summary}\n${rest}`
  );
}

function shown(files: readonly { repo: string | undefined; path: string }[]): string[] {
  return files.map(({ repo, path }) => (repo === undefined ? path : `${repo}: ${path}`));
}

describe("a right report", () => {
  it("is read as the seed shows it", () => {
    const { confirms, citations, ...read } = readFinding(sample);
    assert.deepEqual(read, {
      title: "Audio stops after a reconnect",
      workingDirectories: ["~/code/pika/worktrees/audio-2", "~/code/openclaw-marmot"],
      modified: [
        { repo: "pika", path: "crates/media/src/network.rs" },
        { repo: "openclaw-marmot", path: "src/daemon.rs" },
      ],
      investigated: [{ repo: "pika", path: "rust/src/core/call.rs" }],
      summary: "The relay drops its socket.",
      supersedes: [],
      faults: [],
    });
    assert.deepEqual(confirms, ["bob/01"]);
    assert.deepEqual(citations, [
      { repo: "pika", path: "crates/media/src/network.rs", from: 10, to: 20 },
      { repo: undefined, path: "marmotd/src/x.rs", from: 7, to: 7 },
    ]);
  });

  const variants: [name: string, text: string][] = [
    ["carriage returns", sample.replace(/\n/g, "\r\n")],
    ["a byte order mark and blank lines first", `\ufeff\n \n${sample}`],
    ["the short heading", sample.replace(" (not modified)", "")],
    ["capitals and colons in headings", sample.replace("Files Modified", "FILES  MODIFIED:")],
    ["closed headings", sample.replace("## Summary", "## Summary ##")],
    ["headings of its own in between", sample.replace("## Files M", "## Scope\n- x\n\n## Files M")],
    ["stars as bullets", sample.replace(/^- /gm, "* ")],
    ["a blank line below each heading", sample.replace(/^(##.*)$/gm, "$1\n")],
    ["headings that group the files", sample.replace("ified\n- `pi", "ified\n### A\n- `pi")],
    ["descriptions on lines of their own", sample.replace(/ -- (.*)$/gm, " --\n  $1")],
    ["items that say more below", sample.replace("new, logging", "new:\n  - one\n  - two")],
  ];
  for (const [name, text] of variants) {
    it(`may have ${name}`, () => {
      assert.deepEqual(readFinding(text), readFinding(sample));
    });
  }
});

const items: Record<string, string[]> = {
  "src/a.rs": [
    ...["- `src/a.rs` -- what", "- `src/a.rs`", "- src/a.rs -- what - more", "- src/a.rs - what"],
    ...["- src/a.rs \u2013 what", "- src/a.rs \u2014 what", "- src/a.rs (new)", "- src/a.rs --"],
    ...["- src/a.rs: rewrote the parser", "- src/a.rs\n  and what it does", "- `src/a.rs:10:5`"],
    ...["-\n  `src/a.rs` -- what", "- **`src/a.rs`** -- what", "- `src/a.rs:10-20` -- what"],
    "- src/a.rs\n\nSome prose.",
  ],
  "pika: src/a.rs": [
    ...["- `pika: src/a.rs` -- what", "- pika: src/a.rs -- what", "- pika: src/a.rs: what"],
    ...["- pika: `src/a.rs` -- what", "- `pika:src/a.rs`"],
  ],
  "justinmoon/pika: src/a.rs": ["- `justinmoon/pika: src/a.rs`"],
  Makefile: ["-   Makefile"],
  ".env": ["- .env"],
  "src/`a.rs": ["- ``src/`a.rs`` -- what"],
  "C:\\code\\a.rs": ["- `C:\\code\\a.rs` -- what"],
  "C:/code/a.rs": ["- C:/code/a.rs -- what"],
  "/srv/my files/a.rs": ["- `/srv/my files/a.rs` -- what"],
  "src/caf\u00e9.rs": ["- `src/caf\u00e9.rs`"],
  "app/[id]/page.tsx": ["- `app/[id]/page.tsx`"],
};

const nothing = [
  ...["", "- none", "- None.", "- (none)", "- `none`", "* n/a", "- nothing", "none", "(none)", "-"],
  ...["- none -- nothing changed", "- None (only read)"],
];

describe("a list of files", () => {
  for (const [file, texts] of Object.entries(items)) {
    for (const item of texts) {
      it(`reads ${JSON.stringify(item)}`, () => {
        const { modified, faults } = readFinding(report({ modified: item }));
        assert.deepEqual([shown(modified), faults], [[file], []]);
      });
    }
  }

  for (const text of nothing) {
    it(`lists nothing with ${JSON.stringify(text)}`, () => {
      const read = readFinding(report({ modified: text, investigated: text }));
      assert.deepEqual([read.modified, read.investigated, read.faults], [[], [], []]);
    });
  }

  it("keeps what it can read beside what it cannot", () => {
    const read = readFinding(report({ modified: "- a.rs\n- the parser\n- b.rs" }));
    assert.deepEqual(shown(read.modified), ["a.rs", "b.rs"]);
    assert.equal(read.faults.length, 1);
  });
});

const order = "Working Directories.*Files Modified.*Files Investigated.*Summary";
const modified = (text: string) => report({ modified: text });

const faults: [name: string, text: string, ...faults: RegExp[]][] = [
  ["an empty file", "", /^the report is empty; write # TITLE, ## Working Directories/],
  ["a file of blanks", " \n\t\r\n\ufeff", /^the report is empty/],
  ["a first line that is no title", report().slice(5), /first line is "## Working D.* # TITLE$/],
  ["text before the title", `Hello\n${report()}`, /first line is "Hello", expected a title/],
  ["a title without words", report().replace("# T", "# "), /first line is "#", expected a title/],
  ["a title of a lower level", `#${report()}`, /first line is "## T", expected a title/],
  [
    "a report in a code block",
    `\`\`\`\n${report()}\`\`\`\n`,
    /first line is "```"/,
    /"## Working Directories" is missing; add it below the title with items/,
    /"## Files Modified" is missing.*- none/,
    /"## Files Investigated \(not modified\)" is missing.*- none/,
    /"## Summary" is missing; add it with a paragraph/,
  ],
  ["a section of another level", report().replace("## Summary", "### Summary"), /Summary" is miss/],
  [
    "sections out of order",
    swapped(),
    new RegExp(`"## Files Modified" stands too late; .*${order}`),
  ],
  ["a section twice", report({ rest: "## Summary\nB.\n" }), /"## Summary" stands more than once/],
  ["no working directory", report({ directories: "" }), /Working Directories" lists none; write/],
  ["none as working directory", report({ directories: "- none" }), /Directories" lists none/],
  ["prose as working directory", report({ directories: "In pika" }), /"In pika" is no list item/],
  ["an item that is no directory", report({ directories: "- the repo" }), /"the repo" is no path/],
  ["an empty summary", report({ summary: " " }), /"## Summary" is empty; write a paragraph/],
  ["a summary of headings", report({ summary: "### A\nx" }), /"## Summary" is empty/],
  ["an item that is no path", modified("- I did it"), /Modified: "I did it" is no path; w/],
  ["words in backticks", report({ investigated: "- `the parser`" }), /`the parser`" is no path/],
  ["an address", report({ investigated: "- https://x.org/a" }), /is no path/],
  ["dots for a path", modified("- ..."), /"\.\.\." is no path/],
  ["an open backtick", modified("- `src/a.rs -- x"), /is no path; write one item a file/],
  ["several files in one item", modified("- `a.rs`, `b.rs`"), /names several files/],
  ["several files over lines", modified("- `a.rs`,\n  `b.rs`"), /names several files/],
  ["files below their repository", modified("- pika:\n  - `a.rs`"), /"pika:" is no path/],
  ["files below a bold word", modified("- **pika**\n  - `a.rs`"), /"\*\*pika\*\*" is no/],
  ["files in prose", modified("I changed src/a.rs"), /is no list item; write one item/],
  ["files in a code block", modified("```\n- a.rs\n```"), /"```" is no list item/],
  ["a long path", modified(`- ${"x/".repeat(513)}`), /path of 1026 characters, expected at/],
  ["control characters", modified("- `a\u001b[2J.rs`"), /"`a\\u001b\[2J.rs`" has control/],
  ["a tab in a path", modified("- `a\tb/c.rs`"), /has control characters in its path/],
  ["a turned text direction", modified("- `a\u202eb.rs`"), /"`a\\u202eb.rs`" has control/],
];

function swapped(): string {
  const [modified, rest] = ["## Files Modified\n- none\n\n", report()];
  return `${rest.replace(modified, "")}\n${modified}`;
}

describe("a faulty report", () => {
  for (const [name, text, ...expected] of faults) {
    it(`is told ${name}`, () => {
      const read = readFinding(text).faults;
      assert.equal(read.length, expected.length, read.join("\n"));
      for (const [index, fault] of expected.entries()) assert.match(read[index] ?? "", fault);
      assert.doesNotMatch(read.join(""), /[\n\u001b\u202e]/);
    });
  }

  it("names five bad items of a list and counts the rest", () => {
    const read = readFinding(report({ modified: "- no path\n".repeat(12) })).faults;
    assert.equal(read.length, 6);
    assert.match(read[5] ?? "", /^## Files Modified: 7 more such items$/);
  });
});

describe("several working directories", () => {
  const directories = "- `~/code/pika`\n- `~/code/marmot`";

  it("want a repository before each path, and the fault shows it", () => {
    const investigated = "- `pika: src/b.rs`\n- `/srv/c.rs`";
    const read = readFinding(report({ directories, modified: "- `src/a.rs`", investigated }));
    const wanted = (path: string, inside: string) =>
      `"${path}" does not say in which of the 2 working directories it lies; put the repository ` +
      `before it: - \`pika: ${inside}\``;
    const faults = [wanted("src/a.rs", "src/a.rs"), wanted("/srv/c.rs", "path/inside/it")];
    assert.deepEqual(read.faults, faults);
  });

  it("are counted once each, and take no letter of a drive for a repository", () => {
    const same = "- `~/code/pika`\n- `~/code/pika` -- again";
    const read = readFinding(report({ directories: same, modified: "- a.rs" }));
    assert.deepEqual([read.workingDirectories, read.faults], [["~/code/pika"], []]);
    const drives = report({ directories, modified: "- `C:\\a.rs`\n- D:/b.rs" });
    assert.match(readFinding(drives).faults.join(), /"C:\\\\a.rs" does not.*"D:\/b.rs" does not/);
  });

  it("name five bare paths and count the rest", () => {
    const modified = Array.from({ length: 8 }, (_, index) => `- f${index}.rs`).join("\n");
    const { faults: read } = readFinding(report({ directories, modified }));
    assert.deepEqual([read.length, read[5]], [6, "3 more paths lack their repository"]);
  });
});

describe("a summary", () => {
  const summaries: [name: string, summary: string, expected: string][] = [
    ["of several lines", "One\n  two\n\nthree\t four", "One two three four"],
    ["that ends at a heading of any level", "One\n#### More\ntwo", "One"],
    ["that ends at a rule", "One\n\n---\ntwo", "One"],
    ["with a code block", "One\n```sh\n# not a heading\n```\ntwo", "One # not a heading two"],
  ];
  for (const [name, summary, expected] of summaries) {
    it(`${name} becomes one line`, () => {
      const read = readFinding(report({ summary }));
      assert.deepEqual([read.summary, read.faults], [expected, []]);
    });
  }
});

describe("code blocks", () => {
  const blocks: [name: string, rest: string][] = [
    ["of backticks", "```\n## Summary\nConfirms: x/1\n```\n"],
    ["of tildes", "~~~ text\n## Summary\n```\n## Summary\n~~~\n"],
    ["that are indented", "   ```\n## Summary\n   ```\n"],
    ["that hold shorter fences", "````\n```\n## Summary\n```\n## Summary\n````\n"],
    ["that nobody closes", "```\n## Summary\n"],
  ];
  for (const [name, rest] of blocks) {
    it(`${name} hold no headings and no relations`, () => {
      const read = readFinding(report({ rest: `\n${rest}` }));
      assert.deepEqual([read.faults, read.confirms], [[], []]);
    });
  }

  it("end, so that headings after them count", () => {
    const read = readFinding(report({ rest: "```\nx\n```\n`` ` ``\n## Summary\n" }));
    assert.match(read.faults.join(), /stands more than once/);
  });
});

describe("limits of a report", () => {
  const list = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `- ${name}${index}.rs`).join("\n");

  it("cut the lists and say so", () => {
    const directories = Array.from({ length: 33 }, (_, index) => `- ~/d${index}`).join("\n");
    const files = { modified: list(150, "p: a"), investigated: list(51, "p: b") };
    const references = Array.from({ length: 33 }, (_, index) => `bob/${index + 1}`).join(", ");
    const rest = `Confirms: ${references}\nSupersedes: cy/1\n`;
    const read = readFinding(report({ directories, ...files, rest }));
    const sizes = [read.workingDirectories, read.modified, read.investigated, read.confirms];
    assert.deepEqual(
      [...sizes, read.supersedes].map((it) => it.length),
      [32, 150, 50, 32, 0],
    );
    assert.equal(read.faults.length, 3, read.faults.join("\n"));
    assert.match(read.faults[0] ?? "", /lists 33 working directories, expected at most 32/);
    assert.match(read.faults[1] ?? "", /lists 201 files, expected at most 200/);
    assert.match(read.faults[2] ?? "", /confirms or supersedes 34 findings, expected at most 32/);
  });

  it("keep 64 citations", () => {
    const cited = Array.from({ length: 70 }, (_, index) => `a.rs:${index + 1}`).join(" ");
    const read = readFinding(report({ rest: `${cited}\n${cited}\n` }));
    assert.deepEqual([read.citations.length, read.faults], [64, []]);
  });
});

describe("any text", () => {
  const signs = "#| |## |\n|\r\n|- |* |`|```|~~~|: |:1|:1-2|a|a.b|/|\\|(|)|[|]|,|--|C:\\|http://";
  const words =
    "Summary|Files Modified|Working Directories|Files Investigated|none|Confirms: |bob/01";
  const odd = ["|", "\u0000", "\ud800", "\u2028"];
  const pieces = fc.constantFrom(...`${signs}|${words}`.split("|"), ...odd);
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(pieces, { maxLength: 60 }).map((it) => it.join("")),
  );

  it("is read without an error, and its faults are single lines", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const read = readFinding(text);
        const paths = [...read.modified, ...read.citations].map(({ path }) => path);
        for (const it of [...read.workingDirectories, ...paths, ...read.faults])
          assert.doesNotMatch(it, /[\u0000-\u001f]/);
      }),
    );
  });

  it("below a right header leaves the header right, but for headings and relations", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const rest = text.replace(/#|confirms|supersedes/gi, "");
        const read = readFinding(report({ rest: `\n## More\n${rest}` }));
        assert.deepEqual(read.faults, []);
      }),
    );
  });
});

describe("a hostile report", () => {
  const header = report().slice(0, report().indexOf("- `~"));
  /** CPU time, of a second or third try where the first was late: other tests run beside this. */
  function timeMs(text: string, enoughMs: number): number {
    const times: number[] = [];
    while (times.length < 3 && !times.some((it) => it < enoughMs)) {
      const before = process.cpuUsage().user;
      readFinding(text);
      times.push((process.cpuUsage().user - before) / 1_000);
    }
    return Math.min(...times);
  }

  const units = ["`", "a:", "- \n", "- `a\n", "a.b:1 ", "a/b:1", "(", "`` ` ", "** "];
  for (const unit of [...units, "Confirms: a/1, ", "## Summary\n## Files Modified\n"]) {
    it(`of ${JSON.stringify(unit)} is read in no time`, () => {
      const body = unit.repeat(Math.ceil(262_144 / unit.length)).slice(0, 262_144);
      for (const start of ["", `${header}- \``]) {
        const usedMs = timeMs(`${start}${body}x`, 400);
        assert.ok(usedMs < 400, `${usedMs} ms after ${JSON.stringify(start)}`);
      }
    });
  }
});
