/** The brain's page, with a brain that runs: what it keeps is found, as any client finds it. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { connectBrain } from "../../scripts-src/brain/client/connect-brain.ts";
import { TestClient } from "../brain/served-brain.ts";
import { Project, scriptPath } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { axeFaults, noBrowser, openPage, startView } from "./browser.ts";

const project = new Project();
after(() => removeFolder(project.folder));

describe("the brain's page", { skip: noBrowser }, () => {
  it("says that none runs, then shows memories, finds them, and tells its health", async () => {
    project.open("talk");
    const { link } = await startView(project.folder);
    const { page, faults } = await openPage(link);
    await page.getByRole("link", { name: "Brain" }).click();
    await page.getByText("No brain runs for this project").waitFor();
    const serve = spawn(process.execPath, [scriptPath("brain"), "serve"], {
      cwd: project.folder,
      stdio: "ignore",
    });
    const ended = once(serve, "close");
    try {
      const keep = (key: string, text: string) => {
        const words = [scriptPath("brain"), "store", key, text, "--source", "claude"];
        const { status, stderr } = spawnSync(process.execPath, words, { cwd: project.folder });
        assert.equal(status, 0, String(stderr));
      };
      keep("release/day", "Releases go out on Tuesdays, never before a holiday.");
      keep("test/database", "Tests use a database of their own: <b>never</b> the shared one.");
      await page.getByText("Releases go out on Tuesdays").waitFor();
      await page.getByText("<b>never</b> the shared one").waitFor();
      await page.locator(".health", { hasText: /Memories +2/ }).waitFor();
      await page.getByLabel("Search memories").fill("which database do tests use");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("heading", { name: "What fits, best first" }).waitFor();
      await page.getByText("Releases go out on Tuesdays").waitFor({ state: "detached" });
      await page.getByText("never</b> the shared one").waitFor();
      const client = new TestClient();
      const brain = join(project.folder, ".consulta", "brain");
      client.line = await connectBrain(brain, { handlers: client.handlers });
      const usage = { token_usage: { current: 96, total: 100 } };
      const about = { session: "one", cli: "claude", event: "tool", deliverable: true };
      await client.sync({ ...about, ...usage });
      for (const text of [
        /its context is nearly full; at 96\.0 %; session one/,
        /may err; at 96\.0 %; session one/,
        /claude one warned; 96 % of its context/,
      ])
        await page.locator(".health", { hasText: text }).waitFor();
      client.line?.close();
      assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual(faults, []);
    } finally {
      serve.kill("SIGTERM");
      await ended;
    }
  });
});
