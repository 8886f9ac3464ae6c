import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { defined } from "../../base/omit-undefined.ts";
import { isUnheard } from "../../protocol/person-step.ts";
import type { Delivery } from "../../protocol/protocol.ts";
import type { Arguments } from "../../script/arguments.ts";
import { systemClock } from "../../script/clock.ts";
import { print, printErrorLines } from "../../script/output.ts";
import { noteDelivery } from "../append.ts";
import type { NextAction } from "../next-action.ts";
import { openSession } from "../open.ts";
import { recordHeard } from "../person-log.ts";
import { placeIn } from "../place.ts";
import { sessionIds } from "../session.ts";
import { commandsFor } from "../session-commands.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { prepareDrafts } from "./draft-files.ts";
import { type Commands, nextActionText } from "./next-action-text.ts";
import { frameNonce } from "./quotation.ts";

/**
 * Prints what `next-action` found, as text for a model or as JSON for a program; then notes in the log that the
 * messages and words are before the participant: a writer that dies in between shows them again. `isWoken`: a hook
 * wakes the participant.
 */
export async function printNextAction(
  args: Arguments,
  next: NextAction,
  isWoken: boolean,
  by: "next-action" | "wait-for-turn",
): Promise<void> {
  const commands = commandsFor(args, next.place, next.participant, next.standing);
  if (!args.has("json")) prepareDrafts(next);
  const isRead = args.has("json")
    ? print(`${JSON.stringify({ ...forProgram(next, commands), isWoken })}\n`)
    : print(nextActionText(next, { ...commands, isWoken }, frameNonce()));
  if (isRead) await tolerate(noteShown(next, by));
}

function forProgram(next: NextAction, commands: Commands) {
  const { standing, guidance, letters, rejected, waiting, opened, colleagues, sent } = next;
  const { documentsIn, words } = next;
  const earlier = next.earlier.map(({ place, ...it }) => {
    return { session: place.id, ...it, report: commands.reportOf(place) };
  });
  const said = words.map(({ seq, at, event, text, isOwn }) => {
    return { seq, at, event, text, own: isOwn };
  });
  return {
    ...{ standing, guidance, letters, colleagues, sent, documentsIn },
    // The others lie in errors/, each with its reason beside it.
    rejected: rejected.slice(0, limits.rejectedTold),
    ...(next.isStray ? { begunHere: false } : {}),
    ...defined({ waiting }),
    ...(said.length > 0 ? { user: said } : {}),
    ...(opened.length > 0 ? { opened } : {}),
    ...(earlier.length > 0 ? { earlier } : {}),
    commands: {
      // A program hands its draft over on standard input and leaves no file.
      moves: guidance.moves.map((move) => commands.run(move, "-")),
      wait: commands.wait,
      report: commands.report,
    },
  };
}

async function noteShown(
  { session, participant, letters }: NextAction,
  by: "next-action" | "wait-for-turn",
): Promise<void> {
  const shown = new Set(letters.map(({ delivery }) => delivery.seq));
  const isShown = ({ seq }: Delivery) => shown.has(seq);
  const noted = await noteDelivery(session, participant, "in_turn", by, systemClock, isShown);
  if (isUnheard(noted.state.user, participant))
    await recordHeard(noted, participant, by, systemClock);
}

/** Notes that files of a participant's inbox were announced to it; those of no session are nothing. */
export async function noteAnnounced(
  workspace: Workspace,
  participant: string,
  files: readonly string[],
): Promise<void> {
  for (const id of sessionIds(workspace)) {
    if (!files.some((file) => file.startsWith(`${id}-`))) continue;
    const isTold = ({ file }: Delivery) => files.includes(file);
    const rung = async () => {
      const session = await openSession(placeIn(workspace, id));
      await noteDelivery(session, participant, "rung", "follow", systemClock, isTold);
    };
    await tolerate(rung());
  }
}

/** A note is for the sender's information: that it cannot be written stops nobody. */
async function tolerate(note: Promise<unknown>): Promise<void> {
  try {
    await note;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    const reason = cause.message;
    printErrorLines(`warning: the peer is not told how far its message came: ${reason}`);
  }
}
