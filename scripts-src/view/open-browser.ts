import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { homeFolder } from "../files/home-folder.ts";
import { discard } from "../files/regular-file.ts";
import { printErrorLines } from "../script/output.ts";
import { failureText } from "./failure.ts";

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
export function openBrowser(url: string): () => void {
  try {
    const path = join(homeFolder(), `consulta-view-${process.pid}.html`);
    const leads = `<meta http-equiv="refresh" content="0; url=${url}">`;
    const page = `<!doctype html><meta charset="utf-8">${leads}\n`;
    writeFileAtomically(path, page, { sync: "nothing" });
    open(pathToFileURL(path).href);
    return () => discard(path);
  } catch (cause) {
    tellFailure(failureText(cause, "keep the link for it"));
    return () => undefined;
  }
}

function open(address: string): void {
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
  child.on("error", ({ message }) => tellFailure(message));
  child.on("exit", (code) => {
    if (code !== 0) tellFailure(`${program} ended with ${code ?? "a signal"}`);
  });
  child.unref();
}

function tellFailure(reason: string): void {
  printErrorLines(`no browser was opened: ${reason}; open the link by hand`);
}
