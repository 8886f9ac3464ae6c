import { alertText } from "../core/brain/alert-text.ts";
import { type AlertName, alertNames } from "../core/brain/alerts.ts";
import type { SessionReport } from "../core/brain/hook-report.ts";
import { fitsParams, fitsResult, type ParamsOf } from "../core/brain/open-rpc.ts";
import { ConsultaError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { type BrainLine, connectBrain } from "./connect-brain.ts";
import type { Handler } from "./peer.ts";
import { reachBrain } from "./reach-brain.ts";

/** What belongs into the context of a session now. */
export interface Given {
  readonly texts: readonly string[];
  /** Says that the texts have been printed; without it they are given again. */
  readonly printed: () => Promise<void>;
}

export interface HookLineOptions {
  /** The command line that stores a memory, for a model to run. */
  readonly storeCommand: string;
  readonly connectMs: number;
  /** Starts a brain where none can be reached, and how long it is waited for then. */
  readonly start?: { readonly brain: () => void; readonly waitMs: number } | undefined;
}

const confirmMs = 400;

/** A hook's connection to the brain of its project. */
export class HookLine {
  readonly #line: BrainLine;
  readonly #texts: string[];

  private constructor(line: BrainLine, texts: string[]) {
    this.#line = line;
    this.#texts = texts;
  }

  /** Undefined where none can be reached: hooks stay silent. */
  static async reach(folder: string, options: HookLineOptions): Promise<HookLine | undefined> {
    const texts: string[] = [];
    const handlers = receivers(texts, options.storeCommand);
    const connect = { handlers, timeoutMs: options.connectMs };
    const { start } = options;
    const reached =
      start === undefined
        ? connectBrain(folder, connect)
        : reachBrain(folder, { ...connect, start: start.brain, startMs: start.waitMs });
    const line = await reached.catch(undefinedIfUnavailable);
    return line === undefined ? undefined : new HookLine(line, texts);
  }

  /** Tells what happened and gives what is due for it; undefined when no answer comes in time. */
  async sync(report: SessionReport, timeoutMs: number): Promise<Given | undefined> {
    const params = { ...report, confirm: true };
    const answer = await this.#ask("session.sync", params, timeoutMs);
    return fitsResult("session.sync", answer) ? this.#given(answer.receipt) : undefined;
  }

  /** Waits for news of a session: "none" in all the time, or "gone" is the brain. */
  async news(session: string, seconds: number): Promise<Given | "none" | "gone"> {
    const params = { session, timeout_seconds: seconds, confirm: true };
    const answer = await this.#ask("session.wait", params);
    if (!fitsResult("session.wait", answer)) return "gone";
    return answer.pushed === 0 ? "none" : this.#given(answer.receipt);
  }

  close(): void {
    this.#line.close();
  }

  async #ask(method: string, params: object, timeoutMs?: number): Promise<JsonValue> {
    try {
      return await this.#line.peer.request(method, params, timeoutMs);
    } catch {
      // A refusal, a bug or an end: nothing that the CLI or its user could do anything about now.
      return null;
    }
  }

  #given(receipt: string | undefined): Given {
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
    ["context.inject", (params) => fitsParams("context.inject", params) && take(params.data)],
    ["action.suggest", (params) => fitsParams("action.suggest", params) && take(params.action)],
    ...alertNames.map((name): [string, Handler] => [
      `alert.${name}`,
      (params) => fitsParams(`alert.${name}`, params) && warn(name, params),
    ]),
  ]);
}
