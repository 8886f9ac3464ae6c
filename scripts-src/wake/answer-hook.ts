import { visibleText } from "../base/visible-text.ts";
import { print, printError } from "../script/output.ts";
import type { BrainAnswer } from "./ask-brain.ts";
import type { News } from "./brain-news.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { type RemindedRole, readMemory, rememberReminded, remindedOf } from "./hook-memory.ts";
import { printContext } from "./print-context.ts";
import { isBrainRunning } from "./probe-brain.ts";
import { remindedBy } from "./rules/wake-policy.ts";
import { type WakeUp, waitForWake } from "./wait-for-wake.ts";
import { fewLines, ownScripts, wakeLine } from "./wake-lines.ts";
import {
  forget,
  openSessions,
  pendingNotices,
  recordNotified,
  remember,
  roleNotices,
  type WakeNotice,
} from "./wake-notices.ts";

/** Claude Code takes this exit code of a Stop hook as: go on, for the reason on stderr. */
const goOn = 2;

/**
 * Does what a CLI's event calls for and gives the exit code. Whatever fails, the CLI goes on as if
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
  "claude SessionStart": (call) => tell(call, openSessions(call, call.isResumed)),
  "claude UserPromptSubmit": (call) => tell(call, pendingNotices(call)),
  "claude Stop": (call) =>
    ringAtStop(call, (text) => ({ isHeard: printError(`${text}\n`), code: goOn })),
  // A text here would keep Gemini from expanding a command that begins a headless conversation.
  "gemini SessionStart": beginAnew,
  "gemini PreCompress": beginAnew,
  "gemini BeforeAgent": (call) => tell(call, roleNotices(call)),
  "gemini AfterAgent": (call) =>
    ringAtStop(call, (reason) => ({
      isHeard: print(`${JSON.stringify({ decision: "block", reason: visibleText(reason) })}\n`),
      code: 0,
    })),
};

/** What the brain says of the event; the way to it is loaded only where it has a say. */
async function fromBrain(call: HookCall): Promise<BrainAnswer | undefined> {
  try {
    if (!isBrainRunning(call)) return undefined;
    const { askBrain } = await import("./ask-brain.ts");
    return await askBrain(call);
  } catch (cause) {
    logFailure(call, cause);
    return undefined;
  }
}

async function beginAnew(call: HookCall): Promise<number> {
  const asked = fromBrain(call);
  forget(call);
  (await asked)?.line.close();
  return 0;
}

type Ring = (text: string) => { readonly isHeard: boolean; readonly code: number };

/** Waits until a session or the brain calls for the model, and has it go on. */
async function ringAtStop(call: HookCall, ring: Ring): Promise<number> {
  const brain = await fromBrain(call);
  const news = await newsOf(call, brain);
  if (news === undefined) brain?.line.close();
  try {
    const { process } = call;
    const rung = process === undefined ? [] : await waitForWake(call, process, news);
    return await ringFor(call, ring, rung, news);
  } finally {
    news?.end();
  }
}

/** A session that nobody sits at would only be kept from ending. */
async function newsOf(call: HookCall, brain: BrainAnswer | undefined): Promise<News | undefined> {
  const { cli, workspace } = call;
  const isAttended = process.env["CLAUDE_CODE_ENTRYPOINT"] === "cli";
  if (cli !== "claude" || !isAttended || brain === undefined || workspace === undefined)
    return undefined;
  const { BrainNews } = await import("./brain-news.ts");
  return new BrainNews(workspace, brain, workspace.config.hook_wait_seconds);
}

async function ringFor(
  call: HookCall,
  ring: Ring,
  rung: readonly WakeUp[],
  news: News | undefined,
): Promise<number> {
  const given = news?.came();
  if (rung.length === 0 && given === undefined) return 0;
  const lines = rung.map(({ bell, part, waitedMs }) => wakeLine(bell, part, waitedMs));
  const { text, shown } = fewLines(lines, ownScripts);
  // Remembered first: a CLI whose hook forgets what it said would never be let go.
  rememberRung(call, rung.slice(0, Math.max(shown, 1)));
  const { isHeard, code } = ring(together(text, given?.texts));
  if (!isHeard) return code;
  await given?.printed();
  const announced = rung.slice(0, shown).filter(({ bell }) => bell !== "refused");
  await recordNotified(
    call,
    announced.map(({ part }) => part),
  );
  return code;
}

/** What was only counted rings at the next stop; one line too long for all must end some time. */
function rememberRung({ home, process }: HookCall, rung: readonly WakeUp[]): void {
  if (process === undefined || rung.length === 0) return;
  const memory = readMemory(home, process);
  const news = rung.flatMap(({ bell, part, key }): RemindedRole[] => {
    const { folder, participant } = part;
    const told = remindedOf(memory, part);
    return bell === "refused" ? [] : [{ ...remindedBy(bell, key, told), folder, participant }];
  });
  rememberReminded(home, process, news);
}

/** Puts what the sessions and the brain have to say before the model, and notes that it was said. */
async function tell(call: HookCall, bells: Promise<WakeNotice[]>): Promise<number> {
  const asked = fromBrain(call);
  // Neither of the two is to be silent because the other fails.
  const news = await bells.catch((cause) => {
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
    const parts = news.slice(0, shown).flatMap(({ part }) => part ?? []);
    await recordNotified(call, parts);
    remember(call, parts);
  }
  brain?.line.close();
  return 0;
}

function together(bells: string, texts: readonly string[] = []): string {
  return [bells, ...texts].filter((text) => text !== "").join("\n\n");
}
