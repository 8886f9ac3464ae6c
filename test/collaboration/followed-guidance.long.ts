import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, describe, it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { recordOf, scriptPath } from "../dialogue/project.ts";
import { Collaboration, type Opening } from "./folder.ts";

const four = ["a", "b", "c", "d"];
/** Names that a shell, a path or a pattern would stumble over. */
const odd = ["Zo\u00eb O'Neil", "team/\u00fcber", "- b - seq 3", "$(c) \u4e2d"];
const oddGates = ["Costs < 5 $ (per day)?", "[x] a|b.* \\d+"];
const oddName = "My \u00fcber 'shared' \"folder\" $HOME";

const stories: [name: string, opening: Opening][] = [
  ["schema 1 with 2 participants", { schema: 1 }],
  [
    "schema 2 with 2 participants and odd names everywhere",
    { schema: 2, participants: odd.slice(2), gates: oddGates, name: oddName },
  ],
  [
    "schema 1 with 4 participants and odd names everywhere",
    { schema: 1, participants: odd, gates: oddGates, name: oddName },
  ],
  ["schema 2 with 4 participants", { schema: 2, participants: four }],
];

/** The process groups of participants that have not left yet. */
const groups = new Set<number>();

const fixture = bundledFixture("test/collaboration/participant.fixture.ts");
after(() => {
  for (const group of groups) process.kill(-group, "SIGKILL");
});

describe("participants that know only what the scripts print", {
  concurrency: 2,
  timeout: 240_000,
}, () => {
  for (const [name, opening] of stories) {
    it(`bring a collaboration to its end: ${name}`, async () => {
      const at = new Collaboration(opening).init();
      const { participants } = at.opening;
      const said = await Promise.all(participants.map((participant) => live(at, participant)));
      const steps = said.flat();
      assert.deepEqual(steps.map(({ appended }) => appended).sort(), appendedBy(at));
      for (const { event, verdict } of steps) {
        assert.equal(verdict, "ACP validation passed", `after ${event}`);
      }
      checkLog(at);
      assert.equal(at.state["currentPhase"], "completed");
      at.checkValid();
    });
  }
});

/** What the events of the log, the first aside, must have been acknowledged as. */
function appendedBy(at: Collaboration): string[] {
  const events = at.events().slice(1);
  return events.map(({ seq, event }) => `appended seq ${seq}: ${event}`).sort();
}

/** Every rule of order that a reader of the log alone can check. */
function checkLog(at: Collaboration): void {
  const { participants, schema } = at.opening;
  const names = at.events().map(({ event }) => event);
  const [, ...reviewers] = participants;
  const freeze = schema === 2 ? ["deliverable_frozen"] : [];
  assert.deepEqual(names, [
    "initialized",
    ...(schema === 2 ? ["deliverable_drafted"] : []),
    "proposal_submitted",
    ...reviewers.map(() => "review_submitted"),
    "proposal_revised",
    "question_classified",
    ...participants.map(() => "decision_accepted"),
    ...freeze,
    "readiness_passed",
    "completed",
  ]);
  for (const [index, event] of at.events().entries()) {
    assert.equal(event["seq"], index + 1);
    const order = [
      "seq",
      "from",
      "event",
      "at",
      "summary",
      "doc",
      "reply_to",
      "role",
      "sha256",
      "prev",
    ];
    const keys = Object.keys(event);
    assert.deepEqual(
      keys,
      order.filter((key) => keys.includes(key)),
    );
  }
}

interface Step {
  readonly event: string;
  readonly appended: string;
  readonly verdict: string;
}

/** Runs a participant until it leaves by itself. */
function live(at: Collaboration, participant: string): Promise<Step[]> {
  const script = `node ${quoted(scriptPath("wait-for-turn"))}`;
  const wait = `${script} --folder ${quoted(at.opening.name)} --participant ${quoted(participant)}`;
  const child = spawn(process.execPath, [fixture, wait, at.opening.name], {
    cwd: at.project.folder,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: whoever waits for one that failed is ended with what it runs.
    detached: true,
  });
  if (child.pid !== undefined) groups.add(child.pid);
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on("close", (code) => {
      groups.delete(child.pid ?? 0);
      if (code !== 0) reject(new Error(`${participant} ended with ${code}: ${errors}`));
      const steps = out.split("\n").slice(0, -1).map(recordOf);
      resolve(
        steps.map((step) => ({
          event: String(step["event"]),
          appended: String(step["appended"]),
          verdict: String(step["verdict"]),
        })),
      );
    });
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
