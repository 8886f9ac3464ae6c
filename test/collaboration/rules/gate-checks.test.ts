import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Collaboration } from "../folder.ts";

/** A collaboration with one gate, brought to where readiness is passed. */
function readyWith(check: string, ...more: string[]): Collaboration {
  const at = new Collaboration({ gates: ["It works"] }).init("--gate-check", check, ...more);
  writeFileSync(join(at.project.folder, "codes.txt"), "one\ntwo\n");
  at.write("proposal.md", "# Proposal\n\nOne table.\n");
  at.say("a", "proposal_submitted", { doc: "proposal.md" });
  at.say("b", "review_submitted", { review: at.review() });
  at.say("a", "proposal_revised");
  at.writeDocuments();
  at.say("a", "question_classified");
  for (const name of ["a", "b"]) at.say(name, "decision_accepted");
  return at;
}

/** The line of the gate in the report. */
function gateTold(at: Collaboration): string {
  return /^- .*"It works".*$/m.exec(at.run("report").stdout)?.[0] ?? "";
}

describe("a completion gate", () => {
  it("without a check is told as ticked by its owner and not run", () => {
    const at = readyWith("");
    at.say("a", "readiness_passed");
    at.say("a", "completed", { doc: "conclusion.md" });
    assert.equal(gateTold(at), '- met: "It works" (ticked by a, not run)');
    assert.doesNotMatch(at.validate().stderr, /gate/);
  });

  for (const check of ["codes.txt:2", 'find "two" codes.txt']) {
    it(`whose check is ${check} is seen when readiness passes`, () => {
      const at = readyWith(check);
      at.say("a", "readiness_passed");
      at.say("a", "completed", { doc: "conclusion.md" });
      assert.match(gateTold(at), /^- met: "It works" \(.*, seen by a script of "a" at "20/);
      at.checkValid();
    });
  }

  it("whose check fails is not completed, until it holds", () => {
    const at = readyWith('find "three" codes.txt');
    at.say("a", "readiness_passed");
    const told = /NOT met: "It works" \(its check fails: "find \\"three\\" codes\.txt"/;
    assert.match(at.validate().stderr, told);
    const { seq } = at;
    const { code, stdout, stderr } = at.append("a", "completed", { doc: "conclusion.md" });
    assert.deepEqual([code, stdout, at.seq], [2, "", seq]);
    assert.match(stderr, /the check of a completion gate fails: "It works"/);
    writeFileSync(join(at.project.folder, "codes.txt"), "three\n");
    at.say("a", "completed", { doc: "conclusion.md" });
    assert.match(gateTold(at), /^- met: "It works"/);
  });

  it("whose command the user does not allow is told as not run", () => {
    const marker = "ran.txt";
    const check = `node -e "require('fs').writeFileSync('${marker}','')"`;
    const at = readyWith(check);
    const { code, stdout, stderr } = at.append("a", "readiness_passed");
    assert.deepEqual([code, stdout], [0, "appended seq 8: readiness_passed\n"]);
    assert.match(stderr, /note: gate "It works": its check was not made: .*may not run/);
    assert.match(
      at.validate().stderr,
      /WARNING: gate met: "It works" \(ticked by a, not run; its check: "node -e/,
    );
  });

  it("whose command the user allows is run", () => {
    const at = readyWith("node -e 0");
    const home = join(at.project.folder, "home");
    mkdirSync(join(home, ".consulta"), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, ".consulta", "config.yaml"), "checks: [[node, -e, '0']]\n", {
      mode: 0o600,
    });
    const words = ["--folder", "shared", ...at.appendArgs("a", "readiness_passed")];
    const { code, stderr } = at.project.run("append-event", words, "", { env: { HOME: home } });
    assert.equal(code, 0, stderr);
    assert.match(gateTold(at), /^- met: "It works" \("node -e 0", exit 0, seen by/);
  });

  it("is not shown as seen by a record of another check, or of no form", () => {
    const at = readyWith('find "two" codes.txt');
    at.write(
      ".gate-evidence.jsonl",
      'no JSON\n{"gate":"It works","by":"a","at":"x","record":{}}\n[]\n',
    );
    assert.match(gateTold(at), /^- met: "It works" \(ticked by a, not run; its check/);
  });

  it("takes a check that is none, and more checks than gates, for a mistake", () => {
    const at = new Collaboration({ gates: ["It works"] });
    const init = (...checks: string[]) =>
      at.run("init", [...at.initArgs(), ...checks.flatMap((it) => ["--gate-check", it])]);
    const none = init("../x.txt:3");
    assert.equal(none.code, 2);
    assert.match(none.stderr, /--gate-check "\.\.\/x\.txt:3": .*leads out of the project/);
    const many = init("a.txt:1", "b.txt:1");
    assert.equal(many.code, 2);
    assert.match(many.stderr, /2 --gate-check for 1 gate/);
  });
});
