import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { compilePage } from "../build/compile-page.ts";
import { pageHtml } from "../scripts-src/view/page-html.ts";
import { openBenchSession, sessionId } from "./build-session.ts";
import {
  buildProject,
  environment,
  median,
  nothing,
  quantile,
  runScript,
  type Section,
  script,
  timeRun,
  verdict,
} from "./measure.ts";

export interface ViewOptions {
  readonly folder: string;
  readonly samples: number;
  readonly rounds: number;
}

const executablePath = process.env["CONSULTA_CHROMIUM"] ?? "/usr/bin/chromium";

/** What the page costs: its size, the start of its script, first paint of very much, and its delay. */
export async function measureView({ folder, samples, rounds }: ViewOptions): Promise<Section> {
  const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox"] });
  try {
    const delays = await measureDelay(browser, join(folder, "live"), samples);
    const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
    const sessions = await measureSessions(browser, join(folder, "many"));
    const events = await measureEvents(browser, join(folder, "long"));
    return {
      title: "The page: milliseconds, bytes",
      columns: ["what", "value", "target"],
      rows: [
        [
          "end of the durable write to the line in the page, p50",
          verdict(p50, p50 < 60, 1),
          "under 60",
        ],
        ["the same, p99", verdict(p99, p99 < 200, 1), "under 200"],
        ...sizeRows(await pageFiles()),
        ["start of `view --help` against `node -e 0`", startRatio(folder, rounds), ""],
        [
          "first paint of 1000 sessions",
          verdict(sessions.paintMs, sessions.paintMs < 1_000, 0),
          "under 1000",
        ],
        [
          "first paint of a log of 100000 events",
          verdict(events.paintMs, events.paintMs < 1_000, 0),
          "under 1000",
        ],
        [
          "memory of that page, MB",
          verdict(events.megabytes, events.megabytes < 150, 1),
          "under 150",
        ],
      ],
      notes: [`${samples} messages; paints are the first of a server that has just begun.`],
    };
  } finally {
    await browser.close();
  }
}

async function pageFiles(): Promise<Buffer[]> {
  const texts = [pageHtml, await compilePage("script"), await compilePage("style")];
  return texts.map((text) => Buffer.from(text));
}

function sizeRows(files: readonly Buffer[]): string[][] {
  const sum = (sizes: readonly number[]) => sizes.reduce((one, other) => one + other, 0) / 1_000;
  const whole = sum(files.map(({ length }) => length));
  const small = sum(files.map((it) => gzipSync(it, { level: 9 }).length));
  return [
    ["whole page, kB", verdict(whole, whole <= 90, 1), "at most 90"],
    ["the same by gzip, kB", verdict(small, small <= 30, 1), "at most 30"],
  ];
}

function startRatio(folder: string, rounds: number): string {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const bare = timeRun(nothing, folder);
    const ratio = timeRun(script("view", "--help"), folder) / bare;
    if (round > 0) ratios.push(ratio);
  }
  return median(ratios).toFixed(2);
}

async function startView(project: string): Promise<{ link: string; stop: () => void }> {
  const child = spawn(process.execPath, script("view"), { cwd: project, env: environment });
  child.stderr.pipe(process.stderr);
  const [line] = await once(child.stdout, "data");
  return { link: String(line).trim(), stop: () => child.kill("SIGINT") };
}

/** A page that has entered; what is opened in its browser next is let in. */
async function enter(browser: Browser, link: string): Promise<Page> {
  const page = await (
    await browser.newContext({ viewport: { width: 1280, height: 900 } })
  ).newPage();
  await page.goto(link);
  await page.waitForSelector("h1");
  return page;
}

/** From the start of the first navigation until something was painted, at a server that has just begun. */
async function paintOf(
  browser: Browser,
  url: string,
  what: string,
): Promise<[ms: number, page: Page]> {
  const page = await (
    await browser.newContext({ viewport: { width: 1280, height: 900 } })
  ).newPage();
  // The frame after the one in which it was there; asked from outside it would be one of the next.
  await page.addInitScript(`window.painted = new Promise((done) => {
    const look = () => {
      const isThere = document.querySelector(${JSON.stringify(what)}) !== null;
      requestAnimationFrame(isThere ? () => done(performance.now()) : look);
    };
    look();
  })`);
  await page.goto(url, { waitUntil: "commit" });
  return [await page.evaluate("window.painted"), page];
}

async function measureSessions(browser: Browser, project: string): Promise<{ paintMs: number }> {
  await openBenchSession(project, "rapida");
  const sessions = join(project, ".consulta", "sessions");
  const log = readFileSync(join(sessions, sessionId, "events.jsonl"), "utf8");
  for (let number = 1; number < 1_000; number += 1) {
    const id = `${sessionId}-${number}`;
    mkdirSync(join(sessions, id));
    const own = log.replaceAll(`"session_id":"${sessionId}"`, `"session_id":"${id}"`);
    writeFileSync(join(sessions, id, "events.jsonl"), own);
  }
  const { link, stop } = await startView(project);
  const [paintMs] = await paintOf(browser, link, "a.row");
  stop();
  return { paintMs };
}

async function measureEvents(browser: Browser, project: string) {
  buildProject(project, 100_000);
  // As the last script that wrote would have left it.
  runScript("status", ["--workspace", project]);
  const { link, stop } = await startView(project);
  const url = `${link}/s/${encodeURIComponent(`0:${sessionId}`)}`;
  const [paintMs, page] = await paintOf(browser, url, "article.message");
  const bytes: number = await page.evaluate("performance.memory.usedJSHeapSize");
  stop();
  return { paintMs, megabytes: bytes / 1e6 };
}

/** A message of each side in turn, and when the page had it, on the clock of the wall. */
async function measureDelay(browser: Browser, project: string, samples: number): Promise<number[]> {
  await openBenchSession(project, "rapida");
  const words = ["--import", "tsx", join(import.meta.dirname, "wake-writer.ts"), project];
  const writer = spawn(process.execPath, words, {
    cwd: join(import.meta.dirname, ".."),
    env: environment,
  });
  writer.stderr.pipe(process.stderr);
  const lines = writer.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  await write(writer, lines, "the question");
  const { link, stop } = await startView(project);
  const page = await enter(browser, link);
  await page.goto(`${link.split("#")[0]}#/s/${encodeURIComponent(`0:${sessionId}`)}`);
  await page.waitForSelector("article.message");
  const delays: number[] = [];
  for (let number = 0; number <= samples; number += 1) {
    await page.evaluate(`window.came = new Promise((done) => {
      const count = document.querySelectorAll("article.message").length;
      const watch = new MutationObserver(() => {
        if (document.querySelectorAll("article.message").length === count) return;
        watch.disconnect();
        done(performance.timeOrigin + performance.now());
      });
      watch.observe(document.body, { childList: true, subtree: true });
    }); 0`);
    const written = await write(writer, lines, String(number));
    const came: number = await page.evaluate("window.came");
    if (number > 0) delays.push(came - written);
  }
  writer.stdin.end();
  stop();
  return delays;
}

/** Has a message written; the milliseconds of the wall's clock at the end of the durable write. */
async function write(
  writer: ChildProcessWithoutNullStreams,
  lines: AsyncIterator<string>,
  name: string,
): Promise<number> {
  const offset = performance.timeOrigin + performance.now() - Number(process.hrtime.bigint()) / 1e6;
  writer.stdin.write(`${name}\n`);
  const { value } = await lines.next();
  return Number(BigInt(String(value).trim())) / 1e6 + offset;
}
