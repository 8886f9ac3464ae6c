import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeScratchFolder, removeFolder } from "../store/scratch-folder.ts";
import { hasStrace } from "../store/system-calls.ts";
import { type Cut, cutsOf, Distinct } from "./cuts.ts";
import { Disk, readTree, type Tree, writeTree } from "./disk.ts";
import { checkRecovers, type Moment, type Reference, referencesOf } from "./recovery.ts";
import { sampleOf } from "./sample.ts";
import { home, type Recorded, Stage } from "./scene.ts";
import { board, collaboration, dialogue, type Story } from "./stories.ts";

const atOnce = 2;
const shownMax = 12;
const skip = !hasStrace && "NO POWER CUT WAS TESTED: strace is not installed";

type State = Cut & Moment;

describe("a power cut at any call", { skip, timeout: 7_200_000 }, () => {
  for (const story of [dialogue, collaboration, board]) {
    it(`leaves ${story.name} with every acknowledged event, and the next commands work`, (t) =>
      replay(story, (line) => t.diagnostic(line)));
  }
});

async function replay(story: Story, say: (line: string) => void): Promise<void> {
  const scratch = makeScratchFolder();
  try {
    const stage = new Stage(join(scratch, "stage"));
    const references = await referencesOf(stage, join(scratch, "reference"), story);
    const recorded = await stage.record(join(scratch, "project"), story.steps);
    const states = statesOf(recorded, story, join(scratch, "project"));
    const sample = sampleOf(states);
    const failures = await recoverAll(stage, scratch, story, references, sample);
    say(`${states.length} different states, ${sample.length} tried, ${failures.length} failed`);
    for (const line of countsOf(sample, failures)) say(line);
    const shown = failures.slice(0, shownMax).map(({ reason }) => reason);
    assert.equal(failures.length, 0, `${failures.length} failures\n${shown.join("\n\n")}`);
  } finally {
    removeFolder(scratch);
  }
}

/** Every state that a cut may leave, once for each command that it can interrupt. */
function statesOf(recorded: readonly Recorded[], { log }: Story, project: string): State[] {
  const [disk, distinct, states] = [new Disk(), new Distinct(), [] as State[]];
  // A user has a home before any of this.
  disk.apply({ call: "mkdir", path: home });
  disk.apply({ call: "sync", path: "" });
  let acknowledged: Buffer = Buffer.alloc(0);
  for (const [step, { calls }] of recorded.entries()) {
    disk.nextStep();
    for (const call of calls) {
      disk.apply(call);
      for (const cut of cutsOf(disk)) {
        if (distinct.isNew(cut.tree, step)) states.push({ ...cut, step, log: acknowledged });
      }
    }
    acknowledged = disk.tree(() => "written").get(log) ?? acknowledged;
  }
  checkComplete(disk, project);
  return states;
}

/** A call that the recording missed would leave the model with other files than the real disk. */
function checkComplete(disk: Disk, project: string): void {
  const shown = (tree: Tree) =>
    Object.fromEntries([...tree].map(([path, bytes]) => [path, bytes?.toString("latin1") ?? null]));
  assert.deepEqual(shown(disk.tree(() => "written")), shown(readTree(project)));
}

interface Failure {
  readonly state: State;
  readonly reason: string;
}

async function recoverAll(
  stage: Stage,
  scratch: string,
  story: Story,
  references: readonly Reference[],
  states: readonly State[],
): Promise<Failure[]> {
  const queue = [...states.entries()];
  const failures: Failure[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, state] = next;
      const project = join(scratch, `state-${index}`);
      writeTree(state.tree, project);
      try {
        await checkRecovers(stage, project, story, references, state);
      } catch (cause) {
        failures.push({ state, reason: describeFailure(story, state, cause) });
      }
      rmSync(project, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failures;
}

function describeFailure(story: Story, { kind, step, tree }: State, cause: unknown): string {
  const during = story.steps[step];
  const files = [...tree].flatMap(([path, content]) =>
    content === null ? [] : `${path} (${content.length})`,
  );
  const message = cause instanceof Error ? cause.message : String(cause);
  const command = `${during?.script} ${during?.words.join(" ")}`;
  return `${kind}, during step ${step}, ${command}:\n${message}\nof ${files.join(", ")}`;
}

function countsOf(sample: readonly State[], failures: readonly Failure[]): string[] {
  const kinds = [...new Set(sample.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => {
    const tried = sample.filter((it) => it.kind === kind).length;
    const failed = failures.filter(({ state }) => state.kind === kind).length;
    return `${kind}: ${failed} of ${tried} failed`;
  });
}
