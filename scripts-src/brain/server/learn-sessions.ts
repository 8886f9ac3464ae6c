import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { findSecret } from "../../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import { lstatSync, orNothing } from "../../files/disk.ts";
import { sha256 } from "../../files/hash.ts";
import { isCreatedLocally } from "../../log/created-locally.ts";
import { endedSession } from "../../session/past/outcome.ts";
import { type SessionFolder, sessionFolders } from "../../session/workspace/sessions-elsewhere.ts";
import { findWorkspace } from "../../session/workspace/workspace.ts";
import type { MemoryDraft } from "../rules/records.ts";
import { sessionMemories } from "../rules/session-memories.ts";
import type { MemoryTable } from "../store/memories.ts";

export interface LearnOptions {
  /** The folder that holds the workspace. */
  readonly project: string;
  readonly memories: Pick<MemoryTable, "learn" | "learnedStamps">;
  readonly now: () => string;
  readonly note: (text: string) => void;
  /** Who looked so short a time ago does not look again. */
  readonly pauseMs?: number;
  /** How long an answer waits for a look; what is left is learned after it. */
  readonly patienceMs?: number;
}

const defaultPauseMs = 2_000;
const defaultPatienceMs = 400;
/** What says that a session has changed: its log, and what others write where there is none. */
const tellingFiles = ["events.jsonl", "agents.md", "conclusion.md", ""];

/**
 * Learns what came of the workspace's sessions: what is finished becomes memories, each once. The
 * sessions themselves are the truth, so it does not matter who finished them, and when.
 */
export class SessionLearner {
  readonly #options: LearnOptions;
  /** The state in which each session was looked at last, by a digest of its name; begins with what is stored. */
  #seen: Map<string, string> | undefined;
  #underWay: Promise<void> | undefined;
  #endedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #lastFault = "";

  constructor(options: LearnOptions) {
    this.#options = options;
  }

  /** Looks for what is new, unless that was done a moment ago; returns when it is done or takes long. */
  async look(): Promise<void> {
    const { pauseMs = defaultPauseMs, patienceMs = defaultPatienceMs } = this.#options;
    if (this.#underWay === undefined) {
      if (this.#isStopped || performance.now() - this.#endedMs < pauseMs) return;
      this.#underWay = this.#lookAround().finally(() => {
        this.#underWay = undefined;
        this.#endedMs = performance.now();
      });
    }
    await Promise.race([this.#underWay, setTimeout(patienceMs, undefined, { ref: false })]);
  }

  /** Returns when it writes no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#underWay;
  }

  async #lookAround(): Promise<void> {
    try {
      const workspace = findWorkspace(this.#options.project);
      if (!workspace.config.brain) return;
      this.#seen ??= new Map(this.#options.memories.learnedStamps());
      for (const session of sessionFolders(workspace)) {
        if (this.#isStopped) return;
        const source = digestOf(`session ${session.name}`);
        const stamp = stampOf(session.folder);
        if (stamp === undefined || stamp === this.#seen.get(source)) continue;
        if (await this.#learn(session, source, stamp)) this.#seen.set(source, stamp);
        // Others get their answers in between.
        await setImmediate();
      }
      this.#lastFault = "";
    } catch (error) {
      // Learning serves later sessions: what stops it stops nothing else.
      const fault = reasonOf(error);
      if (fault !== this.#lastFault) this.#options.note(`sessions cannot be learned: ${fault}`);
      this.#lastFault = fault;
    }
  }

  /** False where it has to be tried again: what cannot be read hides no other, and what passes is no reason. */
  async #learn(session: SessionFolder, source: string, stamp: string): Promise<boolean> {
    const { name } = session;
    const { memories, note } = this.#options;
    try {
      const said = await this.#outcomeOf(session);
      const stored = said === undefined ? 0 : memories.learn({ source, stamp, ...said });
      if (stored > 0) note(`memories learned from session ${name}: ${stored}`);
      return true;
    } catch (error) {
      note(`session ${name} cannot be learned as it is: ${reasonOf(error)}`);
      return !(error instanceof ConsultaError && error.code === "UNAVAILABLE");
    }
  }

  /** Undefined for one that goes on, or was not begun here: it may have come with a clone. */
  async #outcomeOf({ folder, place }: SessionFolder) {
    const { now } = this.#options;
    const at = place();
    if (at.workspace !== undefined && !isCreatedLocally(folder)) return undefined;
    const ended = await endedSession(at, { now, newId: () => "" }, "log");
    if (ended === undefined) return undefined;
    const drafts = sessionMemories(ended).filter((draft) => this.#isPlain(draft));
    return { drafts, said: digestOf(JSON.stringify(drafts)), at: timeOf(ended.lastAt, now()) };
  }

  /** What looks like a secret is left out, and said so. */
  #isPlain({ key, value, tags = [] }: MemoryDraft): boolean {
    const secret = findSecret([key, value, ...tags].join("\n"));
    if (secret !== undefined) this.#options.note(`not learned: ${quote(key)} looks like ${secret}`);
    return secret === undefined;
  }
}

/** Sizes and times of what tells; the folder's own time, as it gets a mark when the user adopts the session. */
function stampOf(folder: string): string | undefined {
  const stamps = tellingFiles.map((file) => {
    const status = orNothing(() => lstatSync(join(folder, file)));
    return status === undefined ? "" : `${file === "" ? "" : status.size}:${status.mtimeMs}`;
  });
  return stamps.slice(0, -1).some((it) => it !== "") ? stamps.join(" ") : undefined;
}

/** Knows a text again and does not tell it. */
function digestOf(text: string): string {
  return sha256(text, "base64").slice(0, 20);
}

/** When something was said; a log may say anything, also a time to come. */
function timeOf(lastAt: string, now: string): string {
  const [said, nowMs] = [millisecondsOf(lastAt), millisecondsOf(now)];
  return Number.isNaN(said) ? now : isoSecond(Math.min(Math.max(said, 0), nowMs));
}

function reasonOf(error: unknown): string {
  if (error instanceof ConsultaError) return error.message;
  return error instanceof Error ? String(error.stack) : String(error);
}
