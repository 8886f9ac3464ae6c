/** The file that is sent, of the kinds that `hostile.view.ts` does not send: whole, closed, and open to everybody. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { sha256 } from "../../scripts-src/files/hash.ts";
import { removeFolder } from "../scratch-folder.ts";
import { axeFaults, desk, noBrowser, openPage, overflow, phone } from "./browser.ts";
import { Stories } from "./stories.ts";

const at = new Stories();
after(() => removeFolder(at.project.folder));

const sent: readonly [kind: string, id: string, make: (id: string) => void, shown: RegExp][] = [
  ["a collaboration", "exports", (id) => at.collaboration(id), /The restore was tried once/],
  ["a board", "login-faults", (id) => at.board(id), /superseded by heron/],
];

describe("the file that report --html writes", { skip: noBrowser }, () => {
  before(() => at.open("first", "Something else"));

  for (const [kind, id, make, shown] of sent) {
    it(`opens from the disk and runs nothing: ${kind}`, async () => {
      make(id);
      const path = at.done("report", ["--folder", at.folderOf(id), "--html"]).trim();
      const { page, faults } = await openPage(pathToFileURL(path).href, { offline: true });
      await page.getByText(shown).first().waitFor();
      const policies = page.locator('meta[http-equiv="Content-Security-Policy"]');
      const policy = (await policies.getAttribute("content")) ?? "";
      assert.match(policy, /^default-src 'none'; /);
      assert.doesNotMatch(policy, /unsafe|\*|https?:|data:/);
      const inline = page.locator('style, script:not([type="application/json"])');
      for (const text of await inline.allTextContents())
        assert(policy.includes(`'sha256-${sha256(text, "base64")}'`), text.slice(0, 80));
      assert.equal(await page.locator("[style], link, script[src]").count(), 0);
      for (const { viewport } of [desk, phone])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await axeFaults(page), [], `${viewport.width} ${colorScheme}`);
          assert((await overflow(page)) <= 0, `wider than its window at ${viewport.width}`);
        }
      assert.deepEqual(faults, []);
      await page.context().close();
    });
  }
});
