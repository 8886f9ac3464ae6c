import { basename, join } from "node:path";
import { exitCodes, refused } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { parseParticipant } from "../../base/names.ts";
import { plainName } from "../../base/quote-text.ts";
import type { CliProcess } from "../../clis/cli-process.ts";
import { isRunning } from "../../clis/is-running.ts";
import { textIfSound } from "../../files/atomic-file.ts";
import { isFolder, statSync } from "../../files/disk.ts";
import { printLines } from "../../script/output.ts";
import { follow } from "../waiting/follow.ts";
import { messageFiles } from "./mailbox.ts";

/** What to watch an inbox for, with the contract of ConsultaSkill's watchers (originals.md 1.5). */
export interface InboxWatch {
  /** An existing folder named `inbox-<agent>`. */
  readonly inbox: string;
  /** Only messages of this session. */
  readonly session?: string | undefined;
  /** Where to say that the agent listens; nowhere when undefined. */
  readonly presence: string | undefined;
  /** The CLI that hears of the messages: without it nobody listens. */
  readonly cli?: CliProcess | undefined;
  readonly timeoutMs: number | undefined;
  readonly pollIntervalMs: number;
  readonly heartbeatMs: number;
}

/**
 * Prints `WATCHER:STARTED:<agent>:<pid>`, then `NEW:<file>` for every message, unread mail first,
 * until the time is up, a signal ends it or its reader has gone. `onTold` hears of the files that
 * were announced.
 */
export async function followInbox(
  watch: InboxWatch,
  onTold: (files: readonly string[]) => Promise<void> = async () => {},
): Promise<number> {
  const agent = agentOf(watch.inbox);
  let told = new Set<string>();
  if (!printLines(`WATCHER:STARTED:${agent}:${process.pid}`)) return exitCodes.OK;
  return watchInbox(watch, async (ready) => {
    const news = ready.filter((file) => !told.has(file));
    // A process that announces to no reader would look like a participant that listens.
    if (!news.every((file) => printLines(`NEW:${file}`))) return true;
    // What has gone is forgotten: a second file of the same name is news again.
    told = new Set(ready);
    if (news.length > 0) await onTold(news);
    return false;
  });
}

/** Prints the name of the oldest message as soon as there is one, or `TIMEOUT` and returns 1. */
export async function waitForMessage(watch: InboxWatch): Promise<number> {
  const code = await watchInbox(watch, async ([oldest]) => {
    if (oldest !== undefined) printLines(plainName(oldest));
    return oldest !== undefined;
  });
  if (code === exitCodes.NOT_YET) printLines("TIMEOUT");
  return code;
}

async function watchInbox(
  watch: InboxWatch,
  look: (ready: string[]) => Promise<boolean>,
): Promise<number> {
  const { inbox, session, presence, cli, ...times } = watch;
  const agent = agentOf(inbox);
  const end = await follow({
    ...times,
    folders: () => [inbox],
    present: () => (presence === undefined ? [] : [{ agent, path: presence }]),
    processes: () => (cli === undefined ? [] : [cli]),
    async check() {
      if (cli !== undefined && isRunning(cli) === false) return "done";
      const files = messageFiles(inbox).filter(
        (file) => session === undefined || file.startsWith(`${session}-`),
      );
      const ready = files.filter((file) => isWhole(join(inbox, file)));
      if (await look(ready)) return "done";
      return ready.length < files.length ? limits.tornLookMs : undefined;
    },
  });
  if (end === "done") return exitCodes.OK;
  return end === "timeout" ? exitCodes.NOT_YET : end.exitCode;
}

/** A file that a colleague is still writing does not parse yet; an old one is announced anyway. */
function isWhole(path: string): boolean {
  const found = statSync(path);
  if (found === undefined) return false;
  if (Date.now() - found.mtimeMs > limits.youngFileMs) return true;
  return parseJson(textIfSound(path, 2 * limits.messageBytes) ?? "") !== undefined;
}

/** The agent that an inbox belongs to: by the folder's own name, whatever the path holds. */
function agentOf(inbox: string): string {
  const name = /^inbox-(.+)$/.exec(basename(inbox))?.[1];
  if (name !== undefined && isFolder(inbox)) {
    return parseParticipant(name);
  }
  throw refused(`${inbox} is no inbox; expected an existing folder named inbox-<agent>`);
}
