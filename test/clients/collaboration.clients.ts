import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { narrow } from "./permissions.ts";
import type { Mind, Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";

const folder = "docs/sync-api";
const references = resolve(import.meta.dirname, "../../skills/collaborate/references/documents.md");
const gates = ["Every error code is listed", "It is decided who retries a failed sync"];

/** The filled example that the skill gives below a heading. */
function example(heading: string): string {
  const section = readFileSync(references, "utf8").split(`\n## ${heading}\n`)[1];
  const text = section?.split("```markdown\n")[1]?.split("\n```\n")[0];
  assert(text, `documents.md has no example below ## ${heading}`);
  return `${text}\n`;
}

/** What has to lie in the folder before an event. */
function documentsFor(event: string): Record<string, string> {
  const from = (name: string) => ({ [name]: example(name) });
  switch (event) {
    case "proposal_submitted":
      return from("proposal.md");
    case "proposal_revised":
      return from("decisions.md");
    case "question_classified":
      return { "readiness.md": example("readiness.md").replaceAll("- [x]", "- [ ]") };
    case "readiness_passed":
      return from("readiness.md");
    case "completed":
      return from("conclusion.md");
    default:
      return {};
  }
}

/**
 * A participant that keeps the skill's loop: wait, write the documents that are due, look again, run
 * the printed line. A document is read before it is written, as Claude Code wants it.
 */
function takesPart(project: string, first: string, look: string): Mind {
  const planned: Step[] = [{ run: first }];
  const written = new Set<string>();
  const inProject = (path: string) => join(project, path);
  return ({ latest }) => {
    if (planned.length === 0) planned.push(...act(latest));
    const step = planned.shift();
    assert(step);
    return step;
  };

  function act(latest: string): Step[] {
    if (/^\*\*COMPLETED/m.test(latest)) return [{ say: latest }];
    const line = /^node \S*(?:report|wait-for-turn)\.cjs.*/m.exec(latest)?.[0];
    if (line !== undefined) return [{ run: line }];
    const event = /^next action: .*then append (\w+)$/m.exec(latest)?.[1];
    if (event === undefined) return [{ run: look }];
    const documents = Object.entries(documentsFor(event));
    if (documents.length === 0 || written.has(event)) return move(latest);
    written.add(event);
    const edits = documents.flatMap(([name, text]) => {
      const path = inProject(`${folder}/${name}`);
      return [{ read: path }, { write: path, text }];
    });
    return [...edits, { run: look }];
  }

  function move(latest: string): Step[] {
    const [, file] = /^write it to (\S+), then run:$/m.exec(latest) ?? [];
    const [, line] = /^(?:next: .*|.* then run):\n(node .*)/m.exec(latest) ?? [];
    assert(line, `nothing to run in:\n${latest}`);
    const command = { run: line.replace(/--summary '<.*?>'/, "--summary 'as the documents say'") };
    if (file === undefined) return [command];
    return [{ write: inProject(file), text: example("The review") }, command];
  }
}

async function begun(stage: Stage): Promise<void> {
  while (!existsSync(join(stage.project, folder, "protocol.json"))) {
    await new Promise((done) => setTimeout(done, 100));
  }
}

await describeClients("A collaboration of Claude Code and Gemini CLI", (play) => {
  play("comes to completed and the report by what scripts print", async (stage) => {
    const own = stage.addSkill("claude", "collaborate");
    const others = stage.addSkill("gemini", "collaborate");
    const at = `--folder ${folder}`;
    const terms = gates.map((gate) => `--completion '${gate}'`).join(" ");
    const names = "--participant server --participant reader";
    const init = `node ${own}/init.cjs ${at} --objective 'Agree on the sync API' ${terms} ${names}`;
    const look = (scripts: string, name: string) =>
      `node ${scripts}/next-action.cjs ${at} --participant ${name}`;
    const join = look(others, "reader");
    await stage.model("claude", takesPart(stage.project, init, look(own, "server")));
    await stage.model("gemini", takesPart(stage.project, join, join));
    // As references/protocol.md has it below "Permission".
    const permitted = [...narrow.claude, "--allowedTools", `Edit(${folder}/*.md)`];
    const server = stage.claude("/collaborate on the sync API", ...permitted);
    await Promise.race([begun(stage), server]);
    const prompt = `Join the collaboration in ${folder} as reader`;
    const reader = stage.gemini(prompt, ...narrow.gemini);
    for (const ran of await Promise.all([server, reader])) {
      stage.checkEndedWell(ran);
      assert.match(ran.stdout, /\*\*COMPLETED/);
    }
    const events = readFileSync(`${stage.project}/${folder}/events.jsonl`, "utf8");
    assert.match(events, /"review_submitted"[\s\S]*"decision_accepted"[\s\S]*"completed".*\n$/);
  });
});
