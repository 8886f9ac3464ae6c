import assert from "node:assert/strict";
import { it } from "node:test";
import { draft, type Project, projectMaker, recordOf } from "../dialogue/project.ts";

const newProject = projectMaker();

export function makeRace(mode: string): Project {
  const project = newProject();
  project.open("race", "--mode", mode);
  project.say("race", "claude", draft("REQUEST", "Which?"));
  return project;
}

export const argsOf = (by: string) => ["--session", "race", "--participant", by, "--message", "-"];

export function contents(project: Project): string[] {
  return project.events("race").flatMap(({ message }) => {
    if (message === undefined) return [];
    return [
      String(
        recordOf(JSON.stringify(recordOf(JSON.stringify(message))["question_or_proposal"]))[
          "content"
        ],
      ),
    ];
  });
}

/** Kills the sender at so many moments, from before the script runs to about its end. */
export function killSenders(kills: number): void {
  it("a message whose sender is killed at any moment is sent by the same command again, once", async () => {
    const project = makeRace("parallelo");
    const sent: string[] = ["Which?"];
    // The fastest of several: after a slow one most would be killed too late.
    let runMs = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run += 1) {
      const started = performance.now();
      await project.start("append-event", argsOf("claude"), "no message").done;
      runMs = Math.min(runMs, performance.now() - started);
    }
    let killed = 0;
    for (let at = 0; at < kills; at += 1) {
      const content = `message ${at}`;
      const input = JSON.stringify(draft("RESPONSE", content));
      const { child, done } = project.start("append-event", argsOf("gemini"), input);
      // From before the script runs to about its end.
      const timer = setTimeout(() => child.kill("SIGKILL"), runMs * (0.2 + (0.9 * at) / kills));
      const { code } = await done;
      clearTimeout(timer);
      if (code === null) killed += 1;
      const again = project.send("race", "gemini", input);
      assert.deepEqual([again.code, again.stderr], [0, ""]);
      sent.push(content);
    }
    assert(killed >= kills / 4, `only ${killed} of ${kills} were killed`);
    assert.deepEqual(contents(project), sent);
    const { standing } = project.guidance("race", "claude");
    assert.equal(recordOf(JSON.stringify(standing))["seq"], kills + 2);
    const delivered = project.files("archive").filter((name) => name.includes("-gemini-response"));
    assert.equal(delivered.length, kills);
  });
}
