import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOneLine, Project } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "stores";
const opening = ["--session", id, "--participant", "ana", "--participant", "bo"];

/** One side's participants, each run by a script here or waited for. */
function side(names: readonly string[], here: string): string {
  return names.map((name) => `${name}=${name === here ? "rehearsal" : "elsewhere"}`).join(",");
}

describe("consult for one's own side of a session", { timeout: 240_000 }, () => {
  it("goes on with a dialogue of two machines to its end, each with its participant", async () => {
    const host = makeBareRepository();
    const machines = [new Laptop(host), new Laptop(host)] as const;
    const [ana, bo] = machines;
    ana.done("init", ["--topic", "Which store?", ...opening, "--store", "git"]);
    bo.done("join", [id]);
    const runs = machines.map((at, index) => {
      const list = side(["ana", "bo"], index === 0 ? "ana" : "bo");
      return at.begin("consult", ["--session", id, "--participants", list, "--time-limit", "120"]);
    });
    for (const { done } of runs) {
      const { code, stdout, stderr } = await done;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /waiting for (?:ana|bo), elsewhere/);
      assert.match(stdout, /the rules ended it as: consensus/);
    }
    assert.equal(ana.log(id), bo.log(id));
    for (const at of machines) {
      const validated = at.run("validate", ["--session", id]);
      assert.match(validated.stdout, /^validation passed/, validated.stderr);
    }
  });

  it("fills a board of two machines, whoever comes last", async () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    const board = ".consulta/sessions/causes";
    ana.done("init", [board, "2", "120", "--store", "git"]);
    bo.done("join", ["causes"]);
    const consult = (at: Laptop, list: string) =>
      at.begin("consult", ["--folder", board, "--participants", list, "--time-limit", "120"]);
    const first = consult(ana, "ana=rehearsal,bo=elsewhere");
    const second = consult(bo, "bo=rehearsal,ana=elsewhere");
    for (const { done } of [first, second]) {
      const { code, stderr } = await done;
      assert.equal(code, 0, stderr);
    }
    assert.equal(ana.log("causes"), bo.log("causes"));
  });

  it("works in two terminals of one machine as well, and needs somebody here", async () => {
    const project = new Project();
    project.run("init", ["--topic", "Which store?", ...opening]);
    const nobody = project.run("consult", [
      ...["--session", id, "--participants", "ana=elsewhere,bo=elsewhere"],
    ]);
    assert.deepEqual([nobody.code, isOneLine(nobody.stderr)], [2, true], nobody.stderr);
    assert.match(nobody.stderr, /^error: ana, bo are all elsewhere, and consult runs somebody/);
    const list = side(["ana", "bo"], "ana");
    const alone = project.run("consult", [
      ...["--session", id, "--participants", list, "--time-limit", "5"],
    ]);
    assert.equal(alone.code, 1, alone.stderr);
    assert.match(alone.stderr, /the time limit of 5 s is reached/);
    assert.match(
      alone.stderr,
      /consult\.cjs --session stores --participants ana=rehearsal,bo=elsewhere/,
    );
  });
});
