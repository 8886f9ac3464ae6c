/**
 * README's picture: the page of the very session that README's command replays, drawn by each run. Its
 * text and structure must be as they are kept, its pixels nearly so: CONSULTA_DRAW=1 keeps what was drawn.
 */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { noBrowser, openBrowser, openPage, sessionLink, startView } from "../view/browser.ts";

const scratch = makeScratchFolder();
const project = new Project(join(scratch, "shop"));
after(() => removeFolder(scratch));

const root = resolve(import.meta.dirname, "../..");
const id = "durations-from-config";
const size = { width: 1180, height: 900 };
/** Letters differ a little from one version of a browser to the next. */
const differingMax = 0.03;

/** What the file holds; with CONSULTA_DRAW=1 what was drawn, which it holds from then on. */
function kept(path: string, drawn: Buffer): Buffer {
  if (process.env["CONSULTA_DRAW"] === "1") writeFileSync(path, drawn);
  return readFileSync(path);
}

describe("README's picture", { skip: noBrowser }, () => {
  let report = "";

  before(() => {
    const replays = join(scratch, "replays");
    mkdirSync(replays);
    const words = ["--replay", join(root, "examples", id)];
    const ran = new Project().run("consult", words, "", { env: { TMPDIR: replays } });
    assert.equal(ran.code, 0, ran.stderr);
    report = ran.stdout;
    const [copy = ""] = readdirSync(replays);
    renameSync(join(replays, copy), project.folder);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`shows the page as it is today, ${colorScheme}`, async () => {
      const { link } = await startView(project.folder);
      const look = { viewport: size, colorScheme, deviceScaleFactor: 1.5 };
      const { page, faults } = await openPage(link, look);
      const last = Date.parse(String(project.events(id).at(-1)?.["at"]));
      // The same ages whenever it is drawn.
      await page.clock.setFixedTime(last + 3 * 60_000);
      await page.goto(sessionLink(link, id));
      await page.reload();
      await page.getByText("CONSENSUS, 6 of 6 claims seen").waitFor();
      await page.locator("time", { hasText: "3 min ago" }).first().waitFor();
      const drawn = await page.screenshot();
      assert.deepEqual(faults, []);
      const text = await structureOf(page);
      const textPath = join(root, "test/readme/picture.txt");
      assert.equal(text, kept(textPath, Buffer.from(text)).toString(), textPath);
      for (const name of [...report.matchAll(/^- (C\d+\.\d+) of |\((E\d+)\)/gm)])
        assert(text.includes(String(name[1] ?? name[2])), `the page lacks ${name[0]}`);
      const path = join(root, `docs/page-${colorScheme}.png`);
      const share = await differing(kept(path, drawn), drawn);
      assert(share <= differingMax, `${share} of ${path} is drawn otherwise`);
    });
  }
});

/** All parts of the page with their roles and words, without what each run has of its own. */
async function structureOf(page: Page): Promise<string> {
  const text = await page.locator("body").ariaSnapshot();
  const shared = text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "TIME")
    .replaceAll(/\d+ (?:s|min) ago/g, "AGE")
    .replaceAll(/, \d+ ms$/gm, "");
  return `${shared}\n`;
}

/** Which share of the pixels is plainly another in the other picture; all of them where it has another size. */
async function differing(one: Buffer, other: Buffer): Promise<number> {
  const page = await (await openBrowser()).newPage();
  try {
    const urls = [one, other].map((it) => `data:image/png;base64,${it.toString("base64")}`);
    return await page.evaluate(`(async () => {
      const [one, other] = await Promise.all(${JSON.stringify(urls)}.map(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      }));
      if (one.width !== other.width || one.height !== other.height) return 1;
      let count = 0;
      for (let at = 0; at < one.data.length; at += 4) {
        const isOther = [0, 1, 2].some((it) => Math.abs(one.data[at + it] - other.data[at + it]) > 48);
        if (isOther) count += 1;
      }
      return count / (one.data.length / 4);
    })()`);
  } finally {
    await page.close();
  }
}
