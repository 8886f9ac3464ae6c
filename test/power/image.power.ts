import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isErrno } from "../../scripts-src/files/disk.ts";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { checkRecovers, type Moment, referencesOf } from "./recovery.ts";
import { endOf, Stage, writeFiles } from "./scene.ts";
import { board, collaboration, dialogue, type Story } from "./stories.ts";

const imageBytes = 24 * 1024 * 1024;
/** The journal is written when a script asks for it, hardly ever because time has passed. */
const mounting = "loop,data=ordered,commit=300";
const cutsWithinAStep = [20, 60, 120];

describe("a power cut on ext4", { skip: whyNot() ?? false, timeout: 1_800_000 }, () => {
  for (const story of [dialogue, collaboration, board]) {
    it(`leaves ${story.name} with every acknowledged event, and the next commands work`, (t) =>
      cutEverywhere(story, (line) => t.diagnostic(line)));
  }
});

/** Why no image can be mounted here; undefined where it can. */
function whyNot(): string | undefined {
  isInstalled("mkfs.ext4", spawnSync("mkfs.ext4", ["-V"]).status === 0);
  const scratch = makeScratchFolder();
  try {
    makeImage(join(scratch, "image"));
    mount(join(scratch, "image"), join(scratch, "mounted"));
    unmount(join(scratch, "mounted"));
    return undefined;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim().split("\n").at(-1) : String(cause);
    return `NO IMAGE WAS CUT: it takes root, loop devices and mkfs.ext4: ${reason}`;
  } finally {
    removeFolder(scratch);
  }
}

function makeImage(image: string): void {
  writeFileSync(image, "");
  truncateSync(image, imageBytes);
  execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "pipe" });
}

function mount(image: string, at: string): void {
  mkdirSync(at, { recursive: true });
  execFileSync("mount", ["-o", mounting, image, at], { stdio: "pipe" });
}

function unmount(at: string): void {
  spawnSync("umount", [at]);
}

interface ImageCut extends Moment {
  readonly image: string;
}

async function cutEverywhere(story: Story, say: (line: string) => void): Promise<void> {
  const scratch = makeScratchFolder();
  const stage = new Stage(join(scratch, "stage"));
  try {
    const references = await referencesOf(stage, join(scratch, "reference"), story);
    const cuts = await tellAndCut(stage, scratch, story);
    const failures: string[] = [];
    for (const cut of cuts) {
      // Mounting replays the journal, as a restart does.
      const at = join(scratch, "restarted");
      mount(cut.image, at);
      try {
        await checkRecovers(stage, join(at, "project"), story, references, cut);
      } catch (cause) {
        failures.push(`cut at step ${cut.step}: ${cause instanceof Error ? cause.message : cause}`);
      } finally {
        unmount(at);
        rmSync(cut.image);
      }
    }
    say(`${cuts.length} images, ${failures.length} failed`);
    assert.equal(failures.length, 0, failures.join("\n\n"));
  } finally {
    unmount(join(scratch, "restarted"));
    removeFolder(scratch);
  }
}

/** Copies the image while the file system is mounted: within steps, and when each has ended. */
async function tellAndCut(stage: Stage, scratch: string, story: Story): Promise<ImageCut[]> {
  const [image, at] = [join(scratch, "image"), join(scratch, "mounted")];
  makeImage(image);
  mount(image, at);
  const project = join(at, "project");
  const cuts: ImageCut[] = [];
  let log: Buffer = Buffer.alloc(0);
  const cut = (step: number) => {
    const copy = join(scratch, `cut-${cuts.length}`);
    copyFileSync(image, copy);
    cuts.push({ image: copy, step, log });
  };
  try {
    mkdirSync(project, { mode: 0o700 });
    execFileSync("sync", ["-f", at]);
    for (const [index, step] of story.steps.entries()) {
      writeFiles(project, step);
      let isDone = false;
      const child = stage.start(project, step);
      const running = endOf(child, step).finally(() => {
        isDone = true;
      });
      for (const waitMs of cutsWithinAStep) {
        await setTimeout(waitMs);
        if (!isDone) await whileStopped(child, () => cut(index));
      }
      const { code, errors } = await running;
      assert.equal(code, 0, errors);
      log = readFileSync(join(project, story.log));
      cut(Math.min(index + 1, story.steps.length - 1));
    }
    return cuts;
  } finally {
    unmount(at);
  }
}

/** What is copied while somebody writes would be the disk of no moment: early data, late names. */
async function whileStopped(child: ChildProcess, copy: () => void): Promise<void> {
  child.kill("SIGSTOP");
  const tasks = `/proc/${child.pid}/task`;
  const isStopped = () =>
    readdirSync(tasks).every((task) => isIdle(readFileSync(join(tasks, task, "stat"), "utf8")));
  try {
    while (!isStopped()) await setTimeout(1);
    copy();
  } catch (cause) {
    // It has ended meanwhile: the cut after the step is made anyway.
    if (!isErrno(cause, "ENOENT", "ESRCH")) throw cause;
  } finally {
    child.kill("SIGCONT");
  }
}

/** Whether a thread is stopped, or has ended and waits to be asked how. */
function isIdle(stat: string): boolean {
  return /^.*\) [TZ] /s.test(stat);
}
