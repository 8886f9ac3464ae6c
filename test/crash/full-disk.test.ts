import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { mount, mountWorks } from "../small-disk.ts";
import {
  answerCommand,
  answersIn,
  contentsOf,
  copyTalk,
  type Ended,
  makeTalk,
  nextCommand,
  run,
  showsAnswer,
  validateCommand,
} from "./talk.ts";

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && mountWorks();
const skipMount = !canMount && "NO FULL DISK WAS TESTED: mounting a tmpfs is not permitted here";
const hasSetpriv =
  isRoot && isInstalled("setpriv", spawnSync("setpriv", ["--version"]).status === 0);
const skipUser =
  isRoot && !hasSetpriv && "NO FOREIGN FOLDER WAS TESTED: setpriv is missing, root may write all";
const nobody = 65_534;
const pageBytes = 4_096;

describe("a workspace that cannot be written", { timeout: 120_000 }, () => {
  let scratch: string;
  let model: string;
  const mounts: string[] = [];
  before(async () => {
    scratch = makeScratchFolder();
    model = join(scratch, "model");
    await makeTalk(model);
  });
  after(() => {
    for (const mount of mounts) spawnSync("umount", ["-l", mount]);
    removeFolder(scratch);
  });

  /** A copy of the session whose `.consulta` lies on a disk of its own, with so many pages free. */
  function onSmallDisk(name: string, pagesFree: number) {
    const project = join(scratch, name);
    copyTalk(model, project);
    const workspace = join(project, ".consulta");
    rmSync(workspace, { recursive: true });
    mkdirSync(workspace);
    mount("-t", "tmpfs", "-o", "size=128k,mode=700", "tmpfs", workspace);
    mounts.push(workspace);
    for (const entry of readdirSync(join(model, ".consulta"))) {
      copyTalk(join(model, ".consulta", entry), join(workspace, entry));
    }
    const ballast = Array.from({ length: 64 }, (_, page) => join(workspace, `ballast-${page}`));
    const written = ballast.filter((path) => fillPage(path));
    assert(written.length >= pagesFree && written.length < ballast.length, "the disk is not full");
    for (const path of written.slice(0, pagesFree)) rmSync(path);
    return { project, workspace, ballast };
  }

  for (const pagesFree of [0, 1, 2, 3, 4, 5, 6]) {
    it(`on a disk with ${pagesFree} pages left loses nothing`, { skip: skipMount }, async () => {
      const { project, workspace, ballast } = onSmallDisk(`full-${pagesFree}`, pagesFree);
      const earlier = contentsOf(workspace);
      const ended = await run(answerCommand(project));
      if (pagesFree === 0) {
        refusedInOneLine(ended, [4]);
        assert.match(ended.errors, /ENOSPC/);
        assert.deepEqual(contentsOf(workspace), earlier, "something has changed");
      } else if (ended.code === 0) assert.deepEqual(answersIn(project), [3]);
      else refusedInOneLine(ended, [4]);
      for (const path of ballast) rmSync(path, { force: true });
      await goesOn(project);
    });
  }

  it("on a read-only file system says so in one line", { skip: skipMount }, async () => {
    const project = join(scratch, "read-only");
    copyTalk(model, project);
    const workspace = join(project, ".consulta");
    mount("--bind", workspace, workspace);
    mounts.push(workspace);
    mount("-o", "remount,ro,bind", workspace);
    const earlier = contentsOf(workspace);
    refusedInOneLine(await run(answerCommand(project)), [2, 4]);
    assert.deepEqual(contentsOf(workspace), earlier, "something has changed");
    mount("-o", "remount,rw,bind", workspace);
    await goesOn(project);
  });

  it("in folders that it may only read says so in one line", { skip: skipUser }, async () => {
    const project = join(scratch, "foreign");
    copyTalk(model, project);
    if (isRoot) chmodSync(scratch, 0o755);
    const paths = readdirSync(project, { recursive: true, encoding: "utf8" }).map((name) =>
      join(project, name),
    );
    const allow = (mode: string) => spawnSync("chmod", ["-R", mode, project]);
    if (isRoot) for (const path of [project, ...paths]) chownSync(path, nobody, nobody);
    allow("u=rX,go=rX");
    const earlier = contentsOf(project);
    const under = isRoot
      ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"]
      : [];
    refusedInOneLine(await run(answerCommand(project), under), [2, 4]);
    assert.deepEqual(contentsOf(project), earlier, "something has changed");
    allow("u+w");
    await goesOn(project, under);
  });
});

function refusedInOneLine({ code, out, errors }: Ended, codes: number[]): void {
  assert(codes.includes(code ?? -1), `exit ${code}: ${errors}`);
  assert.equal(out, "");
  assert.match(errors, /^error: [^\n]+\n$/);
}

/** Once there is room, the same command again does it, with no other help. */
async function goesOn(project: string, under: string[] = []): Promise<void> {
  const again = await run(answerCommand(project), under);
  assert.equal(again.code, 0, again.errors);
  assert.deepEqual(answersIn(project), [3]);
  const next = await run(nextCommand(project, "claude"), under);
  assert(showsAnswer(next), `${next.out}${next.errors}`);
  const repaired = await run(validateCommand(project, "--repair"), under);
  assert.equal(repaired.code, 0, `${repaired.out}${repaired.errors}`);
}

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
