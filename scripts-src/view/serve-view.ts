import { once } from "node:events";
import { ConsultaError } from "../base/errors.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { catchInterruption } from "../script/interruption.ts";
import { printLines } from "../script/output.ts";
import { wholeNumberOf } from "../script/whole-number.ts";
import { refuseBelowCli } from "../session/refuse-agents.ts";
import { findWorkspace, type Workspace } from "../session/workspace/workspace.ts";
import { openBrowser } from "./open-browser.ts";
import { SessionQueue } from "./session-queue.ts";
import { ViewServer } from "./view-server.ts";

/** Serves the page until it is interrupted. */
export async function serveView(args: Arguments): Promise<number | undefined> {
  await refuseBelowCli("view acts for the user");
  const queue = new SessionQueue(workspacesOf(args), systemClock);
  const session = args.one("session");
  const key = session === undefined ? undefined : keyOf(queue, session);
  const server = new ViewServer(queue, systemClock);
  const address = await server.open(portOf(args));
  const url = key === undefined ? address : `${address}/s/${encodeURIComponent(key)}`;
  printLines(url);
  void server.prepare(key);
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
  throw new ConsultaError("REFUSED", `no session ${id} in what is shown; ${hint}`);
}

function portOf(args: Arguments): number {
  const port = wholeNumberOf(args, "port") ?? 0;
  if (port <= 65_535) return port;
  throw new ConsultaError("REFUSED", `--port is ${port}, expected 1 to 65535`);
}
