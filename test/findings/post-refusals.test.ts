import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { reportText } from "./board.ts";
import { marksOf, printOf } from "./pool-print.ts";
import { base, refused } from "./refusals.ts";

// Bad reports: one line, the right exit code, nothing lost.

describe("a report that", () => {
  const tooLarge = `${reportText()}${"x".repeat(2 << 20)}`;
  const notText = Buffer.concat([Buffer.from(reportText()), Buffer.from([0xff, 0xfe, 0x80])]);
  const rows: [what: string, content: string | Uint8Array, reason: RegExp][] = [
    ["has 2 MiB", tooLarge, /has \d+ bytes/],
    ["is not UTF-8", notText, /not UTF-8/],
  ];
  for (const [what, content, reason] of rows) {
    it(`${what} is refused by post`, async () => {
      const path = base.put("bad.md", content);
      await refused(2, reason, "post", "alice", "big", "--file", path);
      rmSync(path);
    });

    it(`${what} and was put there by hand is named by ready and marked by read-all`, async () => {
      const at = base.copy();
      at.write("findings/bob/01-bad.md", content);
      const strict = () => at.run("ready", ["bob", "--strict"]);
      await checkRefused(at.project, 2, new RegExp(`01-bad\\.md.*${reason.source}`), strict);
      const { code, stderr } = at.run("ready", ["bob"]);
      assert.equal(code, 0);
      assert.match(stderr, new RegExp(`^warning: 01-bad\\.md: .*${reason.source}`, "m"));
      const shown = at.readAll("cy");
      assert.match(marksOf(shown, "bob", "01-bad.md")[0] ?? "", reason);
      assert.match(printOf(shown, "bob").quoted, /--- 01-bad\.md ---\n\n$/);
      assert(shown.length < 10_000, "what nobody can read is not printed");
    });
  }

  it("holds control sequences never brings them to a terminal", () => {
    const at = base.copy();
    const wild = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u0000";
    const text = reportText({ title: `T ${wild}`, summary: `S ${wild}`, rest: `R ${wild}` });
    at.post("bob", "wild", text);
    at.ready("bob");
    assert.equal(at.read("findings/bob/01-wild.md"), text);
    const outputs = [
      at.readAll("alice"),
      at.project.run("report", ["--folder", "board"]).stdout,
      at.project.run("status", ["--folder", "board"]).stdout,
      at.project.run("next-action", ["--folder", "board", "--participant", "alice"]).stdout,
    ];
    for (const output of outputs) {
      assert.doesNotMatch(output, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    assert.match(outputs[0] ?? "", /\\u001b\[2J/);
  });

  it("has control characters in a path that it lists is refused", async () => {
    const path = base.put("bad.md", reportText({ modified: ["src/\u001b[31m.rs"] }));
    await refused(2, /control characters in its path/, "post", "alice", "t", "--file", path);
    rmSync(path);
  });

  const headers: [what: string, text: string, missing: RegExp[]][] = [
    ["is empty", "", [/the report is empty/]],
    ["is blank", " \n\t\n", [/the report is empty/]],
    [
      "has no header at all",
      "It is the cache.\n",
      [
        ...[/expected a title/, /"## Working Directories" is missing/, /"## Files Modified"/],
        ...[/"## Files Investigated \(not modified\)"/, /"## Summary" is missing/],
      ],
    ],
    ["lacks the summary's text", reportText({ summary: "" }), [/"## Summary" is empty/]],
    ["lacks directories", reportText({ directories: [] }), [/"## Working Directories" lists none/]],
    [
      "has several directories and a path without its repository",
      reportText({ directories: ["~/pika", "~/bot"], modified: ["src/a.rs"] }),
      [/"src\/a\.rs" does not say in which of the 2 working directories/],
    ],
    [
      "confirms what is not there",
      reportText({ rest: "Confirms: bob/07" }),
      [/"Confirms: bob\/07" names no finding here/],
    ],
    [
      "confirms its own author",
      reportText({ rest: "Confirms: alice/01" }),
      [/"Confirms: alice\/01" is your own finding/],
    ],
  ];
  for (const [what, text, missing] of headers) {
    it(`${what} is refused by post, in one line that names everything`, async () => {
      const before = base.project.listing();
      const { code, stdout, stderr } = base.run("post", ["alice", "t", "--file", "-"], text);
      assert.deepEqual([code, stdout], [2, ""]);
      assert(isOneLine(stderr), stderr);
      for (const reason of missing) assert.match(stderr, reason);
      assert.deepEqual(base.project.listing(), before);
    });
  }

  it("was written by hand and is empty or malformed is named by ready, and let through", () => {
    const at = base.copy();
    at.write("findings/bob/01-empty.md", "");
    at.write("findings/bob/02-loose.md", "It is the cache.\n");
    const strict = at.run("ready", ["bob", "--strict"]);
    assert.deepEqual([strict.code, strict.stdout], [2, ""]);
    assert(isOneLine(strict.stderr), strict.stderr);
    assert.match(strict.stderr, /not marked ready: 01-empty\.md: .*02-loose\.md: .*Summary/);
    assert.equal(at.poll("bob").stdout, "waiting (0/3 agents ready)\n");
    const { code, stdout, stderr } = at.run("ready", ["bob"]);
    assert.deepEqual([code, stdout], [0, "Agent bob marked ready (1/3)\n"]);
    assert.match(stderr, /^warning: 01-empty\.md: .*empty$/m);
    assert.match(stderr, /^warning: 02-loose\.md: .*title/m);
  });

  it("is not there at all is told by ready, and refused with --strict", async () => {
    const at = base.copy();
    const strict = () => at.run("ready", ["bob", "--strict"]);
    await checkRefused(at.project, 2, /not marked ready: no report is posted/, strict);
    assert.match(at.run("ready", ["bob"]).stderr, /^warning: no report is posted$/m);
  });
});
