import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";
import { buildWithToy } from "./toy-scripts.ts";

describe("a kind of session that is a folder and its registration", () => {
  let built = { folder: "", scripts: "" };
  const folders: string[] = [];
  before(() => {
    built = buildWithToy();
    folders.push(built.folder);
  });
  after(() => folders.forEach(removeFolder));

  class Project {
    readonly root = makeScratchFolder();
    readonly folder = join(this.root, "project");
    constructor() {
      mkdirSync(join(this.root, "home"));
      mkdirSync(join(this.folder, ".consulta/sessions"), { recursive: true });
      folders.push(this.root);
    }
    run(script: string, ...args: string[]) {
      const { scripts } = built;
      const PATH = process.env["PATH"];
      const environment = { PATH, HOME: join(this.root, "home"), XDG_CACHE_HOME: codeCache };
      if (runsInThread(script, args)) {
        const asked = { script, scripts, args, input: "", environment };
        const { code, ...printed } = runInThread(asked, this.folder);
        return { status: code, ...printed };
      }
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(scripts, `${script}.cjs`), ...args],
        { cwd: this.folder, encoding: "utf8", env: environment },
      );
      return { status, stdout, stderr };
    }
    vote(name: string, word: string) {
      return this.run("append-event", ...as(name), "--event", "voted", "--summary", word);
    }
  }
  const session = "tea-or-coffee";
  const as = (name: string) => ["--session", session, "--participant", name];
  function opened(): Project {
    const project = new Project();
    const names = ["--participant", "ana", "--participant", "bo"];
    const { status, stdout, stderr } = project.run("init", "--vote", "Tea or coffee?", ...names);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, `opened vote ${session}\n`);
    return project;
  }

  it("is opened by init, which knows its options", () => {
    const project = opened();
    assert.match(project.run("init", "--help").stdout, /--vote <question>/);
    const both = project.run("init", "--vote", "a", "--topic", "b");
    assert.equal(both.status, 2);
    assert.match(both.stderr, /--topic and --vote|--vote and --topic/);
    const elsewhere = project.run("init", "/tmp/nowhere", "2", "--vote", "a");
    assert.match(elsewhere.stderr, /--vote does not belong to a board of findings/);
  });

  it("is acted in by append-event, next-action and wait-for-turn, and told by report and status", () => {
    const project = opened();
    const next = project.run("next-action", ...as("ana"));
    assert.match(next.stdout, /vote on Tea or coffee\?[\s\S]*--event voted --summary 'ONE WORD'/);
    assert.equal(project.run("wait-for-turn", ...as("ana"), "--timeout", "5").status, 0);
    assert.match(project.vote("ana", "tea").stdout, /appended seq 2: voted\nphase: voting/);
    const twice = project.vote("ana", "coffee");
    assert.equal(twice.status, 2);
    assert.match(twice.stderr, /ana has voted/);
    assert.equal(project.run("wait-for-turn", ...as("ana"), "--timeout", "0.2").status, 1);
    const listed = project.run("status").stdout;
    assert.match(listed, /tea-or-coffee: toy, voting, turn: bo; 1 of 2 have voted/);
    assert.match(project.vote("bo", "coffee").stdout, /phase: voted/);
    assert.match(project.run("next-action", ...as("ana")).stdout, /show the user the report/);
    const { stdout } = project.run("report", "--session", session);
    assert.match(
      stdout,
      /# Tea or coffee\?[\s\S]*2 votes[\s\S]*## Votes\n\n- ana: tea\n- bo: coffee/,
    );
    const folder = join(project.folder, ".consulta/sessions", session);
    assert(readdirSync(folder).includes("events.jsonl"));
  });

  it("is validated by its own rules", () => {
    const project = opened();
    project.vote("ana", "tea");
    const sound = project.run("validate", "--session", session);
    assert.deepEqual([sound.status, sound.stdout], [0, "validation passed (1 session)\n"]);
    const folder = join(project.folder, ".consulta/sessions", session);
    const alone = project.run("validate", "--folder", folder);
    assert.equal(alone.stdout, "vote validation passed\n");
  });

  it("is closed by its initiator, and by nobody else", () => {
    const project = opened();
    const why = ["--reason", "no longer wanted"];
    assert.match(project.run("close", ...as("bo"), ...why).stderr, /only ana or the user/);
    const closed = project.run("close", ...as("ana"), ...why);
    assert.equal(closed.status, 0, closed.stderr);
    assert.match(closed.stdout, /closed tea-or-coffee \(closed\)/);
    assert.match(project.vote("bo", "tea").stderr, /the vote is over/);
  });

  it("is paused by its user, who says something, without knowing of either", () => {
    const project = opened();
    const on = ["--session", session];
    assert.equal(project.run("step-in", "say", "Mind the sugar.", ...on).status, 0);
    assert.equal(project.run("step-in", "pause", ...on).status, 0);
    const told = project.run("next-action", ...as("ana")).stdout;
    assert.match(
      told,
      /\| Mind the sugar\.[\s\S]*paused by the user|paused by the user[\s\S]*\| Mind the sugar\./,
    );
    assert.match(project.vote("ana", "tea").stderr, /the user has paused the session/);
    assert.equal(project.run("step-in", "resume", ...on).status, 0);
    assert.equal(project.vote("ana", "tea").status, 0);
    assert.doesNotMatch(project.run("next-action", ...as("ana")).stdout, /Mind the sugar/);
    assert.match(project.run("step-in", "decide", "tea", ...on).stderr, /is a vote, which keeps/);
  });

  it("is run to its report by consult", () => {
    const project = new Project();
    const drivers = "ana=command:echo VOTE tea,bo=command:echo VOTE coffee";
    const words = ["--kind", "toy", "--participants", drivers, "Tea or coffee?"];
    const { status, stdout, stderr } = project.run("consult", ...words);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /- ana: tea\n- bo: coffee/);
    const again = project.run("consult", "--session", session, "--kind", "dialogue");
    assert.match(again.stderr, /session tea-or-coffee is a vote; leave out --kind dialogue/);
  });

  it("is named nowhere in the sources", () => {
    const paths = readdirSync("scripts-src", { recursive: true, encoding: "utf8" });
    const sources = paths.filter((path) => path.endsWith(".ts"));
    const naming = sources.filter((path) =>
      /\btoy\b/i.test(readFileSync(join("scripts-src", path), "utf8")),
    );
    assert.deepEqual(naming, []);
  });
});
