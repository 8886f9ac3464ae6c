/** What goes wrong beside the page, and what the page makes of it. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { draft, Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import {
  noBrowser,
  openBrowserThrough,
  openPage,
  openTab,
  patienceMs,
  sessionLink,
  startView,
  type Watched,
} from "./browser.ts";
import { openLine } from "./cut-line.ts";
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
    await page.getByText(/events\.jsonl line \d+ is not JSON/).waitFor();
    const command = await page.locator("main code").textContent();
    const typed = spawnSync("sh", ["-c", command ?? ""], { cwd: "/", encoding: "utf8" });
    assert.match(typed.stdout + typed.stderr, /events\.jsonl line \d+ is not JSON/, command ?? "");
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

  it("one session after another: what was shown before is not taken for what comes", async () => {
    at.open("over", "About over");
    at.done("step-in", ["end", "asked the wrong thing", "--session", "over"]);
    const { page, faults } = await openTab(watched, sessionLink(link, "over"));
    await page.getByText("asked the wrong thing", { exact: true }).waitFor();
    const asked: string[] = [];
    page.on("request", (it) => asked.push(String(it.postData())));
    for (const [id, shown] of [
      ["damaged", "This session cannot be read"],
      ["sound", "About sound"],
    ] as const) {
      await page.goto(sessionLink(link, id));
      await page.getByRole("heading", { level: 1, name: shown }).waitFor();
      await page.goto(sessionLink(link, "over"));
      await page.getByText("asked the wrong thing", { exact: true }).waitFor();
    }
    const seen = asked.filter((it) => /"seen"/.test(it) && !/0:over/.test(it));
    assert.deepEqual([seen, faults], [[], []]);
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
    at.open("slept", "About slept");
    at.say("slept", "claude", draft("REQUEST", "Awake?"));
    const view = await startView(at.project.folder);
    const line = await openLine(Number(new URL(view.link).port));
    const browser = await openBrowserThrough(line);
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.goto(sessionLink(view.link, "slept").replace("#", `#${view.link.split("#")[1]}`));
    await page.getByText("Awake?").first().waitFor();
    await page.evaluate("window.isSame = true");
    await line.cut();
    await page.getByText("view does not answer").waitFor();
    at.say("slept", "gemini", draft("RESPONSE", "Said in the dark."));
    at.say("slept", "claude", draft("EVALUATE", "Said in the dark too.", { confidence: 0.7 }));
    await line.restore();
    await page.getByText("Said in the dark too.").first().waitFor();
    await page.getByText("view does not answer").waitFor({ state: "detached" });
    assert.equal(await page.locator("article.message").count(), 3);
    at.say("slept", "gemini", draft("RESPONSE", "Said in the light."));
    await page.getByText("Said in the light.").first().waitFor();
    assert.equal(await page.evaluate("window.isSame"), true);
    await browser.close();
    await line.close();
  });

  it("gives the browser nothing to complain of", () => {
    assert.deepEqual(watched.faults, []);
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
    await page.locator("ol.items > li").nth(199).waitFor();
    assert.equal(await page.locator("ol.items > li").count(), 200);
    await page.getByRole("button", { name: /^Older: \d+ before these$/ }).click();
    await page.getByText(/^As of event 99\d+ of/).waitFor();
    await page.getByRole("button", { name: "To the newest event" }).click();
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
