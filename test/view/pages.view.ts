/** Every page, light and dark, wide and narrow, and by keys alone. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { removeFolder } from "../scratch-folder.ts";
import {
  axeFaults,
  desk,
  noBrowser,
  openPage,
  overflow,
  phone,
  startView,
  type Watched,
} from "./browser.ts";
import { Stories, talkAboutRetries } from "./stories.ts";

const at = new Stories();
after(() => removeFolder(at.project.folder));

const pages: readonly [name: string, hash: string, heading: RegExp][] = [
  ["the list", "#/", /Needs you/],
  ["an ended dialogue", "#/s/0%3Adurations", /Can durations/],
  ["an open dialogue", "#/s/0%3Aretry-or-queue", /Retry failed/],
  ["a decision that waits", "#/s/0%3Ais-number", /Replace is-number/],
  ["a collaboration", "#/s/0%3Aexports", /exports to the new storage/],
  ["a board", "#/s/0%3Alogin-faults", /login-faults/],
  ["the brain", "#/brain/0", /What is remembered/],
];

describe("the pages", { skip: noBrowser }, () => {
  let watched: Watched;

  before(async () => {
    at.example("durations-from-config", "durations");
    at.example("dropping-is-number", "is-number");
    talkAboutRetries(at);
    at.collaboration("exports");
    at.board("login-faults");
    const { link } = await startView(at.project.folder);
    watched = await openPage(link);
  });

  for (const [name, hash, heading] of pages) {
    it(`are open to everybody, light and dark, at 1280 and 320 px: ${name}`, async () => {
      const { page } = watched;
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      for (const { viewport } of [desk, phone]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await axeFaults(page), [], `${viewport.width} ${colorScheme}`);
          assert(
            (await overflow(page)) <= 0,
            `wider than its window at ${viewport.width}, ${colorScheme}`,
          );
        }
      }
    });
  }

  it("show a collaboration: phase, duty, gates, and what changed beside the reviews", async () => {
    const { page } = watched;
    await page.setViewportSize(desk.viewport);
    await page.evaluate("location.hash = '#/s/0%3Aexports'");
    await page.locator('.phases [aria-current="step"]', { hasText: "decision review" }).waitFor();
    await page.locator(".duties", { hasText: "readiness.md" }).waitFor();
    await page.locator(".claims .assumed", { hasText: "The restore was tried once" }).waitFor();
    const revision = page.locator(".revision", { hasText: "proposal.md: version 1 to 2" });
    await revision.locator("ins", { hasText: "readable for 30 days" }).waitFor();
    await revision.locator("del", { hasText: "About 2 million" }).waitFor();
    await revision.locator(".review", { hasText: "there is no way back" }).waitFor();
  });

  it("show a board: superseded, confirmed, stale, conflicting, missing", async () => {
    const { page } = watched;
    await page.evaluate("location.hash = '#/s/0%3Alogin-faults'");
    for (const text of [
      "superseded by heron/02-session-clock-2.md",
      "confirmed by heron/02-session-clock-2.md",
      "stale: 1 citation",
      "cache.ts: modified by",
      "heron, lynx",
    ])
      await page.getByText(text).first().waitFor();
  });

  it("show what each claim rests on, and who changed its mind because of what", async () => {
    const { page } = watched;
    await page.evaluate("location.hash = '#/s/0%3Adurations'");
    await page.getByText("CONSENSUS, 6 of 6 claims seen").waitFor();
    await page.locator(".minds", { hasText: "gemini in #21, because of E18" }).waitFor();
    await page.locator(".minds").getByRole("link", { name: "E18" }).click();
    assert.equal(await page.evaluate("document.activeElement?.id"), "seq-18");
    assert.equal(await page.locator("#seq-18 details").getAttribute("open"), "");
    assert.equal(await page.evaluate("location.hash"), "#/s/0%3Adurations");
    await page
      .locator(".confidence", { hasText: /claude 0\.95.*gemini 0\.95.*needed 0\.85/ })
      .waitFor();
    const claim = page.locator("aside .claims .seen", { hasText: "C4.1" });
    assert.match((await claim.textContent()) ?? "", /gemini found it.*claude found it/);
    await page.getByText("By message", { exact: true }).click();
    await page.getByRole("table", { name: /Confidence by message/ }).waitFor();
  });

  it("tell what is recommended where the person decides, and decide nothing for them", async () => {
    const { page } = watched;
    await page.evaluate("location.hash = '#/s/0%3Ais-number'");
    const wanted = page.locator(".wanted");
    await wanted.getByText("Drop is-number only in a major release").waitFor();
    await page.locator(".participants", { hasText: "You are to decide" }).waitFor();
    const log = at.project.read("sessions", "is-number", "events.jsonl");
    await wanted.getByRole("button", { name: "Take over their words" }).click();
    const field = page.getByLabel("What you decided");
    assert.match(await field.inputValue(), /^Drop is-number only in a major release/);
    assert.equal(at.project.read("sessions", "is-number", "events.jsonl"), log);
    await field.fill("");
  });

  it("can be used by keys alone", async () => {
    const { page } = watched;
    await page.evaluate("location.hash = '#/'");
    await page.getByRole("heading", { name: "Waits for you" }).waitFor();
    await page.locator("body").press("Tab");
    await pressOn(page, page.getByRole("link", { name: /Retry failed/ }));
    await page.getByRole("heading", { level: 1, name: /Retry failed/ }).waitFor();
    await pressOn(page, page.locator("article.message summary").first());
    await page.getByText("no call may be lost").nth(1).waitFor();
    await typeInto(page, "Say something", "By keys.");
    await pressOn(page, page.getByRole("button", { name: "Say it" }));
    await page.locator("article.own", { hasText: "By keys." }).waitFor();
  });

  it("give the browser nothing to complain of", () => {
    assert.deepEqual(watched.faults, []);
  });
});

/** More than any page here has places for the focus. */
const tabsMax = 80;

/** Goes there by Tab, as a person without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses <= tabsMax; presses += 1) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${tabsMax} times Tab do not lead to ${target}`);
}

async function pressOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label));
  await page.keyboard.type(text);
}
