import { visibleText } from "../base/visible-text.ts";
import { endConversation } from "../clis/cli-registry.ts";
import type { Moment } from "../clis/hook-entries.ts";
import { print, printError } from "../script/output.ts";
import { hangBell, takeBellDown } from "./bell.ts";
import { type HookCall, logFailure, type MemoryAnswer, printContext } from "./hook-call.ts";
import { changeHookMemory, readMemory, rememberTold, type ToldRole, toldOf } from "./hook-state.ts";
import { remindedBy } from "./rules/wake-policy.ts";
import { type WakeUp, waitForWake } from "./wait-for-wake.ts";
import { fewLines, wakeLine } from "./wake-lines.ts";
import {
  noteAnnounced,
  openSessionNotices,
  recordNotified,
  roleNotices,
  type WakeNotices,
} from "./wake-notices.ts";

/** Claude Code takes this exit code of a Stop hook as: go on, for the reason on stderr. */
const goOn = 2;

/**
 * Does what a CLI's event calls for and returns the exit code. Whatever fails, the CLI goes on as if
 * there were no hook, and `doctor` tells the reason.
 */
export async function answerHook(call: HookCall): Promise<number> {
  const asked = tellMemory(call);
  try {
    return await (answers[call.moment] ?? tell)(call, asked);
  } catch (cause) {
    logFailure(call, cause);
    return 0;
  } finally {
    (await asked)?.close();
  }
}

/** What the memory says of the event. A failure is kept, never thrown. */
async function tellMemory(call: HookCall): Promise<MemoryAnswer | undefined> {
  try {
    return await call.memory?.tell(call);
  } catch (cause) {
    logFailure(call, cause);
    return undefined;
  }
}

type Answer = (call: HookCall, asked: Promise<MemoryAnswer | undefined>) => Promise<number>;

const tellNews: Answer = (call, asked) => tell(call, asked, roleNotices(call));

/** What each moment calls for; at others than these only the memory has something to say. */
const answers: Readonly<Partial<Record<Moment, Answer>>> = {
  start: (call, asked) => tell(call, asked, openSessionNotices(call, isResumed(call))),
  "silent start": forget,
  compacted: forget,
  prompt: tellNews,
  tool: tellNews,
  stop: wakeAtStop,
  end: leave,
};

/** Whether a conversation goes on that an earlier process of the CLI had. */
function isResumed({ input }: HookCall): boolean {
  return input["source"] === "resume";
}

/** Notes that the model has lost what it was told, as after compaction. */
async function forget(call: HookCall): Promise<number> {
  const { home, process } = call;
  takeBellDown(call);
  if (process !== undefined)
    changeHookMemory(home, process, { hasForgotten: true, isResumed: isResumed(call) });
  return 0;
}

/** Notes that a conversation is over whose process may serve others. */
async function leave(call: HookCall, asked: Promise<MemoryAnswer | undefined>): Promise<number> {
  if (call.process?.conversation !== undefined) endConversation(call.home, call.process);
  return tell(call, asked);
}

type Wake = (text: string) => { readonly isHeard: boolean; readonly code: number };

const wakeByExit: Wake = (text) => ({ isHeard: printError(`${text}\n`), code: goOn });

const wakeByBlock: Wake = (text) => {
  const answer = { decision: "block", reason: visibleText(text) };
  return { isHeard: print(`${JSON.stringify(answer)}\n`), code: 0 };
};

/** Waits until a session, or the memory where its news are waited for, calls for the model, and has it go on. */
async function wakeAtStop(
  call: HookCall,
  asked: Promise<MemoryAnswer | undefined>,
): Promise<number> {
  const { cli, workspace, process: running } = call;
  const wake = cli === "claude" ? wakeByExit : wakeByBlock;
  // Without a person at it, a wait for news would only keep the session from ending.
  const isAttended = cli === "claude" && process.env["CLAUDE_CODE_ENTRYPOINT"] === "cli";
  const waitsForNews = isAttended || cli === "opencode";
  const remembered = await asked;
  const seconds = workspace?.config.hook_wait_seconds ?? 0;
  const news = waitsForNews ? remembered?.news(seconds) : undefined;
  if (news === undefined) remembered?.close();
  const wakeUps = running === undefined ? [] : await waitForWake(call, running, news);
  const given = news?.came();
  if (wakeUps.length === 0 && given === undefined) return 0;
  const { text, shown } = fewLines(wakeUps.map(wakeLine));
  // Remembered first: a CLI whose hook forgets what it said would never be let go.
  rememberWakeUps(call, wakeUps.slice(0, Math.max(shown, 1)));
  const { isHeard, code } = wake(together(text, given?.texts));
  if (!isHeard) return code;
  await given?.printed();
  const announced = wakeUps.slice(0, shown).filter(({ reason }) => reason !== "refused");
  const roles = announced.map(({ role }) => role);
  await recordNotified(call, roles);
  return code;
}

/** What was only counted wakes at the next stop; one line too long for all must end some time. */
function rememberWakeUps({ home, process }: HookCall, wakeUps: readonly WakeUp[]): void {
  if (process === undefined || wakeUps.length === 0) return;
  const memory = readMemory(home, process);
  const news = wakeUps.flatMap(({ reason, role, key }): ToldRole[] => {
    const { folder, participant } = role;
    const told = toldOf(memory, role);
    return reason === "refused" ? [] : [{ ...remindedBy(reason, key, told), folder, participant }];
  });
  rememberTold(home, process, news);
}

/**
 * Puts what the sessions and the memory have to say before the model, notes that it was said, and hangs the bell;
 * not where something could not be looked at, or not be said.
 */
async function tell(
  call: HookCall,
  asked: Promise<MemoryAnswer | undefined>,
  looked: Promise<WakeNotices> = Promise.resolve({ notices: [] }),
): Promise<number> {
  // Neither of the two is to be silent because the other fails.
  const { notices, found } = await looked.catch((cause): WakeNotices => {
    logFailure(call, cause);
    return { notices: [] };
  });
  const remembered = await asked;
  const { text, shown } = fewLines(notices.map(({ line }) => line));
  const context = together(text, remembered?.texts);
  if (context !== "") {
    if (!printContext(call, context)) return 0;
    await remembered?.printed();
    await noteAnnounced(
      call,
      notices.slice(0, shown).flatMap(({ role }) => role ?? []),
    );
  }
  const isAsked = remembered !== undefined || !call.memory?.isDue(call);
  if (found !== undefined && shown === notices.length && isAsked) hangBell(call, found);
  return 0;
}

function together(notices: string, texts: readonly string[] = []): string {
  return [notices, ...texts].filter((text) => text !== "").join("\n\n");
}
