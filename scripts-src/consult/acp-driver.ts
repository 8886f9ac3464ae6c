import { resolve } from "node:path";
import { type Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  AnyMessage,
  ClientContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SendRequestOptions,
} from "@agentclientprotocol/sdk";
import { inline, isRecord, listIn, valueIn } from "../base/json.ts";
import { packVersion } from "../base/pack-version.ts";
import { withoutSecrets } from "../base/secrets.ts";
import type { DriverProfile } from "../clis/driver-profile.ts";
import { shortLine } from "../clis/output-line.ts";
import { runLimits } from "../clis/run-limits.ts";
import {
  type ProcessEnd,
  type ProcessRequest,
  runProcess,
  type Talk,
} from "../clis/run-process.ts";
import { orNothing, realpathSync } from "../files/disk.ts";
import { isWithin } from "../files/safe-path.ts";
import { explainFailure, type FailureText } from "./cli-output.ts";
import type { Task, TurnResult } from "./driver.ts";

/** What starts an agent: its words, and the environment that it is given. */
export type AgentStart = Pick<ProcessRequest, "command" | "arguments" | "shell" | "environment">;

/** What a rejected tool is told with, when a turn brought no message. */
export const refusedTools =
  "tools that you called were rejected, and will be: you may only read here; answer in words, with the block in them";

/**
 * Gives a turn to an agent that speaks the Agent Client Protocol: a process of its own, which is stopped
 * when the turn is over. `failureOf` says how a process failed that was not heard to its end.
 *
 *   initialize -> session/resume, session/load or session/new -> session/prompt ... updates -> stop reason
 */
export async function takeAcpTurn(
  profile: DriverProfile,
  start: AgentStart,
  turn: Task,
  signal: AbortSignal,
  failureOf: (end: ProcessEnd) => FailureText | string | undefined,
): Promise<TurnResult> {
  const heard = new AcpTurn(turn);
  const { acpCancelMs: farewellMs, acpEndMs: killAfterMs } = runLimits;
  const end = await runProcess(
    {
      ...start,
      folder: turn.project,
      input: heard.talk,
      timeoutMs: turn.timeoutMs,
      bounds: { ...runLimits, farewellMs, killAfterMs },
    },
    signal,
  );
  const { answer, conversation: resume, usage } = heard;
  const remark = heard.isRefused ? refusedTools : undefined;
  if (heard.isOver && heard.fault === undefined) return { answer, resume, remark, usage };
  const failed = { answer: end.stopped === "aborted" ? "" : answer, remark };
  const why = heard.fault ?? failureOf(end) ?? "ended without an answer";
  if (typeof why !== "string") return { ...failed, ...why };
  const said = `${profile.name} ${why}`;
  if (heard.isMisfit)
    return { ...failed, failure: shortLine(said, runLimits.adviceCharacters), left: true };
  const banner = end.stdout.split("\n").filter((line) => !line.startsWith("{"));
  return { ...failed, ...explainFailure(profile, said, end, banner.join("\n")) };
}

type Sdk = typeof import("@agentclientprotocol/sdk");
type Methods = Sdk["methods"]["agent"]["session"];

/** A turn as it is heard: the SDK checks no results, so they are read here, and the updates too. */
class AcpTurn {
  answer = "";
  conversation: string | undefined;
  usage: string | undefined;
  isRefused = false;
  /** It said that the turn is over. */
  isOver = false;
  /** No other try can help. */
  isMisfit = false;
  fault: string | undefined;
  readonly #turn: Task;
  /** What comes before is of earlier turns. */
  #isAsked = false;
  #heard = 0;
  #isNewMessage = false;
  #messageId: unknown;

  /** For all that comes before its turn. */
  readonly #patience: SendRequestOptions;

  constructor(turn: Task) {
    this.#turn = turn;
    const limitMs = Math.min(runLimits.acpStartMs, turn.timeoutMs || runLimits.acpStartMs);
    const cancellationSignal = AbortSignal.timeout(limitMs);
    this.#patience = { cancellationSignal, stopWaitingOnCancel: true };
  }

