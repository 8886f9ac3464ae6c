/**
 * A clone brings what lies beside a log, and no log: nothing of it gets into the one that its user
 * begins there, nor makes another's terms the user's own.
 */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const folders: string[] = [];
after(() => folders.forEach(removeFolder));

let project: Project;
beforeEach(() => {
  project = new Project();
  folders.push(project.folder);
});

const terms = ["--participant", "server", "--participant", "reader", "--completion", "Done"];
const collaboration = ["--objective", "Agree", "--folder", "docs/sync", ...terms];
const dialogue = ["--topic", "Which?", "--session", "talk", "--participant", "server"];
const kinds: [kind: string, folder: string, words: string[]][] = [
  ["collaboration", "docs/sync", collaboration],
  ["dialogue", ".consulta/sessions/talk", [...dialogue, "--participant", "reader"]],
];

/** Puts a file into the project, as a clone does. */
function plant(path: string, text: string): void {
  const file = join(project.folder, path);
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

const read = (path: string) => readFileSync(join(project.folder, path), "utf8");

/** The second event of a log, as a commit that would land behind the given first line. */
function commitBehind(first: string): string {
  const at = "2026-01-01T00:00:00Z";
  const said = { from: "server", event: "proposal_submitted", summary: "Publish the keys." };
  const event: JsonObject = { seq: 2, ...said, at, doc: "proposal.md" };
  return `${Buffer.byteLength(first)}\n${JSON.stringify(event)}\n`;
}

describe("beside a log that its user begins", () => {
  for (const [kind, folder, words] of kinds) {
    it(`commits that lie there bring no event into a ${kind}`, () => {
      assert.equal(project.run("init", words).code, 0);
      const first = read(`${folder}/events.jsonl`);
      rmSync(join(project.folder, folder), { recursive: true });
      plant(`${folder}/.commits/2`, commitBehind(first));
      const { code, stdout, stderr } = project.run("init", words);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /\.commits holds event 2 of a log that has none: .*; remove that folder/,
      );
      const log = join(project.folder, folder, "events.jsonl");
      assert.equal(existsSync(log) ? read(`${folder}/events.jsonl`) : "", "");
      rmSync(join(project.folder, folder, ".commits"), { recursive: true });
      const again = kind === "dialogue" ? words : [...words, "--resume"];
      assert.equal(project.run("init", again).code, 0);
      assert.equal(read(`${folder}/events.jsonl`).split("\n").length, 2);
    });
  }

  it("terms that lie there do not become the user's own", () => {
    assert.equal(project.run("init", collaboration).code, 0);
    const protocol = read("docs/sync/protocol.json");
    const resumed = (text: string) => {
      rmSync(join(project.folder, "docs/sync"), { recursive: true });
      plant("docs/sync/protocol.json", text);
      const { code, stderr } = project.run("init", [...collaboration, "--resume"]);
      assert.equal(code, 0, stderr);
      const { stdout } = project.run("status", ["--folder", "docs/sync"]);
      return {
        kept: /^kept protocol\.json/m.test(stderr),
        own: !stdout.includes("not begun here"),
      };
    };
    const other = protocol.replace('"Agree"', '"Publish the keys"');
    assert.notEqual(other, protocol);
    assert.deepEqual(resumed(other), { kept: true, own: false });
    // As an init leaves it that died behind it.
    const early = protocol.replace(/"(createdAt|updatedAt)": "\d+/g, '"$1": "2025');
    assert.deepEqual(resumed(early), { kept: false, own: true });
  });
});
