import { ConsultaError } from "../../base/errors.ts";
import type { Handler } from "../rpc-peer.ts";
import { type AlertName, alertNames } from "../rules/alerts.ts";
import {
  type ParamsOf,
  type ResultOf,
  readParams,
  readResult,
  type SessionReport,
} from "../rules/methods.ts";
import { type BrainConnection, connectBrain, ensureRunning } from "./connect-brain.ts";

/** What belongs into the context of a session now. */
export interface DueTexts {
  readonly texts: readonly string[];
  /** Says that the texts have been printed; without it they are given again. */
  readonly printed: () => Promise<void>;
}

export interface HookClientOptions {
  /** The command line that stores a memory, for a model to run. */
  readonly storeCommand: string;
  readonly connectMs: number;
  /** Starts a brain where none can be reached, and how long it is waited for then. */
  readonly start?: { readonly brain: () => void; readonly waitMs: number } | undefined;
}

const confirmMs = 400;

type Asked = "session.sync" | "session.wait" | "session.delivered";

/** A hook's connection to the brain of its project. */
export class HookClient {
  readonly #connection: BrainConnection;
  readonly #texts: string[];

  private constructor(connection: BrainConnection, texts: string[]) {
    this.#connection = connection;
    this.#texts = texts;
  }

  /** Undefined where none can be reached: hooks stay silent. */
  static async reach(folder: string, options: HookClientOptions): Promise<HookClient | undefined> {
    const texts: string[] = [];
    const handlers = receivers(texts, options.storeCommand);
    const connect = { handlers, timeoutMs: options.connectMs };
    const { start } = options;
    const reached =
      start === undefined
        ? connectBrain(folder, connect)
        : ensureRunning(folder, { ...connect, start: start.brain, startMs: start.waitMs });
    const connection = await reached.catch(undefinedIfUnavailable);
    return connection && new HookClient(connection, texts);
  }

  /** Tells what happened and returns what is due for it; undefined when no answer comes in time. */
  async sync(report: SessionReport, timeoutMs: number): Promise<DueTexts | undefined> {
    const params = { ...report, confirm: true };
    const answer = await this.#ask("session.sync", params, timeoutMs);
    return answer && this.#given(answer.receipt);
  }

  /** Waits for news of a session: "none" in all the time, or "gone" is the brain. */
  async news(session: string, seconds: number): Promise<DueTexts | "none" | "gone"> {
    const params = { session, timeout_seconds: seconds, confirm: true };
    const answer = await this.#ask("session.wait", params);
    if (answer === undefined) return "gone";
    return answer.pushed === 0 ? "none" : this.#given(answer.receipt);
  }

  close(): void {
    this.#connection.close();
  }

  async #ask<N extends Asked>(
    method: N,
    params: ParamsOf<N> & object,
    timeoutMs?: number,
  ): Promise<ResultOf<N> | undefined> {
    try {
      return readResult(method, await this.#connection.peer.request(method, params, timeoutMs));
    } catch {
      // A refusal, a bug or an end: nothing that the CLI or its user could do anything about now.
      return undefined;
    }
  }

  #given(receipt: string | undefined): DueTexts {
    // What cannot be confirmed is given once more: better twice than never.
    const printed = async () => {
      if (receipt !== undefined) await this.#ask("session.delivered", { receipt }, confirmMs);
    };
    return { texts: this.#texts.splice(0), printed };
  }
}

function undefinedIfUnavailable(cause: unknown): undefined {
  if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
}

/** Takes what is pushed, in its order. */
function receivers(texts: string[], storeCommand: string): ReadonlyMap<string, Handler> {
  const take = (text: string) => {
    texts.push(text);
    return { accepted: true };
  };
  let warning: { readonly names: readonly AlertName[]; readonly text: string } | undefined;
  const warn = (name: AlertName, params: ParamsOf<`alert.${AlertName}`>) => {
    // Two that come together say in one what they have in common.
    const isSecond = warning !== undefined && texts.at(-1) === warning.text;
    const names = isSecond ? [...(warning?.names ?? []), name] : [name];
    if (isSecond) texts.pop();
    const text = alertText(names, params, storeCommand);
    warning = { names, text };
    return take(text);
  };
  return new Map<string, Handler>([
    ["context.inject", (params) => take(readParams("context.inject", params).data)],
    ["action.suggest", (params) => take(readParams("action.suggest", params).action)],
    ...alertNames.map((name): [string, Handler] => [
      `alert.${name}`,
      (params) => warn(name, readParams(`alert.${name}`, params)),
    ]),
  ]);
}

/** What alerts that come together say to their model: how full, what that means, what to do. */
function alertText(
  alerts: readonly AlertName[],
  { token_percentage: percentage, raw_percentage: raw }: ParamsOf<`alert.${AlertName}`>,
  storeCommand: string,
): string {
  const window = raw === undefined ? "" : ` (${raw} % of the model's window)`;
  const fill = `Your context is ${percentage} % full${window}`;
  const means = alerts.map((name) => meanings[name]).join("; ");
  const careful = alerts.includes("hallucination_risk")
    ? " Read files again before you rely on them."
    : "";
  return `${fill}: ${means}.${careful} Keep what must not be lost: ${storeCommand}`;
}

const meanings: Readonly<Record<AlertName, string>> = {
  memory_full: "it will be compacted soon, and details will go",
  hallucination_risk: "what you recall of its early part may be wrong",
};