  readonly talk: Talk = async (to, from, signal) => {
    const sdk = await import("@agentclientprotocol/sdk");
    const { readable, writable } = sdk.ndJsonStream(Writable.toWeb(to), bytesOf(from));
    const stream = { writable, readable: readable.pipeThrough(this.#updatesTaken()) };
    const app = sdk
      .client({ name: "consulta" })
      .onRequest(sdk.methods.client.session.requestPermission, ({ params }) =>
        this.#permit(params),
      );
    try {
      await app.connectWith(stream, (agent) => this.#take(agent, sdk, signal));
    } catch (cause) {
      const isLate = this.#patience.cancellationSignal?.aborted === true && !this.#isAsked;
      this.isMisfit = isLate || cause instanceof Misfit;
      if (cause instanceof sdk.MessageTooLargeError) this.#flood();
      else if (isLate) this.fault = silence;
      else if (cause instanceof Misfit) this.fault = cause.message;
      else if (cause instanceof sdk.RequestError) this.fault ??= `failed: ${wordsOf(cause)}`;
    }
  };

  async #take(
    agent: ClientContext,
    { methods, PROTOCOL_VERSION }: Sdk,
    signal: AbortSignal,
  ): Promise<void> {
    const clientInfo = { name: "consulta", version: packVersion };
    const hello = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {}, clientInfo };
    const { initialize, session } = methods.agent;
    const started: unknown = await agent.request(initialize, hello, this.#patience);
    const version = valueIn(started, "protocolVersion");
    if (version !== PROTOCOL_VERSION) {
      const given = inline(String(version), runLimits.quotedReasonCharacters);
      throw new Misfit(
        `speaks version ${given} of the Agent Client Protocol, expected ${PROTOCOL_VERSION}: update it, or this`,
      );
    }
    const sessionId = await this.#open(agent, session, valueIn(started, "agentCapabilities"));
    this.conversation = sessionId;
    const cancel = () => agent.notify(session.cancel, { sessionId }).catch(() => undefined);
    if (signal.aborted) return;
    signal.addEventListener("abort", cancel);
    this.#isAsked = true;
    const prompt = [{ type: "text" as const, text: withoutSecrets(this.#turn.prompt) }];
    const end: unknown = await agent.request(session.prompt, { sessionId, prompt });
    // Of a turn that was stopped the process tells why.
    if (signal.aborted) return;
    this.isOver = true;
    const reason = valueIn(end, "stopReason");
    if (reason !== "end_turn") this.fault ??= `ended its turn early: ${inline(String(reason), 40)}`;
    const [, error] = saidError.exec(this.answer) ?? [];
    // A message of the model would be in a block.
    if (error !== undefined && !error.includes("```")) this.fault ??= `failed: ${inline(error)}`;
  }

  /** Goes on in the conversation of the turn before where it can, else begins one. */
  async #open(agent: ClientContext, session: Methods, can: unknown): Promise<string> {
    const { project: cwd, resume: sessionId, tell } = this.#turn;
    const place = { cwd, mcpServers: [] };
    const canResume = isRecord(valueIn(can, "sessionCapabilities", "resume"));
    const way = canResume ? session.resume : session.load;
    if (sessionId !== undefined && (canResume || valueIn(can, "loadSession") === true)) {
      try {
        const opened = await agent.request(way, { ...place, sessionId }, this.#patience);
        if (!canResume) await this.#historyOver();
        return await this.#makeCareful(agent, session, sessionId, opened);
      } catch (cause) {
        tell(`begins a new conversation, the one before cannot go on: ${wordsOf(cause)}`);
      }
    }
    const opened: unknown = await agent.request(session.new, place, this.#patience);
    const id = valueIn(opened, "sessionId");
    if (typeof id !== "string")
      throw new Misfit("began no conversation: its answer to session/new has no sessionId");
    return this.#makeCareful(agent, session, id, opened);
  }

  /** Puts it into a mode in which it asks; some begin in one in which a model permits. */
  async #makeCareful(agent: ClientContext, session: Methods, sessionId: string, opened: unknown) {
    const modes = valueIn(opened, "modes");
    const ids = listIn(valueIn(modes, "availableModes")).map((it) => valueIn(it, "id"));
    const modeId = ["read-only", "default"].find((it) => ids.includes(it));
    if (modeId !== undefined && modeId !== valueIn(modes, "currentModeId"))
      await agent.request(session.setMode, { sessionId, modeId }, this.#patience);
    return sessionId;
  }

  /** It should come before the answer; Gemini CLI 0.61.0 sends most of it after that. */
  async #historyOver(): Promise<void> {
    for (let seen = -1; seen !== this.#heard; ) {
      seen = this.#heard;
      await sleep(runLimits.acpQuietMs);
    }
  }

  /** Takes the updates out: the SDK prints an error for each kind that it does not know. */
  #updatesTaken(): TransformStream<AnyMessage, AnyMessage> {
    return new TransformStream({
      transform: (message, controller) => {
        if ("method" in message && message.method === "session/update") this.#hear(message.params);
        // Of an answer whose request is none of ours the SDK would print the id, whatever it is.
        else if ("method" in message || typeof message.id === "number") controller.enqueue(message);
        if (this.fault !== undefined) controller.terminate();
      },
    });
  }

  #hear(params: unknown): void {
    this.#heard += 1;
    const update = valueIn(params, "update");
    if (!isRecord(update) || !this.#isAsked) return;
    const { sessionUpdate: kind, title, used, size } = update;
    if (kind === "agent_message_chunk") this.#add(update);
    if (kind === "usage_update") this.usage = `its context holds ${used} of ${size} tokens`;
    if (kind === "agent_thought_chunk") this.#turn.tell("thinks");
    if (kind === "agent_thought_chunk" || kind === "tool_call") this.#isNewMessage = true;
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const what = update["kind"];
    if (typeof title === "string")
      this.#turn.tell(typeof what === "string" && what !== "other" ? `${what}: ${title}` : title);
  }

  #add({ content, messageId }: Record<string, unknown>): void {
    const text = valueIn(content, "text");
    if (typeof text !== "string" || text === "") return;
    const isSame = messageId !== undefined && messageId === this.#messageId;
    const isNew = !isSame && (this.#isNewMessage || messageId !== this.#messageId);
    this.answer += isNew && this.answer !== "" ? `\n\n${text}` : text;
    this.#isNewMessage = false;
    this.#messageId = messageId;
    if (this.answer.length > runLimits.outputBytes) this.#flood();
    else this.#turn.tell("writes its answer");
  }

  /** It may read in the project. Whatever else it asks for is rejected. */
  #permit({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
    const { kind, locations, rawInput = {}, title, content } = toolCall;
    const { project, tell } = this.#turn;
    const isReading =
      (kind === "read" || kind === "search") &&
      (locations ?? []).length > 0 &&
      locations?.every(({ path }) => isInProject(path, project)) === true &&
      isRecord(rawInput) &&
      Object.entries(rawInput).every(([name, value]) => isHarmless(name, value, project)) &&
      content?.some(({ type }) => type === "diff") !== true;
    if (!isReading) {
      this.isRefused = true;
      tell(`may not: ${title ?? kind ?? "a tool"}`);
    }
    const wanted = isReading ? ["allow_once"] : ["reject_once", "reject_always"];
    const [option] = wanted.flatMap((it) => options.find((one) => one.kind === it) ?? []);
    if (option === undefined) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  }

  #flood(): void {
    this.answer = "";
    this.fault = `answered more than ${runLimits.outputBytes} bytes and was stopped`;
  }
}

/** The stream as the SDK wants it; what is not read is not waited for. */
function bytesOf(from: Readable): ReadableStream<Uint8Array> {
  const chunks = from[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void from.destroy(),
  });
}

/** In place of an answer: Copilot 1.0.102 ends such a turn as one that went well. */
const saidError = /^(?:Info: .*?\.\.\.\s{0,3})?(Error: .*)/s;

const silence =
  "began no conversation in time and was stopped: is this how it is started for the Agent Client Protocol?";

/** It does not speak the protocol, or not ours. */
class Misfit extends Error {}

/** What an agent said of a failure; many put the reason beside the message. */
function wordsOf(cause: unknown): string {
  const message = valueIn(cause, "message");
  const details =
    valueIn(valueIn(cause, "data"), "details") ?? valueIn(valueIn(cause, "data"), "message");
  const said = [message, details].filter((it) => typeof it === "string").join(": ");
  return inline(said, runLimits.quotedReasonCharacters);
}

/** Where a path really leads, links followed; what looks like an address or a home is taken for that. */
function isInProject(path: string, project: string): boolean {
  if (/^~|^[a-z][\w+.-]+:/i.test(path)) return false;
  const real = orNothing(() => realpathSync(resolve(project, path)));
  return real !== undefined && isWithin(real, realpathSync(project));
}

/** Some call it reading when a command line only reads, or show another place than the one that they name. */
function isHarmless(name: string, value: unknown, project: string): boolean {
  if (/command|cmd|script/i.test(name) || (typeof value === "object" && value !== null))
    return false;
  const isPath = typeof value === "string" && /^(?:[/~\\]|\.\.|[a-z][\w+.-]*:)/i.test(value);
  return !isPath || isInProject(value, project);
}
