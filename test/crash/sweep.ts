import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { findPoints, hasStrace, type Point, type Run, runPoint } from "../log/system-calls.ts";
import { pointsToTry } from "./spread.ts";

/** A folder that scripts work in, within a project of its own. */
export interface Ground {
  readonly folder: string;
  readonly project: { readonly folder: string };
}

/** A command, the folder before it, and what must be true after it was stopped anywhere. */
export interface Scene<At extends Ground> {
  make(): At;
  command(at: At): string[];
  goesOn(at: At, stopped: Run, point: string): Promise<void>;
}

const atOnce = 3;
/** A run in which Node itself makes a call more or less is no proof: it is tried again. */
const triesMax = 4;
const skip = !hasStrace && "NO CRASH WAS TESTED: strace is not installed";

/**
 * Between two calls that change something the disk does not change, so a death at each of these is
 * a death anywhere.
 */
export function describeCrash<At extends Ground>(
  name: string,
  scene: Scene<At>,
  pointsMin: number,
  errors: readonly string[] = ["ENOSPC"],
): void {
  const title = `${name}, stopped at any call that changes the folder`;
  describe(title, { skip, timeout: 240_000 }, () => {
    let points: Point[] = [];
    before(async () => {
      points = await defaultPoints(scene);
      assert(points.length >= pointsMin, `only ${points.length} calls change the folder`);
    });

    it("and killed, loses and doubles nothing", (t) =>
      sweep(t, scene, points, "signal=KILL", (stopped, point) => {
        assert.equal(stopped.signal, "SIGKILL", `${point} did not fire`);
      }));

    for (const error of errors) {
      it(`by ${error}, says so in one line or is done`, (t) =>
        sweep(t, scene, points, `error=${error}`, (stopped, point) =>
          checkSaid(stopped, point, error),
        ));
    }
  });
}

/** The first runs after a build still keep compiled code, with calls that later runs do not make. */
async function defaultPoints<At extends Ground>(scene: Scene<At>): Promise<Point[]> {
  let before = "";
  for (let runs = 0; runs < 8; runs += 1) {
    const at = scene.make();
    const trace = join(at.project.folder, "trace");
    const { points } = await findPoints(trace, at.folder, scene.command(at));
    rmSync(at.project.folder, { recursive: true });
    if (JSON.stringify(points) === before) return points;
    before = JSON.stringify(points);
  }
  return assert.fail("no two runs make the same calls");
}

function checkSaid({ trace, code, errors }: Run, point: string, error: string): void {
  assert(
    trace.some((line) => line.includes("(INJECTED)")),
    `${point} did not fire`,
  );
  if (code === 0) return;
  assert.equal(code, 4, `${point}: ${errors}`);
  assert.match(errors, new RegExp(`^error: .*${error}.*\\n$`), point);
}

/** Runs the command once for each point, with a fault there. */
async function sweep<At extends Ground>(
  t: TestContext,
  scene: Scene<At>,
  points: readonly Point[],
  fault: string,
  check: (stopped: Run, point: string) => void,
): Promise<void> {
  const queue = pointsToTry(points);
  const { length } = queue;
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
  t.diagnostic(`${length} of ${points.length} points, ${seen.size} different states`);
  assert.equal(failures.length, 0, `${failures.length} failures\n${failures.join("\n")}`);
}

/** Every file below the folder with what it holds, but for times and the names of drafts. */
function leftBehind({ folder }: Ground): string {
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
    : ["no folder"];
  const files = names.map((name) => {
    const path = join(folder, name);
    const isFile = existsSync(path) && statSync(path).isFile();
    const content = isFile ? readFileSync(path, "utf8") : "";
    const checkpoint = content.replace(/^[0-9a-f]{32} (?={"seq")/, "");
    const plain = name.replace(/\d+-[a-z0-9]+(?:-[a-z0-9]+)+|(?<=\.begun-)[0-9a-f]+/, "");
    return `${plain} ${checkpoint.replace(ownSigns, "")}`;
  });
  return files.sort().join("\n");
}

/** What differs from run to run: times, ids and processes, and where lines of other ids end. */
const ownSigns = /\d\dT[\d:.]+Z|"(?:id|pid|fingerprint|offset|length|line)":[^,}]*|^\d+$/gm;

async function stopAt<At extends Ground>(
  scene: Scene<At>,
  point: Point,
  fault: string,
  named: string,
) {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const at = scene.make();
    const trace = join(at.project.folder, "trace");
    const stopped = await runPoint(trace, point, fault, scene.command(at));
    if (stopped.trace[point.when - 1]?.includes(at.folder)) return { at, stopped };
    rmSync(at.project.folder, { recursive: true });
  }
  return assert.fail(`${named} hit no call in the folder`);
}
