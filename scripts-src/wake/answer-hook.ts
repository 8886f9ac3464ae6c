import { visibleText } from "../base/visible-text.ts";
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
  pendingNotices,
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
    return await (answers[`${call.cli} ${call.event}`] ?? tell)(call, asked);
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

const answers: Readonly<Record<string, Answer>> = {
  "claude SessionStart": (call, asked) =>
    tell(call, asked, openSessionNotices(call, isResumed(call))),
  "claude UserPromptSubmit": (call, asked) => tell(call, asked, pendingNotices(call)),
  "claude PostToolUse": (call, asked) => tell(call, asked, pendingNotices(call)),
  "claude Stop": (call, asked) =>
    wakeAtStop(call, asked, (text) => ({ isHeard: printError(`${text}\n`), code: goOn })),
  // A text here would keep Gemini from expanding a command that begins a headless conversation.
  "gemini SessionStart": forget,
  "gemini PreCompress": forget,
  "gemini BeforeAgent": (call, asked) => tell(call, asked, roleNotices(call)),
  "gemini AfterTool": (call, asked) => tell(call, asked, pendingNotices(call)),
  "gemini AfterAgent": (call, asked) =>
    wakeAtStop(call, asked, (reason) => ({
      isHeard: print(`${JSON.stringify({ decision: "block", reason: visibleText(reason) })}\n`),
      code: 0,
    })),
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

type Wake = (text: string) => { readonly isHeard: boolean; readonly code: number };

/** Waits until a session or the memory calls for the model, and has it go on. */
async function wakeAtStop(
  call: HookCall,
  asked: Promise<MemoryAnswer | undefined>,
  wake: Wake,
): Promise<number> {
  const { cli, workspace, process: running } = call;
  const remembered = await asked;
  // Without a person at it, a wait for news would only keep the session from ending.
  const isAttended = cli === "claude" && process.env["CLAUDE_CODE_ENTRYPOINT"] === "cli";
  const seconds = workspace?.config.hook_wait_seconds ?? 0;
  const news = isAttended ? remembered?.news(seconds) : undefined;
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
