/** What goes wrong beside the page, and what the page makes of it. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { draft, Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { noBrowser, openPage, openTab, sessionLink, startView, type Watched } from "./browser.ts";
import { longLog, manySessions } from "./many.ts";
import { Stories } from "./stories.ts";

const folders: string[] = [];
after(() => {
  for (const it of folders) removeFolder(it);
});

function makeStories(): Stories {
  const at = new Stories(new Project(makeScratchFolder()));
  folders.push(at.project.folder);
  return at;
}

describe("beside the page", { skip: noBrowser }, () => {
  const at = makeStories();
  let link = "";
  let watched: Watched;

  before(async () => {
    for (const id of ["sound", "damaged", "removed"]) {
      at.open(id, `About ${id}`);
      at.say(id, "claude", draft("REQUEST", `What of ${id}?`));
    }
    ({ link } = await startView(at.project.folder));
    watched = await openPage(sessionLink(link, "sound").replace("#", `#${link.split("#")[1]}`));
    await watched.page.getByText("What of sound?").first().waitFor();
  });

  it("a damaged log shows its fault and the command to run, and hides no other session", async () => {
    const { page } = await openTab(watched, sessionLink(link, "damaged"));
    await page.getByText("What of damaged?").first().waitFor();
    appendFileSync(at.project.path("sessions", "damaged", "events.jsonl"), "{no event}\n{}\n");
    await page.getByRole("heading", { name: "This session cannot be read" }).waitFor();
    await page.getByText("validate --session damaged").waitFor();
    await page.getByText(/events\.jsonl line \d+ is not JSON/).waitFor();
    await page.goto(`${link.split("#")[0]}#/`);
    const failed = page.locator(".group.failed", { hasText: "damaged" });
    await failed.getByText(/is not JSON/).waitFor();
    await page.getByRole("link", { name: /About sound/ }).waitFor();
    await page.close();
  });

  it("a session that is removed while it is shown says so, and the list loses it", async () => {
    const { page } = await openTab(watched, sessionLink(link, "removed"));
    await page.getByText("What of removed?").first().waitFor();
    rmSync(at.project.path("sessions", "removed"), { recursive: true });
    await page.getByRole("heading", { name: "This session cannot be read" }).waitFor();
    await page.goto(`${link.split("#")[0]}#/`);
    await page.getByRole("link", { name: /About sound/ }).waitFor();
    await page.getByRole("link", { name: /About removed/ }).waitFor({ state: "detached" });
    await page.close();
  });

  it("a log that grows while it is replayed stays as of its event, and knows of the new ones", async () => {
    const { page } = watched;
    const slider = page.getByRole("slider", { name: "As of event" });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText(/As of event 1 of/).waitFor();
    at.say("sound", "gemini", draft("RESPONSE", "Sound it is."));
    await page.getByText(/As of event 1 of [4-9]/).waitFor();
    assert.equal(await page.getByText("Sound it is.").count(), 0);
    await page.getByRole("button", { name: "To the newest event" }).click();
    await page.getByText("Sound it is.").first().waitFor();
  });

  it("a page that was cut off for a while gets all that it missed, once", async () => {
    const { page } = watched;
    const context = page.context();
    await context.setOffline(true);
    await page.evaluate("window.dispatchEvent(new Event('offline'))");
    at.say("sound", "claude", draft("EVALUATE", "Said in the dark.", { confidence: 0.7 }));
    await context.setOffline(false);
    await page.getByText("Said in the dark.").first().waitFor();
    assert.equal(await page.locator("article.message").count(), 3);
  });

  it("gives the browser nothing to complain of", () => {
    const faults = watched.faults.filter((it) => !/ERR_INTERNET_DISCONNECTED/.test(it));
    assert.deepEqual(faults, []);
  });
});

describe("a full disk", { skip: noBrowser }, () => {
  it("is told where a step-in is not stored, and nothing is half there", async () => {
    const at = makeStories();
    at.open("full", "About a full disk");
    at.say("full", "claude", draft("REQUEST", "Where to?"));
    const { link, child } = await startView(at.project.folder, "--port", "0");
    const { page } = await openPage(link);
    await page.goto(sessionLink(link, "full"));
    await page.getByLabel("Say something").fill("Mind the disk.");
    const log = at.project.path("sessions", "full", "events.jsonl");
    const stored = readFileSync(log, "utf8");
    // What a full disk looks like to a process that runs: no file may grow.
    const { spawnSync } = await import("node:child_process");
    spawnSync("prlimit", ["--pid", String(child.pid), "--fsize=0:unlimited"]);
    await page.getByRole("button", { name: "Say it" }).click();
    await page
      .getByRole("alert")
      .getByText(/not stored: /)
      .waitFor();
    assert.equal(readFileSync(log, "utf8"), stored);
    assert.equal(await page.getByLabel("Say something").inputValue(), "Mind the disk.");
    spawnSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:unlimited"]);
    await page.getByRole("button", { name: "Say it" }).click();
    await page.locator("article.own", { hasText: "Mind the disk." }).waitFor();
  });
});

describe("very much", { skip: noBrowser }, () => {
  it("a thousand sessions are listed, what waits first", async () => {
    const at = makeStories();
    at.open("first", "The first one");
    manySessions(at.project, "first", 1_000);
    const { link } = await startView(at.project.folder);
    const { page, faults } = await openPage(link);
    await page.locator(".group .count", { hasText: /^100\d$/ }).waitFor();
    assert((await page.locator("a.row").count()) < 200, "a group shows a part of itself first");
    assert.deepEqual(faults, []);
  });

  it("a log of a hundred thousand events is shown a page at a time, in bounded memory", async () => {
    const at = makeStories();
    at.open("long", "A long one");
    at.say("long", "claude", draft("REQUEST", "How long?"));
    longLog(at.project, "long", 100_000);
    const { link } = await startView(at.project.folder);
    const { page, faults } = await openPage(link);
    await page.goto(sessionLink(link, "long"));
    await page.getByText(/^Live, 10000\d events$/).waitFor();
    assert((await page.locator("ol.items > li").count()) <= 200);
    await page.getByRole("button", { name: /^Older: \d+ before these$/ }).click();
    await page.getByRole("button", { name: "Newest" }).waitFor();
    await page.getByRole("slider", { name: "As of event" }).fill("90000");
    await page.getByText(/^As of event 90000 of 10000\d/).waitFor();
    await page.locator("#seq-90000").waitFor();
    await page.getByRole("slider", { name: "As of event" }).fill("500");
    await page.getByText(/^As of event 500 of 10000\d/).waitFor();
    const bytes: number = await page.evaluate("performance.memory.usedJSHeapSize");
    assert(bytes < 150e6, `${bytes} bytes`);
    assert.deepEqual(faults, []);
    writeFileSync(at.project.path("seen"), "");
  });
});
