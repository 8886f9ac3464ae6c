import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeCrash, type Scene } from "../crash/sweep.ts";
import { type Ran, scriptPath } from "../dialogue/project.ts";
import { Collaboration, collaborationAt } from "./folder.ts";

const reviewing: Scene<Collaboration> = {
  make() {
    const at = collaborationAt("reviewing");
    writeFileSync(join(at.project.folder, "mine.txt"), at.review("Only once."));
    return at;
  },
  command: (at) => [
    scriptPath("append-event"),
    ...["--folder", at.folder, ...at.appendArgs("b", "review_submitted", { "reply-to": 2 })],
    ...["--review", join(at.project.folder, "mine.txt")],
  ],
  /** What was acknowledged is stored; nobody needs help to go on; all of it stands once. */
  async goesOn(at, stopped, point) {
    const stored = () => at.events().filter(({ event }) => event === "review_submitted").length;
    if (stopped.output.includes("appended seq 3: review_submitted"))
      assert.equal(stored(), 1, point);
    await ok(at, point, "next-action", "--participant", "a");
    await passes(at, point);
    const before = stored();
    const [, ...words] = this.command(at);
    const again = await at.project.start("append-event", words, "").done;
    // The next writer may first finish what the dead one had begun.
    const said = again.code === 0 && before === 0 ? again.stdout : again.stderr;
    assert.match(
      said,
      /^appended seq 3: |review_submitted is not allowed from phase revising/,
      point,
    );
    assert.equal(stored(), 1, point);
    assert.deepEqual(at.read("review.md").match(/ - b - seq \d+$/gm), [" - b - seq 3"], point);
    assert.equal(at.read("review.md").split("Only once.").length, 2, point);
    assert.deepEqual([at.seq, at.state["waitingFor"]], [3, ["a"]], point);
  },
};

const beginning: Scene<Collaboration> = {
  make: () => new Collaboration(),
  command: (at) => [scriptPath("init"), "--folder", at.folder, ...at.initArgs()],
  async goesOn(at, _stopped, point) {
    await ok(at, point, "init", ...at.initArgs(), "--resume");
    await passes(at, point);
    assert.deepEqual(
      at.events().map(({ seq, event }) => [seq, event]),
      [[1, "initialized"]],
      point,
    );
    const whole = collaborationAt("drafting");
    for (const name of [
      "README.md",
      "proposal.md",
      "review.md",
      "readiness.md",
      ".consulta.json",
    ]) {
      assert.equal(at.read(name), whole.read(name), `${point}: ${name}`);
    }
  },
};

async function ok(
  at: Collaboration,
  point: string,
  script: string,
  ...args: string[]
): Promise<Ran> {
  const ran = await at.start(script, args).done;
  assert.equal(ran.code, 0, `${point}, then ${script}: ${ran.stdout}${ran.stderr}`);
  return ran;
}

async function passes(at: Collaboration, point: string): Promise<void> {
  const { stdout } = await at.start("validate").done;
  assert.equal(stdout, "ACP validation passed\n", `${point}, then validate`);
}

describeCrash("append-event with --review", reviewing, 20);
describeCrash("init", beginning, 40);
