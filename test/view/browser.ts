import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { scriptPath } from "../dialogue/project.ts";
import { isInstalled } from "../is-installed.ts";

/** Debian's, or the one that CONSULTA_CHROMIUM names. */
const executablePath = process.env["CONSULTA_CHROMIUM"] ?? "/usr/bin/chromium";

/** Why nothing can be tested in a browser here; undefined where it can. */
export const noBrowser = isInstalled("chromium", existsSync(executablePath))
  ? undefined
  : `no browser at ${executablePath}: install chromium, or set CONSULTA_CHROMIUM`;

/** What a test waits for at most on a machine that does much else. */
export const patienceMs = 30_000;

let browser: Promise<Browser> | undefined;
const views: ChildProcess[] = [];

after(async () => {
  await (await browser)?.close();
  for (const child of views) child.kill("SIGINT");
});

const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(CONSULTA_|CLAUDE|GEMINI|NODE_OPTIONS|NODE_TEST)/.test(name),
  ),
);

/** Starts view as a process; gives the link that it prints. */
export async function startView(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [scriptPath("view"), ...args], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  views.push(child);
  let stderr = "";
  child.stderr.on("data", (part: Buffer) => {
    stderr += part.toString();
  });
  const ended = once(child, "close");
  const first = await Promise.race([once(child.stdout, "data"), ended]);
  const link = String(first[0]).trim();
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}/, stderr);
  return { link, child, ended, origin: new URL(link).origin };
}

/** A page that must stay without errors; `faults` are what the browser complained of. */
export interface Watched {
  readonly page: Page;
  readonly faults: string[];
}

export async function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath, headless: true, args: ["--no-sandbox"] });
  return browser;
}

/** A browser that reaches a server by another port than it knows: what it sends stays as it is. */
export async function openBrowserThrough(line: { from: number; to: number }): Promise<Browser> {
  const rule = `MAP 127.0.0.1:${line.to} 127.0.0.1:${line.from}`;
  const args = ["--no-sandbox", `--host-resolver-rules=${rule}`];
  return chromium.launch({ executablePath, headless: true, args });
}

/** A page in a profile of its own. */
export async function openPage(
  link: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await (await openBrowser()).newContext({ ...desk, ...options });
  const page = await context.newPage();
  return { page, faults: await watch(page, link) };
}

/** Another tab of the same profile. */
export async function openTab({ page }: Watched, link: string): Promise<Watched> {
  const tab = await page.context().newPage();
  return { page: tab, faults: await watch(tab, link) };
}

async function watch(page: Page, link: string): Promise<string[]> {
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(link);
  await page.waitForSelector("h1");
  return faults;
}

export const desk = { viewport: { width: 1280, height: 900 } };
export const phone = { viewport: { width: 320, height: 640 } };

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with the page as it is: rule, and the first place. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const found: unknown = await page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0]?.html))`);
  assert(Array.isArray(found));
  return found.map(String);
}

/** How far the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

export function sessionLink(link: string, id: string): string {
  return `${link.split("#")[0]}#/s/${encodeURIComponent(`0:${id}`)}`;
}
