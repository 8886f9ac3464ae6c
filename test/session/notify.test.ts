/** The person's own command is called when a session waits for them or has ended, and at no other time. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { decide, escalate, openAbout } from "../dialogue/finished.ts";
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const own = join(homedir(), ".consulta");
const failures = join(own, "errors", "notify.txt");
const makeProject = projectMaker();

function notifyBy(argv: string[]): void {
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "config.yaml"), `notify: ${JSON.stringify(argv)}\n`, { mode: 0o600 });
}

/** A command that writes each of its arguments on a line of its own. */
function notedIn(project: Project): () => string[] {
  const file = join(project.folder, "called.txt");
  notifyBy(["sh", "-c", 'for it; do printf "%s\\n" "$it"; done >>"$0"; echo . >>"$0"', file]);
  return () => (existsSync(file) ? readFileSync(file, "utf8").split("\n.\n").filter(Boolean) : []);
}

async function until<T>(look: () => T | undefined): Promise<T> {
  for (let looks = 0; looks < 400; looks += 1) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error("it did not come");
}

/** Longer than a call takes that is on its way. */
const settled = () => sleep(1_000);

describe("notify", () => {
  beforeEach(() => rmSync(own, { recursive: true, force: true }));

  it("is called when a session waits for the person, with text that no shell reads", async () => {
    const project = makeProject();
    const calls = notedIn(project);
    openAbout(project, "color", "Which color do the doors get?");
    project.say("color", "claude", draft("REQUEST", "Which?"));
    const needs_user = 'Cost or <b>speed</b>; $(touch hacked) `touch hacked` "?"\nor both';
    const asked = draft("ESCALATE", "We need you.", { needs_user });
    project.say("color", "gemini", asked);
    const call = await until(() => calls()[0]);
    assert.equal(
      call,
      "Consulta: color waits for you\n" +
        'waits for your answer: "Cost or b speed /b ; $(touch hacked) `touch hacked` \\"?\\" or both"',
    );
    assert.equal(existsSync(join(project.folder, "hacked")), false);
    await settled();
    assert.equal(calls().length, 1);
  });

  it("is called when one ends, and not by what the person does or by any other event", async () => {
    const project = makeProject();
    const calls = notedIn(project);
    decide(project, "color", "Which color do the doors get?", "Blue.");
    assert.match(
      await until(() => calls()[0]),
      /^Consulta: color has ended\nCONSENSUS on judgement, nothing was checked; Which color/,
    );
    openAbout(project, "other", "Which other?");
    project.run("step-in", ["end", "enough", "--session", "other"]);
    await settled();
    assert.equal(calls().length, 1);
  });

  it("is called once, by however many processes", async () => {
    const project = makeProject();
    openAbout(project, "color", "Which?");
    escalate(project, "door", "Which?");
    const calls = notedIn(project);
    const call = () => project.start("notify", ["--session", "door"], "").done;
    const ran = await Promise.all([call(), call(), call(), call()]);
    const said = ran.map(({ stdout }) => stdout).sort();
    assert.equal(said[0], "called\n");
    for (const other of said.slice(1)) assert.match(other, /^not called: you were called about/);
    assert.equal(calls().length, 1);
    const open = await project.start("notify", ["--session", "color"], "").done;
    assert.match(open.stdout, /not called: color is open and asks you nothing/);
  });

  it("fills places for the texts where the command has them", async () => {
    const project = makeProject();
    const file = join(project.folder, "called.txt");
    notifyBy(["sh", "-c", 'printf "%s|" "$@" >"$0"', file, "t={title}", "b={text}"]);
    escalate(project, "door", "Which?");
    const text = await until(() => (existsSync(file) ? readFileSync(file, "utf8") : undefined));
    assert.match(text, /^t=Consulta: door waits for you\|b=waits for your answer: .*\|$/);
  });

  const failing: [name: string, argv: string[], said: RegExp][] = [
    ["there is none of that name", ["no-such-program"], /there is no such program on PATH/],
    ["it fails", ["sh", "-c", "echo broken >&2; exit 3"], /exit code 3: "broken"/],
  ];
  for (const [name, argv, said] of failing)
    it(`does not disturb who sent the message when ${name}, and says so in doctor`, async () => {
      const project = makeProject();
      notifyBy(argv);
      escalate(project, "door", "Which?");
      const kept = await until(() =>
        existsSync(failures) ? readFileSync(failures, "utf8") : undefined,
      );
      assert.match(kept, said);
      assert.match(project.run("doctor", []).stdout, /the last notify that failed: /);
    });

  it("holds nobody up", () => {
    const project = makeProject();
    notifyBy(["sleep", "30"]);
    openAbout(project, "color", "Which?");
    const before = performance.now();
    project.say("color", "claude", draft("ESCALATE", "x", { needs_user: "Which?" }));
    assert(performance.now() - before < 9_000);
  });

  it("comes from no project", () => {
    const project = makeProject();
    openAbout(project, "color", "Which?");
    const config = JSON.parse(project.read("config.json"));
    writeFileSync(project.path("config.json"), JSON.stringify({ ...config, notify: ["sh"] }));
    assert.match(project.run("status", []).stderr, /notify/);
  });

  it("is tried out by --test", () => {
    const project = makeProject();
    assert.match(project.run("notify", ["--test"]).stderr, /there is no notify in/);
    const calls = notedIn(project);
    assert.equal(project.run("notify", ["--test"]).stdout, "called\n");
    assert.deepEqual(calls(), ["Consulta: this is a test\nA session that waits for you looks so."]);
  });
});
