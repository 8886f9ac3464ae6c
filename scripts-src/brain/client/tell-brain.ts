import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { discard } from "../../files/safe-open.ts";
import { commandLine } from "../../script/command-line.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import type { DueTexts, HookCall, MemoryAnswer, News } from "../../wake/hook-call.ts";
import { brainPath, ensureBrainFolder, spawnBrain } from "../endpoint.ts";
import { type AlertName, alertNames } from "../rules/alerts.ts";
import { hookEvents, reportAt } from "../rules/hook-report.ts";
import {
  type Due,
  type ParamsOf,
  type ResultOf,
  readParams,
  type SessionReport,
} from "../rules/methods.ts";
import { type BrainConnection, connectBrain, ensureRunning } from "./connect-brain.ts";

/** The brain may not keep a CLI waiting for longer; the end of a session not even for that. */
const answerMs = 2_100;
const endMs = 900;
/** Parts of that: to connect, and to wait for a brain that was just started. */
const connectShare = 0.25;
const startShare = 0.5;
const confirmMs = 400;

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
  const start = hookEvents[call.moment].mayStart ? starter(workspace.root) : undefined;
  const client = await HookClient.reach(
    folder,
    ms * connectShare,
    start && { start, startMs: ms * startShare },
  );
  if (client === undefined) return undefined;
  discard(startMark(folder));
  const given = await client.sync(report, Math.max(1, ms - (performance.now() - startedMs)));
  const close = () => client.close();
  if (given === undefined) close();
  const news = (seconds: number) => newsFrom(client, report.session, seconds);
  return given && { ...given, news, close };
}

/** After a start that failed, hooks wait this long before the next: each try costs their CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where a start failed a short while ago. */
function starter(root: string): (() => void) | undefined {
  const mark = startMark(brainPath(root));
  const status = lstatSync(mark);
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
function newsFrom(client: HookClient, session: string, seconds: number): News {
  const untilMs = performance.now() + seconds * 1_000;
  let given: DueTexts | undefined;
  let isOver = false;
  const leftMs = () => (isOver ? 0 : Math.max(0, untilMs - performance.now()));
  return {
    begin(notice) {
      void client.news(session, Math.ceil(leftMs() / 1_000)).then((news) => {
        // A brain that has gone, like one that has nothing to tell in time, brings no news any more.
        isOver = news === undefined;
        given = news;
        notice();
      });
    },
    came: () => given,
    leftMs,
  };
}

type Asked = "session.sync" | "session.wait" | "session.delivered";

/** A hook's connection to the brain of its project. */
export class HookClient {
  readonly #connection: BrainConnection;

  private constructor(connection: BrainConnection) {
    this.#connection = connection;
  }

  /** Undefined where none can be reached, nor started in time: hooks stay silent. */
  static async reach(
    folder: string,
    timeoutMs: number,
    start?: { readonly start: () => void; readonly startMs: number },
  ): Promise<HookClient | undefined> {
    const options = { handlers: new Map(), timeoutMs };
    try {
      const connection =
        start === undefined
          ? await connectBrain(folder, options)
          : await ensureRunning(folder, { ...options, ...start });
      return connection && new HookClient(connection);
    } catch (cause) {
      if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
      return undefined;
    }
  }

  /** Tells what happened and returns what is due for it; undefined when no answer comes in time. */
  async sync(report: SessionReport, timeoutMs: number): Promise<DueTexts | undefined> {
    const answer = await this.#ask("session.sync", report, timeoutMs);
    return answer && this.#given(answer);
  }

  /** Waits for news of a session; undefined where none came in all the time, or the brain is gone. */
  async news(session: string, seconds: number): Promise<DueTexts | undefined> {
    const answer = await this.#ask("session.wait", { session, timeout_seconds: seconds }, 0);
    return answer === undefined || answer.due.length === 0 ? undefined : this.#given(answer);
  }

  close(): void {
    this.#connection.close();
  }

  /** Undefined after a refusal, a bug or an end: nothing that the CLI or its user could do anything about now. */
  #ask<N extends Asked>(method: N, params: ParamsOf<N> & object, timeoutMs: number) {
    return this.#connection.ask(method, params, timeoutMs).catch(() => undefined);
  }

  #given({ due, receipt }: ResultOf<"session.sync">): DueTexts {
    // What cannot be confirmed is given once more: better twice than never.
    const printed = async () => {
      if (receipt !== undefined) await this.#ask("session.delivered", { receipt }, confirmMs);
    };
    return { texts: textsOf(due), printed };
  }
}

/** What is due, as texts for a model: alerts come last, and say in one what they have in common. */
function textsOf(due: Due): string[] {
  const texts = due.flatMap(({ method, params }) => {
    if (method === "context.inject") return [readParams(method, params).data];
    return method === "action.suggest" ? [readParams(method, params).action] : [];
  });
  const alerts = alertNames.filter((name) => due.some(({ method }) => method === `alert.${name}`));
  const [first] = due.filter(({ method }) => method.startsWith("alert."));
  if (first === undefined) return texts;
  return [...texts, alertText(alerts, readParams("alert.memory_full", first.params))];
}

/** What alerts that come together say to their model: how full, what that means, what to do. */
function alertText(
  alerts: readonly AlertName[],
  { token_percentage: percentage, raw_percentage: raw }: ParamsOf<`alert.${AlertName}`>,
): string {
  const window = raw === undefined ? "" : ` (${raw} % of the model's window)`;
  const fill = `Your context is ${percentage} % full${window}`;
  const means = alerts.map((name) => meanings[name]).join("; ");
  const careful = alerts.includes("hallucination_risk")
    ? " Read files again before you rely on them."
    : "";
  const store = commandLine("brain", {}, ["store", "KEY", "VALUE"]);
  return `${fill}: ${means}.${careful} Keep what must not be lost: ${store}`;
}

const meanings: Readonly<Record<AlertName, string>> = {
  memory_full: "it will be compacted soon, and details will go",
  hallucination_risk: "what you recall of its early part may be wrong",
};
