import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseJsonObject, valueIn } from "../base/json.ts";
import { insideOurs, isForOneTurn } from "../clis/cli-process.ts";
import { bellScript } from "../clis/hook-entries.ts";
import { runProcess } from "../clis/run-process.ts";
import { realPath } from "../files/home-folder.ts";
import { launcherFile } from "../script/launch.ts";
import { isWakeLine } from "./rules/wake-policy.ts";

/**
 * What of us runs inside OpenCode. At the events that `hook opencode` answers it starts that script as the other CLIs
 * do, by `bell.sh`.
 *
 *   at work --session.idle--> waits: a hook runs --its answer becomes a prompt--> at work
 *                             waits --a prompt of the person ends that hook--> at work
 */

type Ask = (of: object) => Promise<{ readonly data?: unknown; readonly error?: unknown }>;

/** What OpenCode gives a plugin, as far as it is used; old versions lack the last of these functions. */
interface OpenCode {
  readonly client: { readonly session: { get: Ask; messages: Ask; promptAsync?: Ask } };
  readonly directory: string;
}

/** In which conversation something happens. */
interface Place {
  readonly sessionID: string;
}

/** A prompt before its model gets it. */
interface Prompt {
  readonly message: { readonly id: string; readonly agent?: unknown; readonly model?: unknown };
  readonly parts: object[];
}

/** The functions that OpenCode calls, by its names; none of them throws. */
export async function consulta(given: OpenCode) {
  if (insideOurs.some((name) => process.env[name] !== undefined)) return {};
  const window = new OpenCodeWindow(given);
  if (given.client.session.promptAsync === undefined) {
    await window.report("this OpenCode is too old: its plugins cannot prompt it; update it");
    return {};
  }
  const safely = (work: Promise<void>) => work.catch((cause) => window.report(cause));
  return {
    event: ({ event }: { event: unknown }) => safely(window.heed(event)),
    "chat.message": (at: Place, prompt: Prompt) => safely(window.addToPrompt(at, prompt)),
    "tool.execute.after": (at: Place, result: { output?: unknown }) =>
      safely(window.addToResult(at, result)),
    dispose: async () => window.stopWaiting(),
  };
}

const scripts = dirname(fileURLToPath(import.meta.url));
const bounds = { outputBytes: 1_048_576, errorBytes: 4_096, killAfterMs: 1_000, drainMs: 500 };
/** An event may not keep the person waiting for longer. */
const answerMs = 10_000;
/** So long a turn may take to begin. */
const beginMs = 5_000;

interface Conversation {
  /** Of a subagent, which takes no turns. */
  readonly isChild: boolean;
  /** Until its first prompt here: its model knows nothing of the sessions. */
  source: "startup" | "resume" | undefined;
  /** The agent and the model that the person chose last. */
  chosen: object;
}

/** One process of OpenCode, in one folder. */
class OpenCodeWindow {
  readonly #sessions: OpenCode["client"]["session"];
  readonly #folder: string;
  readonly #startedMs = Date.now();
  readonly #known = new Map<string, Conversation>();
  readonly #busy = new Set<string>();
  readonly #interrupted = new Set<string>();
  readonly #reported = new Set<string>();
  #wait = new AbortController();

  constructor({ client, directory }: OpenCode) {
    this.#sessions = client.session;
    this.#folder = realPath(directory);
  }

  async heed(event: unknown): Promise<void> {
    const [type, about] = [valueIn(event, "type"), valueIn(event, "properties")];
    const session = valueIn(about, "sessionID");
    if (typeof session !== "string") return;
    const isBusy = type === "session.status" && valueIn(about, "status", "type") !== "idle";
    if (isBusy) this.#busy.add(session);
    if (valueIn(about, "error", "name") === "MessageAbortedError") this.#interrupted.add(session);
    if (type === "session.compacted") await this.#ask(type, session, {});
    if (type === "session.idle") await this.#becomeIdle(session);
  }

