import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Project, scriptPath } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { describeCrash, type Ground, type Scene } from "./sweep.ts";
import { answer, answersIn, checkAnswered, makeTalk } from "./talk.ts";

interface Talk extends Ground {
  readonly project: Project;
}

const opening = ["--topic", "Files or SQLite?", "--session", "talk"].concat(
  ["--participant", "claude", "--participant", "gemini"],
  ["--workspace"],
);

/** Whatever is there of the session is its user's own: `next-action` goes on with it unasked. */
const init: Scene<Talk> = {
  make() {
    const project = new Project();
    mkdirSync(project.path());
    return { project, folder: project.path() };
  },
  command: ({ project }) => [scriptPath("init"), ...opening, project.folder],
  async goesOn({ project }, _stopped, point) {
    const hadLog = existsSync(project.path("sessions", "talk", "events.jsonl"));
    const again = await project.start("init", [...opening, project.folder], "").done;
    assert([0, 3].includes(again.code ?? -1), `${point}: ${again.stderr}`);
    assert(hadLog || again.code === 0, `${point}: ${again.stderr}`);
    const { code, stderr } = project.run("next-action", ["--participant", "claude"]);
    assert.deepEqual([code, stderr], [0, ""], point);
  },
};

const model = makeTalk();
process.once("exit", () => removeFolder(model.folder));

/** What was acknowledged is in the log; the same command once more makes it so if it was not. */
const append: Scene<Talk> = {
  make() {
    const project = new Project();
    cpSync(model.folder, project.folder, { recursive: true });
    writeFileSync(join(project.folder, "answer.json"), JSON.stringify(answer));
    return { project, folder: project.path() };
  },
  command: ({ project }) => {
    const who = ["--session", "talk", "--participant", "gemini", "--workspace", project.folder];
    return [scriptPath("append-event"), ...who, "--message", join(project.folder, "answer.json")];
  },
  async goesOn({ project }, stopped, point) {
    const acknowledged = /^appended seq (\d+)/.exec(stopped.output.join("\n"))?.[1];
    const stored = answersIn(project);
    if (acknowledged === undefined) assert(stored.length <= 1, point);
    else assert.deepEqual(stored, [Number(acknowledged)], point);
    checkAnswered(project, point);
    const commits = project.files("sessions/talk/.commits").filter((it) => !it.startsWith("tmp-"));
    // A commit of the last event is finished by the next writer, which also clears it away.
    assert(
      commits.every((name) => name === "3"),
      `${point} left ${commits.join()}`,
    );
  },
};

describeCrash("init", init, 12);
describeCrash("append-event", append, 14);
