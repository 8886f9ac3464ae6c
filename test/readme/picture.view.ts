/** README's picture: a real page, drawn by each run; CONSULTA_DRAW=1 keeps what was drawn. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { noBrowser, openPage, sessionLink, startView } from "../view/browser.ts";
import { Stories } from "../view/stories.ts";

const scratch = makeScratchFolder();
const at = new Stories(new Project(join(scratch, "shop")));
after(() => removeFolder(scratch));

const id = "durations-from-config";
const size = { width: 1180, height: 900 };

describe("README's picture", { skip: noBrowser }, () => {
  for (const colorScheme of ["light", "dark"] as const) {
    it(`shows the page as it is today, ${colorScheme}`, async () => {
      mkdirSync(at.project.folder, { recursive: true });
      if (colorScheme === "light") at.example(id, id);
      const { link } = await startView(at.project.folder);
      const { page, faults } = await openPage(link, {
        viewport: size,
        colorScheme,
        deviceScaleFactor: 1.5,
      });
      const last = Date.parse(String(at.project.events(id).at(-1)?.["at"]));
      // The same ages whenever it is drawn.
      await page.clock.setFixedTime(last + 3 * 60_000);
      await page.goto(sessionLink(link, id));
      await page.reload();
      await page.getByText("CONSENSUS, 4 of 4 claims seen").waitFor();
      await page.locator("time", { hasText: "3 min ago" }).first().waitFor();
      const drawn = await page.screenshot();
      assert.deepEqual(faults, []);
      const path = resolve(import.meta.dirname, `../../docs/page-${colorScheme}.png`);
      if (process.env["CONSULTA_DRAW"] === "1") writeFileSync(path, drawn);
      const kept = readFileSync(path);
      assert.deepEqual(sizeOf(kept), sizeOf(drawn));
      const ratio = kept.length / drawn.length;
      assert(ratio > 0.7 && ratio < 1.4, `drawn otherwise than ${path}: CONSULTA_DRAW=1 keeps it`);
    });
  }
});

/** Width and height, as a PNG begins with them. */
function sizeOf(png: Buffer): [width: number, height: number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
