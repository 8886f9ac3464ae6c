import { basename, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { existsSync } from "../files/disk.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { placeForNew } from "../session/create-session.ts";
import { nextLine, registerOpener, storeAskedBy } from "../session/init-steps.ts";
import type { Opener, Register } from "../session/kinds.ts";
import { type Place, placeToMake } from "../session/place.ts";
import { standingOf } from "../session/session.ts";
import { common, workspaceMade } from "../session/session-options.ts";
import { rememberSessionHere } from "../session/workspace/sessions-elsewhere.ts";
import { collaborationOptions, termsOf } from "./collaboration-options.ts";
import {
  checkCollaboration,
  finishCollaboration,
  hasProtocol,
  isBegun,
  openCollaboration,
} from "./open-collaboration.ts";

/** How `init` opens a collaboration. */
export const collaborationOpener: Opener = {
  opens: "a collaboration of several (--objective)",
  askedBy: "--objective with --completion a collaboration",
  key: "objective",
  options: [
    { flags: "--objective <text>", text: "collaboration: what it must decide or produce" },
    { ...common.folder, text: "collaboration: where it shall lie (default: .consulta/sessions)" },
    {
      flags: "--resume",
      text: "collaboration: succeed where one exists; finish an init that died",
    },
    ...collaborationOptions,
  ],
  notes: [
    "Example: init --objective 'Agree on the sync API' --completion 'Error codes are listed'",
    "  --participant server --participant reader --folder docs/sync-api",
  ],
  open: initCollaboration,
};

/** Opens a collaboration, or finishes what an init that died has begun. */
async function initCollaboration(args: Arguments, register: Register): Promise<undefined> {
  const now = systemClock.now();
  const objective = args.required("objective");
  const participants = args.many("participant");
  const raw = checkCollaboration({ ...termsOf(args), objective, participants }, now);
  const store = await storeAskedBy(args);
  const place = await placeToBegin(args);
  const stood = hasProtocol(place);
  const exists = args.has("resume") && stood;
  const owner = participants.find((name) => name.trim() !== "")?.trim();
  if (exists && (await isBegun(place))) {
    printBegun(args, place, [`Collaboration folder already exists: ${place.folder}`], owner);
    return undefined;
  }
  const id = basename(place.folder);
  if (store !== undefined && !existsSync(join(place.folder, "events.jsonl"))) {
    if ((await store.begin(place, id)) === undefined) throw store.taken(id);
  }
  const begin = exists
    ? finishCollaboration(place, raw, now)
    : openCollaboration(place, raw, now, args.has("resume"));
  const { session, kept } = await begin.catch((cause: unknown) => {
    // Where somebody else has opened it, the refusal says how to join.
    if (!(cause instanceof ConsultaError) || !stood || exists) throw cause;
    const join = `somebody has begun here, join: ${nextLine(args, place, "YOU")}`;
    throw new ConsultaError(cause.code, `${cause.message}; ${join}`, { cause });
  });
  if (args.has("folder")) await rememberSessionHere(place);
  const standing = standingOf(session);
  await registerOpener(place, standing, register);
  const lines =
    standing.waitSeconds !== 0
      ? [
          `Initialized ACP collaboration folder: ${place.folder}`,
          `state seq: ${session.cursor.seq}`,
        ]
      : [`Initialized ACP schema v2 collaboration folder: ${place.folder}`];
  printErrorLines(...kept.map((path) => `kept ${path}, which was there before`));
  printBegun(args, place, lines, owner);
  const printInvitation = args.has("folder") || args.has("json") ? printErrorLines : printLines;
  printInvitation(...(store?.invitation(id) ?? []));
  return undefined;
}

function printBegun(args: Arguments, place: Place, lines: string[], owner: string | undefined) {
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
  if (folder !== undefined) return placeToMake(folder);
  const workspace = await workspaceMade(args);
  const [id, objective] = [args.one("session"), args.required("objective")];
  return placeForNew(workspace, id, objective);
}
