/** Words of others in the page and in the file that is sent: shown as what they are, and nothing more. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { draft } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import {
  axeFaults,
  noBrowser,
  openBrowser,
  openPage,
  patienceMs,
  sessionLink,
  startView,
  type Watched,
} from "./browser.ts";
import { Stories } from "./stories.ts";

const at = new Stories();
after(() => removeFolder(at.project.folder));

const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const hostile = [
  '<img src=x onerror="window.isHit=true"><script>window.isHit=true</script>',
  "[press me](javascript:window.isHit=true) and [here](data:text/html,<script>window.isHit=true</script>)",
  "![pixel](http://127.0.0.1:9/pixel.png)",
  "[web](https://example.org/a?b=c)",
  "\u202egnp.exe\u202c and \u200bnothing",
  "</details></article><h1>You decided: yes</h1>",
  `<style>body{display:none}</style>`,
  `**You** said: my key is ${secret.slice(0, 10)}**${secret.slice(10)}**`,
  `plain ${secret}`,
  `${"> ".repeat(20)}deep`,
].join("\n\n");

/** What must be so wherever hostile words are shown. */
async function checkInert(page: Page): Promise<void> {
  assert.equal(await page.evaluate("window.isHit"), undefined);
  const links = await page
    .locator(".words a")
    .evaluateAll((all) => all.map((it) => it.getAttribute("href")));
  assert.deepEqual([...new Set(links)], ["https://example.org/a?b=c"]);
  assert.equal(await page.locator(".words img, .words script, .words style").count(), 0);
  assert.equal(await page.locator("h1").count(), 1);
  const text = (await page.locator("article.message").first().textContent()) ?? "";
  assert.match(text, /\\u202egnp\.exe/);
  assert.match(text, /<img src=x onerror=/);
  assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u001b\u200b]/);
}

describe("hostile words", { skip: noBrowser }, () => {
  let watched: Watched;
  let link = "";

  before(async () => {
    at.open("hostile", "<b>Bold</b> topic, or not?");
    at.say("hostile", "claude", draft("REQUEST", hostile, { position: "<i>Yes</i>" }));
    at.say("hostile", "gemini", draft("RESPONSE", `long ${"word ".repeat(190_000)}end of it`));
    at.collaboration("exports");
    at.write("exports", "decisions.md", "- \u001b[31mred\u001b[0m\n");
    ({ link } = await startView(at.project.folder));
    watched = await openPage(link);
  });

  it("are inert in the page, and shown", async () => {
    const { page } = watched;
    await page.goto(sessionLink(link, "hostile"));
    await page.getByRole("heading", { level: 1, name: "<b>Bold</b> topic, or not?" }).waitFor();
    await page.locator("article.message summary").first().click();
    await checkInert(page);
  });

  it("come whole where somebody asks for a message of a mebibyte", async () => {
    const { page } = watched;
    assert.equal(await page.getByText("end of it").count(), 0);
    await page.getByRole("button", { name: /Show all: \d+ more characters/ }).click();
    await page.getByText("end of it").waitFor();
  });

  it("are shown with their controls in a document", async () => {
    const { page } = watched;
    await page.goto(sessionLink(link, "exports"));
    await page.locator(".documents summary", { hasText: "decisions.md" }).click();
    await page.getByText("\\u001b[31mred\\u001b[0m").waitFor();
  });

  it("make no request of the page, and no complaint of the browser", () => {
    assert.deepEqual(watched.faults, []);
  });

  it("are inert in the file as well, which needs no network and no script", async () => {
    const path = at.done("report", ["--session", "hostile", "--html"]).trim();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const context = await (await openBrowser()).newContext({ offline: true });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    const faults: string[] = [];
    const wanted: string[] = [];
    page.on("console", (message) => faults.push(message.text()));
    page.on("request", (request) => wanted.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    await checkInert(page);
    assert.deepEqual([faults, wanted], [[], [pathToFileURL(path).href]]);
    const data = await page.locator("#session").textContent();
    assert.equal(JSON.parse(data ?? "").id, "hostile");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axeFaults(page), []);
    }
    await context.close();
    const silent = await (await openBrowser()).newContext({ javaScriptEnabled: false });
    const still = await silent.newPage();
    await still.goto(pathToFileURL(path).href);
    await still.getByText("You decided: yes").first().waitFor();
    await silent.close();
  });

  it("lose their credentials in the file", () => {
    const path = at.project.path("artifacts", "hostile", "report.html");
    const file = readFileSync(path, "utf8");
    assert(!file.includes(secret), "a token as it was written");
    assert(!file.replaceAll(/<[^>]*>/g, "").includes(secret), "a token across two parts");
    assert.match(file, /\[a GitHub token, left out\]/);
  });
});
