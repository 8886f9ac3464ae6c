import { basename, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { existsSync } from "../files/disk.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { beginOnStore, takenThere } from "../session/begin-on-store.ts";
import { placeForNew } from "../session/create-session.ts";
import { invitationTo, nextLine, registerOpener, storeAskedBy } from "../session/init-steps.ts";
import type { Register } from "../session/opener.ts";
import { type Place, placeToMake } from "../session/place.ts";
import { openSessionsPrinter } from "../session/session-limit-hint.ts";
import { workspaceMade } from "../session/session-options.ts";
import { rememberSessionHere } from "../session/workspace/grant-session-access.ts";
import { termsGiven, termsOf } from "./collaboration-options.ts";
import {
  type CollaborationOpening,
  checkCollaboration,
  finishCollaboration,
  hasProtocol,
  isBegun,
  openCollaboration,
} from "./open-collaboration.ts";
import { gateOptions } from "./rules/validate-opening.ts";

/** Opens a collaboration, or finishes what an init that died has begun. */
export async function initCollaboration(args: Arguments, register: Register): Promise<undefined> {
  const now = systemClock.now();
  const raw = checkCollaboration(openingFrom(args), now);
  const store = await storeAskedBy(args);
  const place = await placeToBegin(args);
  const exists = args.has("resume") && hasProtocol(place);
  const owner = args
    .many("participant")
    .find((name) => name.trim() !== "")
    ?.trim();
  if (exists && (await isBegun(place))) {
    printBegun(args, place, [`Collaboration folder already exists: ${place.folder}`], owner);
    return undefined;
  }
  const id = basename(place.folder);
  if (store !== undefined && !existsSync(join(place.folder, "events.jsonl"))) {
    if (!(await beginOnStore(store, place, id))) throw takenThere(store, id);
  }
  const { session, kept } = exists
    ? await finishCollaboration(place, raw, now)
    : await openOrPointTo(args, place, raw, now);
  if (args.has("folder")) await rememberSessionHere(place);
  await registerOpener(place, session.machine.standing(), register);
  const isFirst = session.machine.standing().waitSeconds !== 0;
  const lines = isFirst
    ? [`Initialized ACP collaboration folder: ${place.folder}`, `state seq: ${session.cursor.seq}`]
    : [`Initialized ACP schema v2 collaboration folder: ${place.folder}`];
  printErrorLines(...kept.map((path) => `kept ${path}, which was there before`));
  printBegun(args, place, lines, owner);
  const invites = await invitationTo(store, id);
  (args.has("folder") || args.has("json") ? printErrorLines : printLines)(...invites);
  return undefined;
}

/** Opens it; where somebody else has, the refusal says how to join. */
async function openOrPointTo(args: Arguments, place: Place, raw: JsonObject, now: string) {
  const stood = hasProtocol(place);
  try {
    return await openCollaboration(place, raw, now, args.has("resume"));
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || !stood) throw cause;
    const line = nextLine(args, place, "YOU");
    const message = `${cause.message}; somebody has begun here, join: ${line}`;
    throw new ConsultaError(cause.code, message, { cause });
  }
}

function printBegun(
  args: Arguments,
  place: Place,
  lines: string[],
  owner: string | undefined,
): void {
  if (args.has("json")) {
    print(`${JSON.stringify({ session: place.id, folder: place.folder })}\n`);
    return;
  }
  printLines(...lines);
  // With --folder the output is the original's, to the line.
  (args.has("folder") ? printErrorLines : printLines)("next:", nextLine(args, place, owner));
}

async function placeToBegin(args: Arguments): Promise<Place> {
  const folder = args.one("folder");
  if (folder !== undefined) {
    return placeToMake(folder);
  }
  const workspace = await workspaceMade(args);
  return placeForNew(
    workspace,
    args.one("session"),
    args.required("objective"),
    openSessionsPrinter(args),
  );
}

function openingFrom(args: Arguments): CollaborationOpening {
  const objective = args.required("objective");
  const opening = { ...termsOf(args), objective, participants: args.many("participant") };
  const stray = termsGiven(args).find((option) => !gateOptions.has(option));
  if (opening.primary !== undefined || stray === undefined) return opening;
  throw new ConsultaError("REFUSED", `${stray} needs --primary-deliverable-type`);
}
