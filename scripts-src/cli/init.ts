import {
  type CollaborationOpening,
  checkCollaboration,
  finishCollaboration,
  hasProtocol,
  isBegun,
  openCollaboration,
} from "../app/open-collaboration.ts";
import { checkOpening, openSession, placeForNew } from "../app/open-session.ts";
import { type Place, placeToMake } from "../app/place.ts";
import { modes, parseMode } from "../core/config.ts";
import { ConsultaError } from "../core/errors.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { collaborationOptions, termsGiven, termsOf } from "../host/collaboration-options.ts";
import {
  commandLine,
  configOf,
  folderOption,
  jsonOption,
  workspaceMade,
  workspaceOption,
} from "../host/context.ts";
import { log, say, talk } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "init",
  summary:
    "Open a session: a dialogue of two (--topic) or a collaboration of several (--objective).",
  options: [
    { flags: "--topic <text>", text: "dialogue: what is to be decided, in one line" },
    {
      flags: "--participant <name>",
      text: "repeat: the initiator, who owns the proposal, first",
      required: true,
      many: true,
    },
    {
      flags: "--mode <mode>",
      text: `dialogue: ${modes.join(", ")} (default: default_mode of config.json)`,
    },
    { flags: "--objective <text>", text: "collaboration: what it must decide or produce" },
    { ...folderOption, text: "collaboration: where it shall lie (default: .consulta/sessions)" },
    {
      flags: "--resume",
      text: "collaboration: succeed where one exists; finish an init that died",
    },
    ...collaborationOptions,
    {
      flags: "--session <id>",
      text: "name of the session (default: made from the topic or objective)",
    },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "Modes: rapida = strict turns; profondo = no AGREE in round 1, nor without a check of your own;",
    "parallelo = no turns; competitiva = both state their position sealed before either is read.",
    "Example: init --topic 'SQLite or files?' --participant claude --participant gemini",
    "Example: init --objective 'Agree on the sync API' --completion 'Error codes are listed'",
    "  --participant server --participant reader --folder docs/sync-api",
    "Exit 3: --session names a session that exists; join it with next-action.",
  ],
};

runScript(spec, async (args) => {
  const [topic, objective] = [args.one("topic"), args.one("objective")];
  if ((topic === undefined) !== (objective === undefined)) {
    return topic === undefined ? beginCollaboration(args) : openDialogue(args);
  }
  const what = topic === undefined ? "neither --topic nor --objective" : "--topic and --objective";
  throw new ConsultaError(
    "REFUSED",
    `${what} came; --topic opens a dialogue of two, --objective with --completion a collaboration`,
  );
});

async function openDialogue(args: Arguments): Promise<undefined> {
  const participants = args.many("participant");
  const opening = {
    topic: args.required("topic"),
    participants,
    mode: parseMode(args.one("mode")),
    id: args.one("session"),
  };
  checkOpening(configOf(args), opening);
  const workspace = await workspaceMade(args);
  const { place } = await openSession(workspace, {
    ...opening,
    at: systemClock.now(),
    eventId: systemClock.newId(),
    onSwept: (ids) =>
      log(workspace, "info", `removed sessions that ended long ago: ${ids.join(", ")}`),
  });
  if (args.has("json")) {
    say(`${JSON.stringify({ session: place.id, workspace: workspace.root })}\n`);
  } else {
    say(`opened session ${place.id} in ${workspace.root}\n`);
    say(`next:\n${nextLine(args, place, participants[0])}\n`);
  }
  return undefined;
}

async function beginCollaboration(args: Arguments): Promise<undefined> {
  const now = systemClock.now();
  const raw = checkCollaboration(openingFrom(args), now);
  const place = await placeToBegin(args);
  const exists = args.has("resume") && hasProtocol(place);
  const owner = args
    .many("participant")
    .find((name) => name.trim() !== "")
    ?.trim();
  if (exists && (await isBegun(place))) {
    sayBegun(args, place, `Collaboration folder already exists: ${place.folder}`, owner);
    return undefined;
  }
  const { session, kept } = exists
    ? await finishCollaboration(place, now)
    : await openCollaboration(place, raw, now, args.has("resume"));
  const isFirst = session.machine.standing().waitSeconds !== 0;
  const lines = isFirst
    ? `Initialized ACP collaboration folder: ${place.folder}\nstate seq: ${session.cursor.seq}`
    : `Initialized ACP schema v2 collaboration folder: ${place.folder}`;
  for (const path of kept) talk(`kept ${path}, which was there before\n`);
  sayBegun(args, place, lines, owner);
  return undefined;
}

function sayBegun(args: Arguments, place: Place, lines: string, owner: string | undefined): void {
  if (args.has("json")) {
    say(`${JSON.stringify({ session: place.id, folder: place.folder })}\n`);
    return;
  }
  say(`${lines}\n`);
  // With --folder the output is the original's, to the line.
  (args.has("folder") ? talk : say)(`next:\n${nextLine(args, place, owner)}\n`);
}

function nextLine(args: Arguments, place: Place, participant: string | undefined): string {
  const folder = args.one("folder");
  const where =
    folder === undefined ? { workspace: args.one("workspace"), session: place.id } : { folder };
  return commandLine("next-action", { ...where, participant });
}

async function placeToBegin(args: Arguments): Promise<Place> {
  const folder = args.one("folder");
  if (folder !== undefined) return placeToMake(folder);
  return placeForNew(await workspaceMade(args), args.one("session"), args.required("objective"));
}

function openingFrom(args: Arguments): CollaborationOpening {
  const objective = args.required("objective");
  const opening = { ...termsOf(args), objective, participants: args.many("participant") };
  const stray = termsGiven(args).find((option) => option !== "--completion");
  if (opening.primary !== undefined || stray === undefined) return opening;
  throw new ConsultaError("REFUSED", `${stray} needs --primary-deliverable-type`);
}
