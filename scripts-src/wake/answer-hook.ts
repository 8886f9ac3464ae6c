import { visibleText } from "../base/visible-text.ts";
import { print, printError } from "../script/output.ts";
import { askBrain, type BrainAnswer } from "./ask-brain.ts";
import { BrainNews, type News } from "./brain-news.ts";
import { type HookCall, logFailure, printContext } from "./hook-call.ts";
import { readMemory, rememberTold, type ToldRole, toldOf } from "./hook-state.ts";
import { isBrainRunning } from "./probe-brain.ts";
import { remindedBy } from "./rules/wake-policy.ts";
import { type WakeUp, waitForWake } from "./wait-for-wake.ts";
import { fewLines, ownScripts, wakeLine } from "./wake-lines.ts";
import {
  forget,
  openSessionNotices,
  pendingNotices,
  recordNotified,
  remember,
  roleNotices,
  type WakeNotice,
} from "./wake-notices.ts";

/** Claude Code takes this exit code of a Stop hook as: go on, for the reason on stderr. */
const goOn = 2;

/**
 * Does what a CLI's event calls for and returns the exit code. Whatever fails, the CLI goes on as if
 * there were no hook, and `doctor` tells the reason.
 */
export async function answerHook(call: HookCall): Promise<number> {
  try {
    return (await answers[`${call.cli} ${call.event}`]?.(call)) ?? 0;
  } catch (cause) {
    logFailure(call, cause);
    return 0;
  }
}

const answers: Record<string, (call: HookCall) => Promise<number>> = {
  "claude SessionStart": (call) => tell(call, openSessionNotices(call, call.isResumed)),
  "claude UserPromptSubmit": (call) => tell(call, pendingNotices(call)),
  "claude Stop": (call) =>
    wakeAtStop(call, (text) => ({ isHeard: printError(`${text}\n`), code: goOn })),
  // A text here would keep Gemini from expanding a command that begins a headless conversation.
  "gemini SessionStart": beginAnew,
  "gemini PreCompress": beginAnew,
  "gemini BeforeAgent": (call) => tell(call, roleNotices(call)),
  "gemini AfterAgent": (call) =>
    wakeAtStop(call, (reason) => ({
      isHeard: print(`${JSON.stringify({ decision: "block", reason: visibleText(reason) })}\n`),
      code: 0,
    })),
};

/** What the brain says of the event. */
async function fromBrain(call: HookCall): Promise<BrainAnswer | undefined> {
  try {
    if (!isBrainRunning(call)) return undefined;
    return await askBrain(call);
  } catch (cause) {
    logFailure(call, cause);
    return undefined;
  }
}

async function beginAnew(call: HookCall): Promise<number> {
  const asked = fromBrain(call);
  forget(call);
  (await asked)?.client.close();
  return 0;
}

type Wake = (text: string) => { readonly isHeard: boolean; readonly code: number };

/** Waits until a session or the brain calls for the model, and has it go on. */
async function wakeAtStop(call: HookCall, wake: Wake): Promise<number> {
  const brain = await fromBrain(call);
  const news = await newsOf(call, brain);
  if (news === undefined) brain?.client.close();
  try {
    const { process } = call;
    const wakeUps = process === undefined ? [] : await waitForWake(call, process, news);
    return await wakeFor(call, wake, wakeUps, news);
  } finally {
    news?.end();
  }
}

/** Without a person at it, a wait would only keep the session from ending. */
async function newsOf(call: HookCall, brain: BrainAnswer | undefined): Promise<News | undefined> {
  const { cli, workspace } = call;
  const isAttended = process.env["CLAUDE_CODE_ENTRYPOINT"] === "cli";
  if (cli !== "claude" || !isAttended || brain === undefined || workspace === undefined)
    return undefined;
  return new BrainNews(brain, workspace.config.hook_wait_seconds);
}

async function wakeFor(
  call: HookCall,
  wake: Wake,
  wakeUps: readonly WakeUp[],
  news: News | undefined,
): Promise<number> {
  const given = news?.came();
  if (wakeUps.length === 0 && given === undefined) return 0;
  const lines = wakeUps.map(({ reason, role, waitedMs }) => wakeLine(reason, role, waitedMs));
  const { text, shown } = fewLines(lines, ownScripts);
  // Remembered first: a CLI whose hook forgets what it said would never be let go.
  rememberWakeUps(call, wakeUps.slice(0, Math.max(shown, 1)));
  const { isHeard, code } = wake(together(text, given?.texts));
  if (!isHeard) return code;
  await given?.printed();
  const announced = wakeUps.slice(0, shown).filter(({ reason }) => reason !== "refused");
  await recordNotified(
    call,
    announced.map(({ role }) => role),
  );
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

/** Puts what the sessions and the brain have to say before the model, and notes that it was said. */
async function tell(call: HookCall, notices: Promise<WakeNotice[]>): Promise<number> {
  const asked = fromBrain(call);
  // Neither of the two is to be silent because the other fails.
  const news = await notices.catch((cause) => {
    logFailure(call, cause);
    return [];
  });
  const brain = await asked;
  const { text, shown } = fewLines(
    news.map(({ line }) => line),
    ownScripts,
  );
  const context = together(text, brain?.texts);
  if (context !== "" && printContext(call, context)) {
    await brain?.printed();
    const roles = news.slice(0, shown).flatMap(({ role }) => role ?? []);
    await recordNotified(call, roles);
    remember(call, roles);
  }
  brain?.client.close();
  return 0;
}

function together(notices: string, texts: readonly string[] = []): string {
  return [notices, ...texts].filter((text) => text !== "").join("\n\n");
}
