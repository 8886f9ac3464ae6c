import { dirname, join } from "node:path";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { discard } from "../../files/safe-open.ts";
import { commandLine } from "../../script/command-line.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import type { DueTexts, HookCall, MemoryAnswer, News } from "../../wake/hook-call.ts";
import { brainPath, ensureBrainFolder, spawnBrain } from "../endpoint.ts";
import { hookEvents, reportAt } from "../rules/hook-report.ts";
import { HookClient } from "./hook-client.ts";

/** The brain may not keep a CLI waiting for longer; the end of a session not even for that. */
const answerMs = 2_100;
const endMs = 900;
/** Parts of that: to connect, and to wait for a brain that was just started. */
const connectShare = 0.25;
const startShare = 0.5;

/** Tells the brain of an event; undefined where it has nothing to do with it or cannot be reached. */
export async function tellBrain(
  call: HookCall,
  workspace: Workspace,
): Promise<MemoryAnswer | undefined> {
  const report = reportAt(call);
  if (report === undefined) return undefined;
  const folder = brainPath(workspace.root);
  const startedMs = performance.now();
  const ms = call.moment === "end" ? endMs : answerMs;
  const brain = hookEvents[call.moment].mayStart ? starter(workspace.root) : undefined;
  const client = await HookClient.reach(folder, {
    storeCommand: commandLine("brain", {}, ["store", "KEY", "VALUE"]),
    connectMs: ms * connectShare,
    start: brain && { brain, waitMs: ms * startShare },
  });
  if (client === undefined) return undefined;
  discard(startMark(folder));
  const given = await client.sync(report, Math.max(1, ms - (performance.now() - startedMs)));
  const close = () => client.close();
  if (given === undefined) close();
  const news = (seconds: number) => new BrainNews(client, report.session, seconds);
  return given && { ...given, news, close };
}

/** After a start that failed, hooks wait this long before the next: each try costs their CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where a start failed a short while ago. */
function starter(root: string): (() => void) | undefined {
  const mark = startMark(brainPath(root));
  const status = lstatSync(mark, { throwIfNoEntry: false });
  // Either way: the clock may have been set back.
  const isRecent = status?.isFile() === true && Math.abs(Date.now() - status.mtimeMs) < pauseMs;
  if (isRecent) return undefined;
  return () => {
    ensureBrainFolder(root);
    writeFileAtomically(mark, "", { sync: "nothing" });
    spawnBrain(dirname(root));
  };
}

/** Made before every start and removed when the brain has answered: where it stays, the start was in vain. */
function startMark(folder: string): string {
  return join(folder, "started-in-vain");
}

/** News of the brain for an idle session, until so many seconds are over or a newer wait began. */
class BrainNews implements News {
  readonly #client: HookClient;
  readonly #session: string;
  readonly #untilMs: number;
  #given: DueTexts | undefined;
  #isOver = false;

  constructor(client: HookClient, session: string, seconds: number) {
    this.#client = client;
    this.#session = session;
    this.#untilMs = performance.now() + seconds * 1_000;
  }

  begin(notice: () => void): void {
    const seconds = Math.ceil(this.leftMs() / 1_000);
    void this.#client.news(this.#session, seconds).then((news) => {
      // A brain that has gone, like one that has nothing to tell in time, brings no news any more.
      this.#isOver = news === undefined;
      this.#given = news;
      notice();
    });
  }

  came(): DueTexts | undefined {
    return this.#given;
  }

  leftMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#untilMs - performance.now());
  }
}
