import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Stage } from "./stage.ts";

const agree = (accepts: number, content: string) => ({
  ...{ type: "AGREE", accepts, confidence: 0.9, question_or_proposal: { content } },
  ...(accepts === 3 ? { checks: [{ claim: "C3.1", outcome: "holds" }] } : {}),
});
const seqOfLast = (at: Stage) =>
  Number(at.events("talk").findLast(({ event }) => event === "message_sent")?.["seq"]);

describe("what a record says of its claim", () => {
  it("is what the claim says and nobody saw, and how often the expected words are there", () => {
    const at = new Stage();
    at.write("src/more.ts", "const a = 1;\n".repeat(9));
    at.answer({ text: "The ttl is 90", check: "src/cache.ts:2", expect: "const" });
    const [{ lacks, places } = {}] = at.records();
    assert.deepEqual([lacks, places], [["90"], 10]);
    const looked = at.check("claude", "--claim", "C3.1").stdout;
    assert.match(looked, /^to compare: the claim says 90; what was seen has no 90$/m);
    assert.match(looked, /^to compare: it expects "const", which 10 lines of the project hold$/m);
  });

  it("is nothing where the claim says what is there", () => {
    const at = new Stage();
    at.answer({ text: "ttl is 60 s", check: "src/cache.ts:2", expect: "ttl = 60" });
    assert.doesNotMatch(at.check("claude", "--claim", "C3.1").stdout, /to compare/);
    const [{ lacks, places } = {}] = at.records();
    assert.deepEqual([lacks, places], [undefined, undefined]);
  });

  it("looks at all that was seen, of which the log has parts", () => {
    const at = new Stage();
    const filler = "x\n".repeat(1_900);
    at.write("src/long.ts", `${filler}const limit = 77;\n${filler}`);
    at.answer({ text: "limit is 77", check: "src/long.ts:1000-2900", expect: "const limit" });
    assert.deepEqual(at.records()[0]?.["lacks"], undefined);
  });
});

describe("a command that saw files which no commit has", () => {
  const begun = () => {
    const at = new Stage();
    at.commit("src");
    at.write("probe.mjs", "import 'node:fs'; console.log('all pass');\n");
    at.allow(["node", "probe.mjs"]);
    at.answer({ text: "All pass", check: "node probe.mjs", expect: "all pass" });
    for (const by of ["gemini", "claude"]) assert.equal(at.check(by, "--claim", "C3.1").code, 0);
    at.say("talk", "claude", agree(3, "All pass; it stays at 60, or at 45."));
    return at;
  };
  const confirm = (at: Stage) => at.send("talk", "gemini", agree(seqOfLast(at), "Confirmed."));
  const verdict = (at: Stage) => at.run("report", ["--session", "talk"]).stdout.split("\n")[2];

  it("counts as seen while they are what they were", () => {
    const at = begun();
    assert.match(String(at.records()[0]?.["files"]), /^[0-9a-f]{64} probe\.mjs$/);
    const told = at.next("talk", "gemini").stdout;
    assert.match(told, /^noticed: no claim that both have seen has "60", "45"$/m);
    assert.doesNotMatch(told, /changed since/);
    assert.equal(confirm(at).code, 0);
    assert.match(verdict(at) ?? "", /1 of 1 claims seen, 2 figures only said/);
    at.write("probe.mjs", "process.exit(1);\n");
    const later = /1 of 1 claims seen, .*; rests on files that have changed since\*\*$/;
    assert.match(verdict(at) ?? "", later);
  });

  it("does not count once they are others, and both sides are told before the end", () => {
    const at = begun();
    at.write("probe.mjs", "process.exit(1);\n");
    const changed = /C3\.1 of gemini: seen on files that have changed since: "probe\.mjs"/;
    for (const by of ["claude", "gemini"]) assert.match(at.next("talk", by).stdout, changed);
    const ran = confirm(at);
    assert.match(`${ran.stdout}${ran.stderr}`, /C3\.1 does not count: seen on files that have/);
    at.write("probe.mjs", "import 'node:fs'; console.log('all pass');\n");
    const status = at.run("status", ["--session", "talk", "--all"]).stdout;
    assert.match(status, /0 of 1 claims seen, 1 assumed/);
  });

  it("tells what it wrote itself, and keeps none that is hidden or ignored", () => {
    const at = new Stage();
    at.write(".gitignore", "*.log\n");
    at.commit("src", ".gitignore");
    const script = "import fs from 'node:fs'; fs.appendFileSync('out.txt', 'x');\n";
    for (const path of ["probe.mjs", "out.txt", "run.log", ".notes"]) at.write(path, script);
    at.allow(["node", "probe.mjs"]);
    at.check("gemini", "--run", "--", "node", "probe.mjs");
    const files = String(at.records()[0]?.["files"]);
    assert.match(files, /^wrote out\.txt,[0-9a-f]{64} probe\.mjs$/);
  });
});
