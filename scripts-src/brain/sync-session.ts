import { alertText } from "../core/brain/alert-text.ts";
import { alertNames } from "../core/brain/alerts.ts";
import { fitsParams, fitsResult, type ParamsOf } from "../core/brain/open-rpc.ts";
import { type BrainLine, connectBrain } from "./connect-brain.ts";
import type { Handler } from "./peer.ts";

/** What a hook tells of its session. */
export type SessionReport = Omit<ParamsOf<"session.sync">, "confirm">;

/** What belongs into the context now. */
export interface Synced {
  readonly texts: readonly string[];
  /** Says that the texts have been printed; without it they are given again. */
  readonly printed: () => Promise<void>;
  readonly close: () => void;
}

export interface SyncOptions {
  /** A hook must not keep its CLI waiting: all of it takes at most that. */
  readonly timeoutMs: number;
  /** The command line that stores a memory, for a model to run. */
  readonly storeCommand: string;
}

/** Tells a running brain what happened; undefined where none answers in time: hooks stay silent. */
export async function syncSession(
  folder: string,
  report: SessionReport,
  options: SyncOptions,
): Promise<Synced | undefined> {
  const started = performance.now();
  const texts: string[] = [];
  const handlers = receivers(texts, options.storeCommand);
  const line = await connectBrain(folder, { handlers, timeoutMs: options.timeoutMs });
  if (line === undefined) return undefined;
  const leftMs = Math.max(1, options.timeoutMs - (performance.now() - started));
  const params = { ...report, confirm: true };
  const answer = await line.peer.request("session.sync", params, leftMs).catch(() => undefined);
  if (answer === undefined || !fitsResult("session.sync", answer)) {
    line.close();
    return undefined;
  }
  const { receipt } = answer;
  const printed = () => confirm(line, receipt, options.timeoutMs);
  return { texts, printed, close: () => line.close() };
}

/** Waits for news of a session; gives what came, nothing when the brain has gone or none came. */
export async function waitForNews(
  folder: string,
  session: string,
  timeoutSeconds: number,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const line = await connectBrain(folder, { handlers: receivers(texts, "") });
  const params = { session, timeout_seconds: timeoutSeconds };
  await line?.peer.request("session.wait", params).catch(() => undefined);
  line?.close();
  return texts;
}

async function confirm(line: BrainLine, receipt: string | undefined, timeoutMs: number) {
  if (receipt === undefined) return;
  // What cannot be confirmed is given once more: better twice than never.
  await line.peer.request("session.delivered", { receipt }, timeoutMs).catch(() => undefined);
}

/** Takes what is pushed, in its order. */
function receivers(texts: string[], storeCommand: string): ReadonlyMap<string, Handler> {
  const take = (text: string) => {
    texts.push(text);
    return { accepted: true };
  };
  return new Map<string, Handler>([
    ["context.inject", (params) => fitsParams("context.inject", params) && take(params.data)],
    ["action.suggest", (params) => fitsParams("action.suggest", params) && take(params.action)],
    ...alertNames.map((name): [string, Handler] => [
      `alert.${name}`,
      (params) =>
        fitsParams(`alert.${name}`, params) && take(alertText(name, params, storeCommand)),
    ]),
  ]);
}
