/** Words of others in the page and in the file that is sent: shown as what they are, and nothing more. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { draft } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
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

const image = "<img src=x onerror=window.isHit=true>";
const names = [image, "ana\u202egnp.exe", `<script>isHit=1</script>${"x".repeat(103)}`] as const;
const hidden = /[\u202a-\u202e\u2066-\u2069\u001b\u200b]/;

/** Nothing in a document but its own parts, wherever it came from; nothing that turns what is read. */
async function checkParts(page: Page): Promise<void> {
  assert.equal(await page.evaluate("window.isHit"), undefined);
  assert.equal(await page.locator("img, iframe, object, embed, main style, [onerror]").count(), 0);
  const scripts = page.url().startsWith("file:") ? 0 : 1;
  const own = page.locator('script[src="/view.js"]');
  assert.deepEqual([await page.locator("script").count(), await own.count()], [scripts, scripts]);
  const read: unknown =
    await page.evaluate(`[document.title, document.querySelector("main").textContent,
    ...[...document.querySelectorAll("[title], [aria-label]")].map((it) => it.title + it.ariaLabel)]`);
  assert(Array.isArray(read));
  assert(!read.some((it) => hidden.test(String(it))), "a sign that nobody sees");
}

/** A collaboration, and a board, whose names are as hostile as `init` takes them. */
function openHostileNames(): void {
  const who = names.flatMap((it) => ["--participant", it]);
  const folder = at.folderOf("named");
  const gates = ["--completion", `${image} is \u202eread`];
  at.done("init", ["--objective", topic, "--folder", folder, ...who, ...gates]);
  at.write("named", "proposal.md", `# ${image}\n`);
  at.append("named", names[0], "proposal_submitted", `${image} \u202eis proposed`);
  writeFileSync(join(at.project.folder, `${image}.ts`), "one\n");
  at.done("init", [at.folderOf("board"), "2"]);
  at.done("register", [at.folderOf("board"), "otter"]);
  const report = reportText({ title: `${image} \u202e`, investigated: [`${image}.ts:1`] });
  at.done("post", [at.folderOf("board"), "otter", "names", "--file", "-"], report);
}

const topic = `Is ${image} \u202egnp.exe\u202c read?`;

/** What must be so wherever hostile words are shown. */
async function checkInert(page: Page): Promise<void> {
  assert.equal(await page.evaluate("window.isHit"), undefined);
  const links = await page
    .locator(".words a")
    .evaluateAll((all) => all.map((it) => it.getAttribute("href")));
  assert.deepEqual([...new Set(links)], ["https://example.org/a?b=c"]);
  await checkParts(page);
  assert.equal(await page.locator("h1").count(), 1);
  const text = (await page.locator("article.message").first().textContent()) ?? "";
  assert.match(text, /\\u202egnp\.exe/);
  assert.match(text, /<img src=x onerror=/);
  assert.doesNotMatch(text, hidden);
}

describe("hostile words", { skip: noBrowser }, () => {
  let watched: Watched;
  let link = "";

  before(async () => {
    at.open("hostile", "<b>Bold</b> \u202etopic\u202c, or not?");
    at.say("hostile", "claude", draft("REQUEST", hostile, { position: "<i>Yes</i>" }));
    at.say("hostile", "gemini", draft("RESPONSE", `long ${"word ".repeat(190_000)}end of it`));
    at.open("turned", topic);
    openHostileNames();
    at.collaboration("exports");
    at.write("exports", "decisions.md", "- \u001b[31mred\u001b[0m\n");
    ({ link } = await startView(at.project.folder));
    watched = await openPage(link);
  });

  it("are inert in the page, and shown", async () => {
    const { page } = watched;
    await page.goto(sessionLink(link, "hostile"));
    await page.getByRole("heading", { level: 1, name: /^<b>Bold<\/b> \\u202etopic/ }).waitFor();
    await page.locator("article.message summary").first().click();
    await checkInert(page);
  });

  it("of a mebibyte are shown as far as a page goes, and the rest is named", async () => {
    const { page } = watched;
    assert.equal(await page.getByText("end of it").count(), 0);
    await page.getByText(/^89\d{4} more characters are in the log, event 4\.$/).waitFor();
  });

  it("are shown with their controls in a document", async () => {
    const { page } = watched;
    await page.goto(sessionLink(link, "exports"));
    await page.locator(".documents summary", { hasText: "decisions.md" }).click();
    await page.getByText("\\u001b[31mred\\u001b[0m").waitFor();
  });

  it("are inert and shown as names, in the list and in each session", async () => {
    const { page } = watched;
    await page.evaluate("location.hash = '#/'");
    await page.getByRole("heading", { level: 1, name: "Needs you" }).waitFor();
    await page
      .getByRole("link", { name: /<img src=x .*\\u202egnp\.exe/ })
      .first()
      .waitFor();
    await checkParts(page);
    for (const [id, shown] of [
      ["turned", /<img src=x .*\\u202egnp\.exe/],
      ["named", /ana\\u202egnp\.exe/],
      ["board", /<img src=x onerror=window\.isHit=true>\.ts/],
    ] as const) {
      await page.goto(sessionLink(link, id));
      await page.locator("main.session").getByText(shown).first().waitFor({ state: "attached" });
      await checkParts(page);
    }
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
