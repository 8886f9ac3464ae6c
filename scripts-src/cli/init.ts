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
import { ConsultaError, exitCodes } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Standing } from "../core/protocol.ts";
import { type Arguments, nameOf, type ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { collaborationOptions, termsGiven, termsOf } from "../host/collaboration-options.ts";
import {
  commandLine,
  configOf,
  folderOption,
  jsonOption,
  usualParticipant,
  workspaceMade,
  workspaceOption,
} from "../host/context.ts";
import { refuseFarPlace, refuseHiddenPlace } from "../host/for-people.ts";
import { fullTalk } from "../host/full-talk.ts";
import { sessionAt } from "../host/named-places.ts";
import { notePlaceHere } from "../host/note-place.ts";
import { log, say, sayLines, talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";
import { takeSeatHere } from "../host/take-seat.ts";

/** Seed 004: the usage errors of a board are 1. */
const usageOfBoards = 1;

const spec: ScriptSpec = {
  name: "init",
  summary:
    "Open a session: a dialogue of two (--topic), a collaboration of several (--objective), or a " +
    "board where agents pool findings (DIR AGENTS [TIMEOUT]).",
  positionals: ["[dir]", "[agents]", "[timeout]"],
  options: [
    { flags: "--topic <text>", text: "dialogue: what is to be decided, in one line" },
    {
      flags: "--participant <name>",
      text: "dialogue, collaboration, repeat: the initiator, who owns the proposal, first",
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
    {
      flags: "--strict",
      text: "collaboration: reject what breaks the seed's rules that the originals do not check",
    },
    ...collaborationOptions,
    { flags: "--about <text>", text: "board: what the findings are about, in one line" },
    {
      flags: "--session <id>",
      text: "name of the session (default: made from the topic or objective)",
    },
    workspaceOption,
    jsonOption,
  ],
  ownExitCodes: [
    {
      exit: usageOfBoards,
      failures: [],
      advice: "wrong usage: a board's directory came without the number of agents",
    },
    {
      exit: exitCodes.EXISTS,
      failures: ["EXISTS"],
      advice: "exists: join a session with next-action, a board with register",
    },
  ],
  notes: [
    "Modes: rapida = strict turns; profondo = no AGREE in round 1, nor without a check of your own;",
    "parallelo = no turns; competitiva = both state their position sealed before either is read.",
    "Example: init --topic 'SQLite or files?' --participant claude --participant gemini",
    "Example: init --objective 'Agree on the sync API' --completion 'Error codes are listed'",
    "  --participant server --participant reader --folder docs/sync-api",
    "Example: init /tmp/flaky-login 3 600 --about 'Why does the login test fail?'",
    `AGENTS is how many take part, 1 to ${limits.boardAgents}; TIMEOUT the seconds from the first registration to the`,
    `deadline, 0 to ${limits.boardTimeoutSecondsMax} (default: ${limits.boardTimeoutSeconds}).`,
  ],
};

runScript(spec, (args) => (args.positionals.length > 0 ? beginBoard(args) : openSessionOf(args)));

async function openSessionOf(args: Arguments): Promise<undefined> {
  const [topic, objective] = [args.one("topic"), args.one("objective")];
  if ((topic === undefined) !== (objective === undefined)) {
    return topic === undefined ? beginCollaboration(args) : openDialogue(args);
  }
  const what = topic === undefined ? "neither --topic nor --objective" : "--topic and --objective";
  throw new ConsultaError(
    "REFUSED",
    `${what} came; --topic opens a dialogue of two, --objective with --completion a collaboration, ` +
      "DIR AGENTS a board of findings",
  );
}

async function beginBoard(args: Arguments): Promise<number> {
  const [dir = "", agents, timeout] = args.positionals;
  refuseStray(args, dir);
  if (agents === undefined) {
    talkLines(`error: init ${dir} lacks the number of agents: init DIR AGENTS [TIMEOUT]`);
    return usageOfBoards;
  }
  await checkBoardPlace(dir);
  const { openBoard, parseTerms } = await import("../app/open-board.ts");
  const terms = parseTerms(agents, timeout, args.one("about") ?? "");
  const { place, existed } = await openBoard(dir, terms, systemClock);
  await notePlaceHere(place);
  const made = [
    `Consultation initialized at: ${dir}`,
    `Expected agents: ${terms.expectedAgents}`,
    `Timeout: ${terms.timeoutSeconds}s`,
  ];
  if (args.has("json")) say(`${JSON.stringify({ folder: place.folder, existed })}\n`);
  else sayLines(...(existed ? [`Already initialized: ${dir}`] : made));
  talkLines("next, with a name of your own:", commandLine("register", {}, [dir, "NAME"]));
  return existed ? exitCodes.EXISTS : exitCodes.OK;
}

/** A new board may lie anywhere: the CLI asks its user, who then lets all agents use it. */
async function checkBoardPlace(dir: string): Promise<void> {
  const place = sessionAt(dir);
  if (place.isNew) await refuseHiddenPlace(place.path);
  else await refuseFarPlace(place);
}

function refuseStray(args: Arguments, dir: string): void {
  const own = ["about", "json"];
  const stray = spec.options.map(nameOf).find((name) => args.has(name) && !own.includes(name));
  if (stray === undefined) return;
  throw new ConsultaError(
    "REFUSED",
    `--${stray} does not belong to a board of findings; leave it out, or leave out ${dir}`,
  );
}

async function openDialogue(args: Arguments): Promise<undefined> {
  const participants = args.many("participant");
  refuseAbout(args);
  if (args.has("strict"))
    throw new ConsultaError("REFUSED", "--strict belongs to a collaboration; leave it out");
  const opening = {
    topic: args.required("topic"),
    participants,
    mode: parseMode(args.one("mode")),
    id: args.one("session"),
  };
  checkOpening(configOf(args), opening);
  const workspace = await workspaceMade(args);
  const { place, machine } = await openSession(workspace, {
    ...opening,
    at: systemClock.now(),
    eventId: systemClock.newId(),
    onSwept: (ids) =>
      log(workspace, "info", `removed sessions that ended long ago: ${ids.join(", ")}`),
    onSameTopic: (ids) => talkLines(...sameTopicLines(args, ids, participants[0])),
    onFull: fullTalk(args),
  });
  await takeOwnSeat(place, machine.standing());
  if (args.has("json")) {
    say(`${JSON.stringify({ session: place.id, workspace: workspace.root })}\n`);
  } else {
    sayLines(
      `opened session ${place.id} in ${workspace.root}`,
      "next:",
      nextLine(args, place, participants[0]),
    );
  }
  return undefined;
}

function sameTopicLines(args: Arguments, ids: string[], participant: string | undefined): string[] {
  const workspace = args.one("workspace");
  return ids.map((session) => {
    const line = commandLine("next-action", { workspace, session, participant });
    return `note: ${session} has the same topic and is open; to join it: ${line}`;
  });
}

/** Whoever opens a session for others to play takes no seat in it. */
async function takeOwnSeat(place: Place, standing: Standing): Promise<void> {
  const name = usualParticipant();
  if (name !== undefined && standing.participants.includes(name))
    await takeSeatHere(place, name, standing);
}

function refuseAbout(args: Arguments): void {
  if (!args.has("about")) return;
  throw new ConsultaError("REFUSED", "--about belongs to a board of findings; leave it out");
}

async function beginCollaboration(args: Arguments): Promise<undefined> {
  refuseAbout(args);
  const now = systemClock.now();
  const raw = checkCollaboration(openingFrom(args), now);
  const place = await placeToBegin(args);
  const exists = args.has("resume") && hasProtocol(place);
  const owner = args
    .many("participant")
    .find((name) => name.trim() !== "")
    ?.trim();
  if (exists && (await isBegun(place))) {
    sayBegun(args, place, [`Collaboration folder already exists: ${place.folder}`], owner);
    return undefined;
  }
  const { session, kept } = exists
    ? await finishCollaboration(place, raw, now)
    : await openOrPointTo(args, place, raw, now);
  if (args.has("folder")) await notePlaceHere(place);
  await takeOwnSeat(place, session.machine.standing());
  const isFirst = session.machine.standing().waitSeconds !== 0;
  const lines = isFirst
    ? [`Initialized ACP collaboration folder: ${place.folder}`, `state seq: ${session.cursor.seq}`]
    : [`Initialized ACP schema v2 collaboration folder: ${place.folder}`];
  talkLines(...kept.map((path) => `kept ${path}, which was there before`));
  sayBegun(args, place, lines, owner);
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

function sayBegun(args: Arguments, place: Place, lines: string[], owner: string | undefined): void {
  if (args.has("json")) {
    say(`${JSON.stringify({ session: place.id, folder: place.folder })}\n`);
    return;
  }
  sayLines(...lines);
  // With --folder the output is the original's, to the line.
  (args.has("folder") ? talkLines : sayLines)("next:", nextLine(args, place, owner));
}

function nextLine(args: Arguments, place: Place, participant: string | undefined): string {
  const folder = args.one("folder");
  const where =
    folder === undefined ? { workspace: args.one("workspace"), session: place.id } : { folder };
  return commandLine("next-action", { ...where, participant });
}

async function placeToBegin(args: Arguments): Promise<Place> {
  const folder = args.one("folder");
  if (folder !== undefined) {
    return placeToMake(folder);
  }
  const workspace = await workspaceMade(args);
  return placeForNew(workspace, args.one("session"), args.required("objective"), fullTalk(args));
}

function openingFrom(args: Arguments): CollaborationOpening {
  const objective = args.required("objective");
  const given = { objective, participants: args.many("participant"), strict: args.has("strict") };
  const opening = { ...termsOf(args), ...given };
  const stray = termsGiven(args).find((option) => option !== "--completion");
  if (opening.primary !== undefined || stray === undefined) return opening;
  throw new ConsultaError("REFUSED", `${stray} needs --primary-deliverable-type`);
}
