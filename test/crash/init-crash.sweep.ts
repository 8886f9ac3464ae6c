import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { Project, scriptPath } from "../dialogue/project.ts";
import { describeCrash, type Ground, type Scene } from "./sweep.ts";

interface Opening extends Ground {
  readonly project: Project;
}

const words = ["--topic", "Files or SQLite?", "--session", "talk"].concat(
  ["--participant", "claude", "--participant", "gemini"],
  ["--workspace"],
);

/** Whatever is there of the session is its user's own: `next-action` goes on with it unasked. */
const opening: Scene<Opening> = {
  make() {
    const project = new Project();
    mkdirSync(project.path());
    return { project, folder: project.path() };
  },
  command: ({ project }) => [scriptPath("init"), ...words, project.folder],
  async goesOn({ project }, _stopped, point) {
    const hadLog = existsSync(project.path("sessions", "talk", "events.jsonl"));
    const again = await project.start("init", [...words, project.folder], "").done;
    assert([0, 3].includes(again.code ?? -1), `${point}: ${again.stderr}`);
    assert(hadLog || again.code === 0, `${point}: ${again.stderr}`);
    const { code, stderr } = project.run("next-action", ["--participant", "claude"]);
    assert.deepEqual([code, stderr], [0, ""], point);
  },
};

describeCrash("init", opening, 12);
