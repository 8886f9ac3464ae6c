/** `view --open`, with a program in the place of the browser. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { homeFolder } from "../../scripts-src/files/home-folder.ts";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { ViewClient } from "./view-client.ts";

const project = new Project();
after(() => removeFolder(project.folder));

/** A folder of commands in which `xdg-open` does this. */
function commands(program: string): string {
  const folder = join(project.folder, "commands");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  return `${folder}:${process.env["PATH"]}`;
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (let looks = 0; looks < 400; looks += 1) {
    const found = find();
    if (found !== undefined) return found;
    await sleep(25);
  }
  return assert.fail("it did not come");
}

describe("view --open", { skip: process.platform !== "linux" }, () => {
  it("leads the browser to the link by a file that it may read and others may not", async () => {
    project.open("talk");
    const told = join(project.folder, "told.txt");
    const env = { PATH: commands(`printf %s "$1" >${told}.new; mv ${told}.new ${told}`) };
    const view = await ViewClient.start(project.folder, ["--open"], env);
    const address = await until(() => (existsSync(told) ? readFileSync(told, "utf8") : undefined));
    assert.doesNotMatch(address, new RegExp(view.token), "all users see the words of a command");
    const path = fileURLToPath(address);
    assert.equal(dirname(path), homeFolder());
    assert.match(basename(path), /^[^.]/, "a browser in a snap reads no hidden folder");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const link = `http://127.0.0.1:${view.port}/#${view.token}`;
    assert(readFileSync(path, "utf8").includes(`content="0; url=${link}"`));
    assert.equal((await view.enter()).status, 200);
    await until(() => (existsSync(path) ? undefined : true));
    await view.end();
  });

  const failures: [name: string, program: string, reason: RegExp][] = [
    ["none can be opened", "exit 3", /no browser was opened: xdg-open ended with 3; open the link/],
    [
      "there is no command for it",
      "",
      /no browser was opened: spawn xdg-open ENOENT; open the link/,
    ],
  ];
  for (const [name, program, reason] of failures)
    it(`says so where ${name}, and serves the page`, async () => {
      const PATH = program === "" ? "/nowhere" : commands(program);
      const view = await ViewClient.start(project.folder, ["--open"], { PATH });
      await until(() => (reason.test(view.stderr) ? true : undefined));
      assert.equal((await view.enter()).status, 200);
      await view.end();
      const left = join(homeFolder(), `consulta-view-${view.pid}.html`);
      assert(!existsSync(left));
    });
});
