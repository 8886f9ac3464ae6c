import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  checkoutsOf,
  inWorktreeOf,
  mainCheckout,
} from "../../../scripts-src/session/workspace/main-checkout.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";

let base: string;
let main: string;
let worktree: string;

function git(folder: string, ...words: string[]): void {
  const own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...own, ...words], { cwd: folder, stdio: "ignore" });
}

/** A folder whose `.git` file names another one. */
function linked(name: string, gitdir: string): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".git"), `gitdir: ${gitdir}\n`);
  return folder;
}

before(() => {
  base = realpathSync(makeScratchFolder());
  [main, worktree] = [join(base, "shop"), join(base, "shop-fix")];
  mkdirSync(join(main, "api"), { recursive: true });
  writeFileSync(join(main, "api", "a.txt"), "a");
  git(main, "init", "-q");
  git(main, "add", ".");
  git(main, "commit", "-qm", "one");
  git(main, "worktree", "add", "-q", worktree, "-b", "fix");
});
after(() => removeFolder(base));

describe("the main checkout of a folder", () => {
  it("is found from a worktree, also from below it and through a link", () => {
    assert.equal(mainCheckout(worktree), main);
    assert.equal(mainCheckout(join(worktree, "api")), join(main, "api"));
    mkdirSync(join(worktree, "new", "deep"), { recursive: true });
    assert.equal(mainCheckout(join(worktree, "new", "deep")), main);
    symlinkSync(worktree, join(base, "link"));
    assert.equal(mainCheckout(join(base, "link")), main);
    for (const checkout of [main, worktree]) {
      assert.deepEqual(checkoutsOf(checkout), [main, worktree]);
    }
    assert.equal(inWorktreeOf(join(worktree, "new"), join(main, "api")), join(worktree, "api"));
    assert.equal(inWorktreeOf(join(worktree, "api"), main), worktree);
  });

  it("is none for the main checkout itself, for a submodule, and where there is no git", () => {
    const outer = join(base, "outer");
    mkdirSync(outer);
    git(outer, "init", "-q");
    git(outer, "submodule", "add", "-q", main, "part");
    for (const folder of [main, join(outer, "part"), base, join(base, "missing")]) {
      assert.equal(mainCheckout(folder), undefined, folder);
    }
  });

  it("is none for a folder that the repository does not know", () => {
    const [link = ""] = readFileSync(join(worktree, ".git"), "utf8").split("\n");
    const known = link.replace("gitdir: ", "");
    // As in an archive: it names a worktree of the victim, or brings its own that names the victim.
    const other = linked("other", known);
    const made = linked("made", "repo/.git/worktrees/made");
    const own = join(made, "repo", ".git", "worktrees", "made");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "commondir"), `${join(main, ".git")}\n`);
    writeFileSync(join(own, "gitdir"), `${join(made, ".git")}\n`);
    const whole = linked("whole", join(main, ".git"));
    const odd = [linked("odd", "/dev/zero"), linked("none", "nowhere"), linked("empty", " ")];
    symlinkSync(join(worktree, ".git"), join(base, "api.git"));
    mkdirSync(join(base, "by-link"));
    symlinkSync(join(worktree, ".git"), join(base, "by-link", ".git"));
    for (const folder of [other, made, whole, ...odd, join(base, "by-link")]) {
      assert.equal(mainCheckout(folder), undefined, folder);
    }
    // Nor does a repository draw in a folder that does not name it.
    mkdirSync(join(main, ".git", "worktrees", "drawn"));
    writeFileSync(join(main, ".git", "worktrees", "drawn", "gitdir"), `${join(other, ".git")}\n`);
    writeFileSync(join(main, ".git", "worktrees", "drawn", "commondir"), "../..\n");
    assert.deepEqual(checkoutsOf(main), [main, worktree]);
  });

  it("is not left through a link in it", () => {
    mkdirSync(join(base, "victim", ".consulta"), { recursive: true });
    mkdirSync(join(worktree, "led"));
    symlinkSync(join(base, "victim"), join(main, "led"));
    assert.equal(mainCheckout(join(worktree, "led")), main);
  });

  it("is none when the worktree was removed from the repository's list", () => {
    rmSync(join(main, ".git", "worktrees", "shop-fix"), { recursive: true });
    assert.equal(mainCheckout(worktree), undefined);
  });
});
