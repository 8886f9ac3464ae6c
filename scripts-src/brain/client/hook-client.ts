import { ConsultaError } from "../../base/errors.ts";
import type { DueTexts } from "../../wake/hook-call.ts";
import { type AlertName, alertNames } from "../rules/alerts.ts";
import {
  type Due,
  type ParamsOf,
  type ResultOf,
  readParams,
  readResult,
  type SessionReport,
} from "../rules/methods.ts";
import { type BrainConnection, connectBrain, ensureRunning } from "./connect-brain.ts";

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
  readonly #storeCommand: string;

  private constructor(connection: BrainConnection, storeCommand: string) {
    this.#connection = connection;
    this.#storeCommand = storeCommand;
  }

  /** Undefined where none can be reached: hooks stay silent. */
  static async reach(folder: string, options: HookClientOptions): Promise<HookClient | undefined> {
    const { start, storeCommand } = options;
    const connect = { handlers: new Map(), timeoutMs: options.connectMs };
    const reached =
      start === undefined
        ? connectBrain(folder, connect)
        : ensureRunning(folder, { ...connect, start: start.brain, startMs: start.waitMs });
    const connection = await reached.catch(undefinedIfUnavailable);
    return connection && new HookClient(connection, storeCommand);
  }

  /** Tells what happened and returns what is due for it; undefined when no answer comes in time. */
  async sync(report: SessionReport, timeoutMs: number): Promise<DueTexts | undefined> {
    const answer = await this.#ask("session.sync", report, timeoutMs);
    return answer && this.#given(answer);
  }

  /** Waits for news of a session; undefined where none came in all the time, or the brain is gone. */
  async news(session: string, seconds: number): Promise<DueTexts | undefined> {
    const answer = await this.#ask("session.wait", { session, timeout_seconds: seconds });
    return answer === undefined || answer.due.length === 0 ? undefined : this.#given(answer);
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

  #given({ due, receipt }: ResultOf<"session.sync">): DueTexts {
    // What cannot be confirmed is given once more: better twice than never.
    const printed = async () => {
      if (receipt !== undefined) await this.#ask("session.delivered", { receipt }, confirmMs);
    };
    return { texts: textsOf(due, this.#storeCommand), printed };
  }
}

function undefinedIfUnavailable(cause: unknown): undefined {
  if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
}

/** What is due, as texts for a model: alerts come last, and say in one what they have in common. */
function textsOf(due: Due, storeCommand: string): string[] {
  const texts = due.flatMap(({ method, params }) => {
    if (method === "context.inject") return [readParams(method, params).data];
    return method === "action.suggest" ? [readParams(method, params).action] : [];
  });
  const alerts = alertNames.filter((name) => due.some(({ method }) => method === `alert.${name}`));
  const [first] = due.filter(({ method }) => method.startsWith("alert."));
  if (first === undefined) return texts;
  const fill = readParams("alert.memory_full", first.params);
  return [...texts, alertText(alerts, fill, storeCommand)];
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
