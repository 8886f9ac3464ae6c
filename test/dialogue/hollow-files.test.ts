import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { removeFolder } from "../store/scratch-folder.ts";
import { draft, Project } from "./project.ts";

const words = "Files or a database?";

describe("a file that a power cut emptied", () => {
  let project: Project;
  beforeEach(() => {
    project = new Project();
    project.open("talk");
    project.say("talk", "claude", draft("REQUEST", words));
  });
  afterEach(() => removeFolder(project.folder));

  for (const [what, lost] of [
    ["nothing", () => ""],
    ["zeros", (text: string) => "\0".repeat(text.length)],
  ] as const) {
    it(`stops nobody where config.json holds ${what}, and the next init writes it`, () => {
      const before = project.read("config.json");
      writeFileSync(project.path("config.json"), lost(before));
      assert.equal(project.next("talk", "gemini").code, 0);
      project.open("other");
      assert.equal(project.read("config.json"), before);
    });

    it(`is written anew where a copy in an inbox holds ${what}`, () => {
      const [name = ""] = project.files("inbox-gemini");
      const before = project.read("inbox-gemini", name);
      writeFileSync(project.path("inbox-gemini", name), lost(before));
      const { code, stdout } = project.next("talk", "gemini");
      assert.equal(code, 0);
      assert(stdout.includes(words));
      assert.equal(project.read("archive", name), before);
    });
  }
});
