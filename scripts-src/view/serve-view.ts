import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { refused } from "../base/errors.ts";
import { nameHint } from "../base/nearest-name.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { homeFolder } from "../files/home-folder.ts";
import { discard } from "../files/safe-open.ts";
import { type Arguments, wholeNumberOf } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { catchInterruption } from "../script/interruption.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { refuseBelowCli } from "../session/run-in-project.ts";
import { findWorkspace, type Workspace } from "../session/workspace/workspace.ts";
import { failureText, SessionQueue } from "./session-queue.ts";
import { type ProjectModels, ViewServer } from "./view-server.ts";

/** Serves the page until it is interrupted. */
export async function serveView(
  args: Arguments,
  models: ProjectModels,
): Promise<number | undefined> {
  await refuseBelowCli("view acts for the user");
  const queue = new SessionQueue(workspacesOf(args), systemClock);
  const session = args.one("session");
  const key = session === undefined ? undefined : keyOf(queue, session);
  const server = new ViewServer(queue, systemClock, models);
  const address = await server.open(portOf(args));
  const url = key === undefined ? address : `${address}/s/${encodeURIComponent(key)}`;
  printLines(url);
  const interruption = catchInterruption();
  const discardLink = args.has("open") ? openBrowser(url) : () => undefined;
  // The link works once.
  void server.entered.then(discardLink);
  await once(interruption.signal, "abort");
  discardLink();
  await server.close();
  interruption.release();
  return interruption.exitCode();
}

function workspacesOf(args: Arguments): Workspace[] {
  const named = args.many("workspace");
  const folders = named.length === 0 ? [process.cwd()] : named;
  const found = folders.map((it) => findWorkspace(it));
  return [...new Map(found.map((it) => [it.root, it])).values()];
}

function keyOf(queue: SessionQueue, id: string): string {
  const listed = queue.list();
  const found = listed.find((it) => it.id === id);
  if (found !== undefined) return found.key;
  const known = listed.map((it) => it.id).toReversed();
  const hint = nameHint(id, known, "there are:");
  throw refused(`no session ${id} in what is shown; ${hint}`);
}

function portOf(args: Arguments): number {
  const port = wholeNumberOf(args, "port") ?? 0;
  if (port <= 65_535) return port;
  throw refused(`--port is ${port}, expected 1 to 65535`);
}

/** What opens a file on each system. */
const openers: Readonly<Record<string, readonly [program: string, ...words: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens the user's browser; where none can be opened, the printed link is still good. The link goes
 * through a file of the user's own, for all users see the words of a command; the file is not below a
 * hidden folder, for a browser in a snap reads none in the home. Returns what removes it.
 */
function openBrowser(url: string): () => void {
  const tellFailure = (reason: string) =>
    printErrorLines(`no browser was opened: ${reason}; open the link by hand`);
  try {
    const path = join(homeFolder(), `consulta-view-${process.pid}.html`);
    const leads = `<meta http-equiv="refresh" content="0; url=${url}">`;
    const page = `<!doctype html><meta charset="utf-8">${leads}\n`;
    writeFileAtomically(path, page, { sync: "nothing" });
    const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
    const address = pathToFileURL(path).href;
    const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
    child.on("error", ({ message }) => tellFailure(message));
    child.on("exit", (code) => {
      if (code !== 0) tellFailure(`${program} ended with ${code ?? "a signal"}`);
    });
    child.unref();
    return () => discard(path);
  } catch (cause) {
    tellFailure(failureText(cause, "keep the link for it"));
    return () => undefined;
  }
}
