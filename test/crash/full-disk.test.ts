import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { type Project, projectMaker } from "../dialogue/project.ts";
import { mount, mountWorks } from "../small-disk.ts";
import { answer, answersIn, checkAnswered, makeTalk } from "./talk.ts";

const canMount = process.getuid?.() === 0 && mountWorks();
const skip = !canMount && "NO FULL DISK WAS TESTED: mounting a tmpfs is not permitted here";
const pageBytes = 4_096;
const newProject = projectMaker();

describe("an answer that is sent where the workspace's disk", { skip, timeout: 120_000 }, () => {
  let model: Project;
  const mounts: string[] = [];
  before(() => {
    model = makeTalk(newProject());
  });
  after(() => {
    for (const mounted of mounts) spawnSync("umount", ["-l", mounted]);
  });

  /** A copy of the session on a disk of its own with so many pages free; what fills it else. */
  function onSmallDisk(pagesFree: number) {
    const project = newProject();
    mkdirSync(project.path());
    mount("-t", "tmpfs", "-o", "size=128k,mode=700", "tmpfs", project.path());
    mounts.push(project.path());
    for (const name of readdirSync(model.path()))
      cpSync(model.path(name), project.path(name), { recursive: true });
    const ballast = Array.from({ length: 64 }, (_, page) => project.path(`ballast-${page}`));
    const written = ballast.filter(fillPage);
    assert(written.length >= pagesFree && written.length < ballast.length, "the disk is not full");
    for (const path of written.slice(0, pagesFree)) rmSync(path);
    return { project, ballast };
  }

  for (const pagesFree of [0, 1, 2, 3, 4, 5, 6]) {
    it(`has ${pagesFree} pages left is stored or rejected in one line, and nothing is lost`, () => {
      const { project, ballast } = onSmallDisk(pagesFree);
      const earlier = project.listing();
      const { code, stdout, stderr } = project.send("talk", "gemini", answer);
      if (pagesFree > 0 && code === 0) assert.deepEqual(answersIn(project), [3]);
      else {
        assert.deepEqual([code, stdout], [4, ""], stderr);
        assert.match(stderr, /^error: [^\n]*ENOSPC[^\n]*\n$/);
      }
      if (pagesFree === 0) assert.deepEqual(project.listing(), earlier, "something has changed");
      for (const path of ballast) rmSync(path, { force: true });
      checkAnswered(project, `with ${pagesFree} pages`);
    });
  }
});

/** False when the disk has no page left. */
function fillPage(path: string): boolean {
  try {
    writeFileSync(path, Buffer.alloc(pageBytes, "x"));
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}
