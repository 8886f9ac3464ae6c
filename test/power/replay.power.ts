import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hasStrace } from "../log/system-calls.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { type Cut, cutsOf, Distinct } from "./cuts.ts";
import { checkComplete, Disk } from "./disk.ts";
import { checkRecovers, type Moment, referencesOf } from "./recovery.ts";
import { home, type Recorded, Stage } from "./scene.ts";
import { board, collaboration, dialogue, type Story } from "./stories.ts";
import { countsOf, type Failure, filesOf, sampleOf, tryStates } from "./try-states.ts";

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
    const failures = await tryStates(scratch, sample, (project, state) =>
      checkRecovers(stage, project, story, references, state),
    );
    for (const line of countsOf(states, sample, failures)) say(line);
    const shown = failures.slice(0, shownMax).map((it) => describeFailure(story, it));
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

function describeFailure(story: Story, { state, cause }: Failure<State>): string {
  const { script, words } = story.steps[state.step] ?? assert.fail("no such step");
  const command = `${script} ${words.join(" ")}`;
  return `${state.kind}, during step ${state.step}, ${command}:\n${cause}\nof ${filesOf(state)}`;
}
