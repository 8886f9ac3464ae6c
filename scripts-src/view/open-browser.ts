import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { homeFolder } from "../files/home-folder.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { printErrorLines } from "../script/output.ts";

/** What opens a file on each system. */
const openers: Readonly<Record<string, readonly [program: string, ...words: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens the user's browser; where none can be opened, the printed link is still good. The link goes
 * through a file of the user's own, for all users see the words of a command. Returns what removes it.
 */
export function openBrowser(url: string): () => void {
  const path = join(ensureFolder(homeFolder(), ".consulta"), `view-${process.pid}.html`);
  const leads = `<meta http-equiv="refresh" content="0; url=${url}">`;
  writeFileAtomically(path, `<!doctype html><meta charset="utf-8">${leads}\n`, { sync: "nothing" });
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  const file = pathToFileURL(path).href;
  const child = spawn(program, [...words, file], { stdio: "ignore", detached: true });
  child.on("error", (error) => printErrorLines(`no browser was opened: ${error.message}`));
  child.unref();
  return () => discard(path);
}
