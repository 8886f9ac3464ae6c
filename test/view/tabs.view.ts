/** Many tabs, and answers that do not come: what a page shows is what it says. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { draft } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { noBrowser, openPage, openTab, sessionLink, startView, type Watched } from "./browser.ts";
import { Stories } from "./stories.ts";

const at = new Stories();
after(() => removeFolder(at.project.folder));

const id = "doors";

/** As if another tab lay before it, or it came to the front again. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, "hidden", {
    configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"))`);
}

describe("a page", { skip: noBrowser }, () => {
  let link = "";
  let watched: Watched;

  before(async () => {
    at.open(id, "Which color?");
    at.say(id, "claude", draft("REQUEST", "Red?"));
    at.say(id, "gemini", draft("RESPONSE", "Blue?"));
    at.say(id, "claude", draft("EVALUATE", "Then blue."));
    ({ link } = await startView(at.project.folder));
    watched = await openPage(link);
    await watched.page.goto(sessionLink(link, id));
    await watched.page.getByText("Then blue.").first().waitFor();
  });

  const slider = (page: Page) => page.getByRole("slider", { name: "As of event" });

  it("answers beside seven others that nobody sees, which go on when somebody looks again", async () => {
    const tabs: Watched[] = [];
    for (let count = 0; count < 7; count += 1) {
      const tab = await openTab(watched, sessionLink(link, id));
      await tab.page.getByText("Then blue.").first().waitFor();
      await setHidden(tab.page, true);
      tabs.push(tab);
    }
    const { page } = watched;
    await slider(page).focus();
    await page.keyboard.press("Home");
    await page.getByText(/As of event 1 of/).waitFor();
    await page.getByRole("button", { name: "To the newest event" }).click();
    at.say(id, "gemini", draft("AGREE", "Blue it is.", { confidence: 0.9 }));
    await page.getByText("Blue it is.").first().waitFor();
    const [first] = tabs;
    assert(first !== undefined);
    assert.equal(await first.page.getByText("Blue it is.").count(), 0);
    await setHidden(first.page, false);
    await first.page.getByText("Blue it is.").first().waitFor();
    for (const tab of tabs) {
      assert.deepEqual(tab.faults, []);
      await tab.page.close();
    }
  });

  it("says of which event it waits for the state, and that of no other is shown as its", async () => {
    const { page } = watched;
    let answer = () => {};
    const isAsked = new Promise<void>((asked) => {
      void page.route("**/api/session?*", async (route) => {
        asked();
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        await route.continue();
      });
    });
    await slider(page).focus();
    await page.keyboard.press("Home");
    await isAsked;
    await page.getByText("Going to event 1").waitFor();
    assert.equal(await page.getByText(/As of event 1 of/).count(), 0);
    assert.equal(await page.locator('[aria-busy="true"]').count(), 1);
    answer();
    await page.getByText(/As of event 1 of/).waitFor();
    await page.unroute("**/api/session?*");
    await page.getByRole("button", { name: "To the newest event" }).click();
  });

  it("says why a state cannot be shown, and shows it when it can", async () => {
    const { page } = watched;
    await page.route("**/api/session?*", (route) => route.abort());
    await slider(page).focus();
    await page.keyboard.press("Home");
    await page.getByRole("alert").getByText("view does not answer").waitFor();
    assert.equal(await page.getByText(/As of event 1 of/).count(), 0);
    await page.unroute("**/api/session?*");
    await page.getByText(/As of event 1 of/).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByRole("button", { name: "To the newest event" }).click();
  });

  it("of a session that is gone says so, and shows the others", async () => {
    const { page } = await openTab(watched, sessionLink(link, "gone"));
    await page.getByText(/there is no session "0:gone" here any more/).waitFor();
    await page.getByRole("link", { name: "Needs you" }).click();
    await page.getByRole("link", { name: /Which color/ }).waitFor();
    await page.close();
  });

  it("gives the browser nothing to complain of but what was cut off", () => {
    assert.deepEqual(
      watched.faults.filter((it) => !/ERR_FAILED/.test(it)),
      [],
    );
  });
});
