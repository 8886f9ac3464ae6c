/** The report as whoever audits it in three minutes reads it: what comes first, and in whose voice. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, type Project, projectMaker, recordOf } from "./project.ts";

const makeProject = projectMaker();

const seqOf = (project: Project) => Number(project.acts("cache").at(-1)?.["seq"]);
const reportOf = (project: Project, ...args: string[]) =>
  project.run("report", ["--session", "cache", ...args]).stdout;

/** Both agree on what gemini claimed, of which claude saw one claim and left one. */
function agreed(fields = {}): Project {
  const project = makeProject();
  mkdirSync(join(project.folder, "src"));
  writeFileSync(join(project.folder, "src", "config.ts"), "ttl = 60;\ncache = memory;\n");
  project.open("cache");
  project.say(
    "cache",
    "claude",
    draft("REQUEST", "Does the cache move?", { position: "Keep the cache in memory" }),
  );
  const claims = [
    { text: "The cache is in memory", check: "src/config.ts:2", expect: "memory" },
    { text: "Load stays low", check: "npm run load" },
  ];
  const position = "Keep the cache in memory";
  project.say(
    "cache",
    "gemini",
    draft("RESPONSE", "No, one process.", { position, claims, ...fields }),
  );
  const seen = project.run("check", [
    "--session",
    "cache",
    "--participant",
    "claude",
    "--claim",
    "C3.1",
  ]);
  assert.equal(seen.code, 0, seen.stderr);
  const checks = [
    { claim: "C3.1", outcome: "holds", evidence: `E${seqOf(project)}` },
    { claim: "C3.2", outcome: "not_run", reason: "there is no load script" },
  ];
  const accepted = { accepts: 3, checks, reservations: ["A restart loses entries"] };
  project.say(
    "cache",
    "claude",
    draft("AGREE", "Keep it; look again at a second process.", accepted),
  );
  project.say("cache", "gemini", draft("AGREE", "Yes.", { accepts: seqOf(project) }));
  return project;
}

describe("the report", () => {
  it("tells the verdict, the decision, what it rests on, and then the rest, in this order", () => {
    const text = reportOf(agreed());
    const parts = [
      "\n**CONSENSUS, 1 of 2 claims seen, 1 assumed, not audited**\n",
      "\n## Decision\n\n**Keep the cache in memory**\n\n> Keep it; look again at a second process.\n",
      '\n## What it rests on\n\n- C3.1 of gemini: The cache is in memory [src/config.ts:2, expects "memory"]: seen by gemini ',
      "; unchanged today\n  > cache = memory;\n",
      "\n## Assumptions\n\n- C3.2 of gemini: Load stays low [npm run load]: seen by nobody; claude did not run it: there is no load script\n",
      "\n## Who changed\n",
      "\n## First answers\n",
      "\n## Reservations and dissent\n\n- claude (message 6): A restart loses entries\n",
      "\n## Check it\n",
      "check.cjs --session cache --replay\n",
      "\n## Messages\n",
    ];
    let from = 0;
    for (const part of parts) {
      const at = text.indexOf(part, from);
      assert(at >= from, `${part} is missing or too early in:\n${text}`);
      from = at;
    }
    assert.doesNotMatch(text, /## Delivery/);
  });

  it("says in verdict, claim and status when cited lines have changed", () => {
    const project = agreed();
    writeFileSync(join(project.folder, "src", "config.ts"), "ttl = 60;\ncache = disk;\n");
    const text = reportOf(project);
    assert.match(text, /^\*\*CONSENSUS, .*; rests on lines that have changed since\*\*$/m);
    assert.match(text, /^- C3\.1 .*; CHANGED since: /m);
    assert.match(
      project.run("status", ["--all"]).stdout,
      /rests on lines that have changed since: "src\/config\.ts:2" \(C3\.1\)/,
    );
  });

  it("tells programs the same", () => {
    const { report } = recordOf(reportOf(agreed(), "--json"));
    const { data } = recordOf(JSON.stringify(report));
    const { verdict, claims, decision } = recordOf(JSON.stringify(data));
    const { code, seen, assumed } = recordOf(JSON.stringify(verdict));
    assert.deepEqual([code, seen, assumed], ["assumed", 1, 1]);
    assert(Array.isArray(claims));
    assert.deepEqual(
      claims.map(({ id, status, since }) => [id, status, since]),
      [
        ["C3.1", "seen", "same"],
        ["C3.2", "assumed", ""],
      ],
    );
    assert.equal(recordOf(JSON.stringify(decision))["position"], "Keep the cache in memory");
  });

  it("is a decision record whose confirmation can be run", () => {
    const project = agreed();
    const text = reportOf(project, "--adr");
    assert.match(text, /^---\nstatus: "accepted"\ndate: \d{4}-\d\d-\d\d\ndecision-makers: /);
    const wanted = ["Context and Problem Statement", "Considered Options", "Decision Outcome"];
    for (const heading of wanted) assert(text.includes(`\n## ${heading}\n`), heading);
    const [, command = ""] = /```bash\n(.+)\n```/.exec(text) ?? [];
    const words = command.split(" ").slice(2);
    assert.equal(project.run("check", words).code, 0);
    writeFileSync(join(project.folder, "src", "config.ts"), "nothing\n");
    assert.equal(project.run("check", words).code, 1);
  });

  it("has no record of what goes on", () => {
    const project = makeProject();
    project.open("cache");
    const { code, stderr } = project.run("report", ["--session", "cache", "--adr"]);
    assert.equal(code, 2);
    assert.match(stderr, /has no decision to record/);
  });

  it("leaves what is the owner's to the owner, with the way to put it on record", () => {
    const text = reportOf(agreed({ owner_decides: "spend" }));
    assert.match(text, /^\*\*RECOMMENDATION, yours to decide/m);
    assert.match(text, /## Recommendation[\s\S]*decide --session cache "\.\.\."/);
  });
});

describe("status --paid", () => {
  it("counts, and gives no shares below ten sessions", () => {
    const project = agreed();
    assert.equal(project.run("verdict", ["--session", "cache", "kept"]).code, 0);
    const { stdout } = project.run("status", ["--paid"]);
    assert.match(stdout, /^1 session ended, 1 decision\n/);
    assert.match(stdout, /kept 1, changed 0, wrong 0, not said 0\n/);
    assert.doesNotMatch(stdout, /%/);
    const told = recordOf(project.run("status", ["--paid", "--json"]).stdout);
    assert.deepEqual(told["judged"], { kept: 1, changed: 0, wrong: 0 });
  });
});
