import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Ran, scriptPath } from "../dialogue/project.ts";
import { findPoints, hasStrace, type Point, type Run, runPoint } from "../store/system-calls.ts";
import { Collaboration, collaborationAt, removeCollaborations } from "./folder.ts";

const atOnce = 3;
/** A run in which Node itself makes a call more or less is no proof: it is tried again. */
const triesMax = 4;
const skip = !hasStrace && "NO CRASH WAS TESTED: strace is not installed";

after(removeCollaborations);

/** A command, the folder before it, and what must be true after it was stopped anywhere. */
interface Scene {
  make(): Collaboration;
  command(at: Collaboration): string[];
  goesOn(at: Collaboration, stopped: Run, point: string): Promise<void>;
}

const reviewing: Scene = {
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

const beginning: Scene = {
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

/**
 * Between two calls that change something the disk does not change, so a death at each of these is
 * a death anywhere.
 */
for (const [name, scene, pointsMin] of [
  ["append-event with --review", reviewing, 20],
  ["init", beginning, 40],
] as const) {
  describe(`${name}, stopped at any call that changes the folder`, {
    skip,
    timeout: 240_000,
  }, () => {
    let points: Point[] = [];
    before(async () => {
      const at = scene.make();
      const trace = join(at.project.folder, "trace");
      ({ points } = await findPoints(trace, at.folder, scene.command(at)));
      assert(points.length >= pointsMin, `only ${points.length} calls change the folder`);
    });

    it("and killed, loses and doubles nothing", (t) =>
      sweep(t, scene, points, "signal=KILL", (stopped, point) => {
        assert.equal(stopped.signal, "SIGKILL", `${point} did not fire`);
      }));

    it("because the disk is full, says so in one line or is done", (t) =>
      sweep(t, scene, points, "error=ENOSPC", checkSaid));
  });
}

function checkSaid({ trace, code, errors }: Run, point: string): void {
  assert(
    trace.some((line) => line.includes("(INJECTED)")),
    `${point} did not fire`,
  );
  if (code === 0) return;
  assert.equal(code, 4, `${point}: ${errors}`);
  assert.match(errors, /^error: .*ENOSPC.*\n$/, point);
}

/** Runs the command once for each point, with a fault there. */
async function sweep(
  t: TestContext,
  scene: Scene,
  points: readonly Point[],
  fault: string,
  check: (stopped: Run, point: string) => void,
): Promise<void> {
  const queue = [...points];
  const failures: string[] = [];
  // Many deaths leave the same behind; one of each kind has to go on.
  const seen = new Set<string>();
  const worker = async () => {
    for (let point = queue.shift(); point; point = queue.shift()) {
      const named = `${fault} at ${point.name} ${point.when}`;
      const { at, stopped } = await stopAt(scene, point, fault, named);
      const state = `${stopped.output.join("\n")}\n${leftBehind(at)}`;
      try {
        check(stopped, named);
        if (!seen.has(state)) await scene.goesOn(at, stopped, named);
      } catch (cause) {
        failures.push(String(cause));
      }
      seen.add(state);
      rmSync(at.project.folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  t.diagnostic(`${points.length} points, ${seen.size} different states`);
  assert.equal(failures.length, 0, `${failures.length} failures\n${failures.join("\n")}`);
}

/** Every file below the folder with what it holds, but for times and the names of drafts. */
function leftBehind(at: Collaboration): string {
  const names = existsSync(at.folder)
    ? readdirSync(at.folder, { recursive: true, encoding: "utf8" })
    : ["no folder"];
  const files = names.map((name) => {
    const isFile = existsSync(at.path(name)) && statSync(at.path(name)).isFile();
    const content = isFile ? readFileSync(at.path(name), "utf8") : "";
    const checkpoint = content.replace(/^[0-9a-f]{8} /, "");
    return `${name.replace(/\d+-[a-z0-9]+-[a-z0-9]+/, "")} ${checkpoint.replace(/\d\dT[\d:.]+Z/g, "")}`;
  });
  return files.sort().join("\n");
}

async function stopAt(scene: Scene, point: Point, fault: string, named: string) {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const at = scene.make();
    const trace = join(at.project.folder, "trace");
    const stopped = await runPoint(trace, point, fault, scene.command(at));
    if (stopped.trace[point.when - 1]?.includes(at.folder)) return { at, stopped };
    rmSync(at.project.folder, { recursive: true });
  }
  return assert.fail(`${named} hit no call in the folder`);
}