  /** Puts what there is to tell beside a prompt of the person. */
  async addToPrompt({ sessionID }: Place, { message, parts }: Prompt): Promise<void> {
    const conversation = await this.#conversation(sessionID);
    if (conversation.isChild) return;
    conversation.chosen = { agent: message.agent, model: message.model };
    this.#interrupted.delete(sessionID);
    this.stopWaiting();
    const prompt = textOf(parts);
    if (isWakeLine(prompt)) return;
    const { source } = conversation;
    conversation.source = undefined;
    const text = contextIn(await this.#ask("chat.message", sessionID, { prompt, source }));
    // Parts are in the order of their ids.
    const ids = { id: `${valueIn(parts.at(-1), "id")}z`, sessionID, messageID: message.id };
    if (text !== undefined) parts.push({ ...ids, type: "text", text, synthetic: true });
  }

  /** Puts it behind what a tool gave back, in the middle of a turn; a server's tools give another form. */
  async addToResult({ sessionID }: Place, result: { output?: unknown }): Promise<void> {
    if (typeof result.output !== "string") return;
    const text = contextIn(await this.#ask("tool.execute.after", sessionID, {}));
    if (text !== undefined) result.output += `\n\n${text}`;
  }

  stopWaiting(): void {
    this.#wait.abort();
  }

  /** Leaves a reason where `doctor` looks, each once, but for what a conversation was not told. */
  async report(cause: unknown, session?: string): Promise<void> {
    const failure = String(Object(cause).stack ?? cause);
    if (session === undefined && this.#reported.has(failure)) return;
    this.#reported.add(failure);
    await this.#run("plugin", { session_id: session, failure });
  }

  /** Waits until the model is called for, and prompts it. What follows an interruption is for the person to say. */
  async #becomeIdle(session: string): Promise<void> {
    this.#busy.delete(session);
    const { isChild, chosen } = await this.#conversation(session);
    // An interruption is followed by more than one of these events.
    if (this.#interrupted.has(session) || isChild) return;
    if (isForOneTurn(process.argv.slice(1))) return;
    this.stopWaiting();
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    const last = await this.#lastMessage(session);
    const told = {
      last_assistant_message: textOf(valueIn(last, "parts")),
      context_tokens: valueIn(last, "info", "tokens", "total"),
      context_model: valueIn(last, "info", "modelID"),
    };
    const text = valueIn(await this.#ask("session.idle", session, told, signal), "reason");
    const parts = [{ type: "text", text }];
    if (text === undefined) return;
    const prompted = this.#prompt(session, { ...chosen, parts });
    await prompted.catch((cause) => this.report(cause, session));
  }

  /** OpenCode accepts a prompt at once; that its turn begins is seen later, and sometimes never. */
  async #prompt(id: string, body: object): Promise<void> {
    for (const _ of ["", "again"]) {
      const sinceMs = Date.now();
      const answered = await this.#sessions.promptAsync?.({ path: { id }, body });
      if (answered?.error !== undefined)
        throw new Error(`OpenCode did not take a prompt: ${JSON.stringify(answered.error)}`);
      while (Date.now() < sinceMs + beginMs) {
        const info = valueIn(await this.#lastMessage(id), "info");
        const isNew = Number(valueIn(info, "time", "created")) >= sinceMs;
        if (this.#busy.has(id) || (isNew && valueIn(info, "role") === "assistant")) return;
        await sleep(100);
      }
    }
    throw new Error("OpenCode accepted a prompt twice, and began no turn");
  }

  async #lastMessage(id: string): Promise<unknown> {
    const { data } = await this.#sessions.messages({ path: { id }, query: { limit: 1 } });
    return Array.isArray(data) ? data.at(-1) : undefined;
  }

  async #conversation(id: string): Promise<Conversation> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const { data } = await this.#sessions.get({ path: { id } });
    const isOld = Number(valueIn(data, "time", "created")) < this.#startedMs;
    const isChild = valueIn(data, "parentID") !== undefined;
    const found: Conversation = { isChild, source: isOld ? "resume" : "startup", chosen: {} };
    this.#known.set(id, found);
    return found;
  }

  /** What the hook answers to an event; nothing where nothing rings. It may take long where a signal ends it. */
  async #ask(event: string, session: string, fields: object, signal?: AbortSignal) {
    const { isChild } = await this.#conversation(session);
    if (isChild) return undefined;
    return this.#run(event, { session_id: session, ...fields }, signal);
  }

  async #run(event: string, fields: object, signal?: AbortSignal) {
    const folder = this.#folder;
    const words = [join(scripts, launcherFile), "hook", "opencode"];
    // Where a model knows nothing yet, no quiet counts.
    const heard = valueIn(fields, "source") === undefined ? event : "first";
    const bell = { cli: "opencode", event: heard, scripts };
    const request = {
      ...(process.platform === "win32"
        ? { command: "node", arguments: words }
        : { command: "/bin/sh", arguments: ["-c", startLine, "sh", ...words] }),
      ...{ shell: false, folder, environment: { ...process.env, ...bell }, bounds },
      input: JSON.stringify({ cwd: folder, hook_event_name: event, ...fields }),
      timeoutMs: signal === undefined ? answerMs : 0,
    };
    const { stdout } = await runProcess(request, signal ?? new AbortController().signal);
    return parseJsonObject(stdout);
  }
}

const startLine = `[ -r "$scripts/${bellScript}" ] && . "$scripts/${bellScript}" && exec node "$@"`;

function contextIn(answer: unknown): unknown {
  return valueIn(answer, "hookSpecificOutput", "additionalContext");
}

function textOf(parts: unknown): string {
  const texts = Array.isArray(parts) ? parts.filter((it) => valueIn(it, "type") === "text") : [];
  return texts.map((part) => valueIn(part, "text")).join("\n");
}
