import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { after } from "node:test";
import { describeCrash, type Scene } from "../crash/sweep.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { draft, Project, scriptPath } from "./project.ts";

const folders: string[] = [];
after(() => {
  for (const folder of folders) removeFolder(folder);
});

/** A dialogue in which a message awaits gemini. */
class Talk {
  readonly project: Project;
  readonly folder: string;

  constructor(project: Project) {
    this.project = project;
    this.folder = project.path();
    folders.push(project.folder);
  }

  notes(): number {
    return this.project.events("talk").filter(({ event }) => event === "in_turn").length;
  }
}

let begun: Talk | undefined;

function talk(): Talk {
  if (begun === undefined) {
    begun = new Talk(new Project());
    begun.project.open("talk");
    begun.project.say("talk", "claude", draft("REQUEST", "Which one?"));
  }
  const folder = makeScratchFolder();
  cpSync(begun.project.folder, folder, { recursive: true });
  return new Talk(new Project(folder));
}

const looking: Scene<Talk> = {
  make: talk,
  command: ({ project }) => [
    scriptPath("next-action"),
    ...["--workspace", project.folder, "--session", "talk", "--participant", "gemini"],
  ],
  /** Nothing is noted that was not shown; the next look shows it again, and it is noted once. */
  async goesOn(at, stopped, point) {
    const isShown = stopped.output.includes("| content: Which one?");
    assert(isShown || at.notes() === 0, `${point}: noted and not shown`);
    const next = at.project.next("talk", "gemini");
    assert.equal(next.code, 0, `${point}: ${next.stderr}`);
    assert.match(next.stdout, /content: Which one\?/, point);
    assert.equal(at.notes(), 1, point);
    const { stdout, code } = at.project.run("validate", ["--session", "talk"]);
    assert.deepEqual([code, stdout], [0, "validation passed (1 session)\n"], point);
    at.project.say("talk", "gemini", draft("RESPONSE", "This."));
  },
};

describeCrash("next-action on an unread message", looking, 4);
