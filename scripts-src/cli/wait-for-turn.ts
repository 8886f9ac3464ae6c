import { resolve } from "node:path";
import { exitCodes, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseSessionId } from "../base/names.ts";
import { cliProcess, isInCli } from "../clis/cli-process.ts";
import { type Config, defaultConfig } from "../protocol/config.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { printLines } from "../script/output.ts";
import { inboxOf } from "../session/inbox/mailbox.ts";
import { followInbox, waitForMessage } from "../session/inbox/watch-inbox.ts";
import { openSession } from "../session/open.ts";
import { type Place, placeIn } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { attemptOption, retryLine } from "../session/session-commands.ts";
import { common, participantOf, storeOptions, workspaceMade } from "../session/session-options.ts";
import { sharedStores } from "../session/shared-stores.ts";
import { noteAnnounced } from "../session/text/print-next-action.ts";
import { presencePath } from "../session/waiting/presence.ts";
import { folderAsked } from "../session/which-session.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { registerCli } from "../wake/register-cli.ts";
import { waitInSession, waitInWorkspace } from "../wake/wait-for-turn.ts";

const spec: ScriptSpec = {
  name: "wait-for-turn",
  summary:
    "Block until you have the turn or the session has ended, then print what next-action prints.",
  options: [
    { flags: "--session <id>", text: "the session (default: any in which you get the turn)" },
    common.folder,
    common.participant,
    {
      flags: "--timeout <seconds>",
      text: "0 waits without limit (default: message_timeout_seconds; with --folder 1800, schema 2: 0)",
    },
    {
      flags: "--follow",
      text: `for a Monitor tool: print NEW:<file> for every message, after ${limits.followSeconds} s AGAIN:<line to run>`,
    },
    {
      flags: "--inbox <dir>",
      text: "wait for a file in this inbox alone and print its name, or TIMEOUT",
    },
    { flags: "--presence <file>", text: "with --inbox: the presence file to keep, NAME.ready" },
    {
      flags: "--interval <seconds>",
      text: "how often to look where the system tells of no changes",
    },
    attemptOption,
    common.workspace,
    ...storeOptions,
    common.json,
  ],
  ownExitCodes: [
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "not yet: the time is up; run the line that it prints",
    },
  ],
  waits: true,
  notes: [
    "Mail that came before the wait began is announced at once. While it waits, your peer sees",
    "you as present. With --session and --store a session that is not here yet is joined first.",
  ],
};

runInProject(spec, async (args) => {
  const inbox = args.one("inbox");
  if (inbox !== undefined) return watchInbox(args, resolve(inbox));
  const participant = participantOf(args);
  const folder = folderAsked(args);
  if (folder !== undefined) return waitAt(args, folder, participant);
  const workspace = await workspaceMade(args);
  if (args.has("follow")) return followOwn(args, workspace, participant);
  const id = args.one("session");
  if (args.has("store")) await joinFirst(args, workspace, id);
  if (id !== undefined) return waitAt(args, placeIn(workspace, parseSessionId(id)), participant);
  const { config } = workspace;
  const patience = patienceOf(args, config, config.message_timeout_seconds);
  return waitInWorkspace(args, workspace, participant, patience);
});

/** Joins the session of --store before the wait, so that an invitation is one command. */
async function joinFirst(
  args: Arguments,
  workspace: Workspace,
  id: string | undefined,
): Promise<void> {
  if (id === undefined) throw refused("--store needs --session ID to join");
  const store = await (await sharedStores()).choose(args, args.required("store"), "send");
  await store.join(placeIn(workspace, id));
}

/** Waits for one session, as long as its kind has it unless the command line says. */
async function waitAt(args: Arguments, place: Place, participant: string): Promise<number> {
  if (args.has("follow")) {
    throw refused("--follow announces messages, which a folder has none of; leave it out");
  }
  const session = await openSession(place);
  const standing = standingOf(session);
  const { waitSeconds, hasTurns, participants } = standing;
  if (!hasTurns) {
    const way = "wait with poll DIR NAME --wait";
    throw refused(`nobody has a turn on a board of findings; ${way}`);
  }
  if (participants.includes(participant)) await registerCli(place, participant, standing);
  const seconds = waitSeconds ?? place.config.message_timeout_seconds;
  return waitInSession(args, session, participant, patienceOf(args, place.config, seconds));
}

/** Announces messages until the time is up, then says how to go on: a Monitor tool has a limit. */
async function followOwn(
  args: Arguments,
  workspace: Workspace,
  participant: string,
): Promise<number> {
  const retryCommand = retryLine(args, participant);
  const watch = {
    ...watchOf(args, workspace.config, limits.followSeconds),
    inbox: inboxOf(workspace, participant),
    presence: presencePath({ folder: workspace.root, workspace }, participant),
    cli: isInCli() ? await cliProcess() : undefined,
  };
  const code = await followInbox(watch, (files) => noteAnnounced(workspace, participant, files));
  if (code === exitCodes.NOT_YET) printLines(`AGAIN:${retryCommand}`);
  return code;
}

/** Stands in for ConsultaSkill's watchers, which know an inbox and no workspace. */
function watchInbox(args: Arguments, inbox: string): Promise<number> {
  const presence = args.one("presence");
  // The file is replaced and in the end removed: it must be one that nobody keeps anything in.
  if (presence?.endsWith(".ready") === false) {
    throw refused(`--presence is ${quote(presence)}, expected a file named NAME.ready`);
  }
  const seconds = args.has("follow") ? 0 : defaultConfig.message_timeout_seconds;
  const watch = {
    ...watchOf(args, defaultConfig, seconds),
    inbox,
    presence: presence === undefined ? undefined : resolve(presence),
  };
  return args.has("follow") ? followInbox(watch) : waitForMessage(watch);
}

function watchOf(args: Arguments, config: Config, timeoutSeconds: number) {
  const heartbeatMs = config.heartbeat_seconds * 1_000;
  return { session: args.one("session"), ...patienceOf(args, config, timeoutSeconds), heartbeatMs };
}

/** The original looks ten times a second at most, whatever the command line says. */
const intervalMsMin = 100;

function patienceOf(args: Arguments, config: Config, timeoutSeconds: number) {
  const interval = millisecondsOf(args, "interval", config.polling_interval_seconds) ?? 0;
  return {
    timeoutMs: millisecondsOf(args, "timeout", timeoutSeconds),
    pollIntervalMs: Math.max(interval, intervalMsMin),
  };
}

/** The milliseconds of an option in seconds; undefined for 0, which means without limit. */
function millisecondsOf(args: Arguments, name: string, fallback: number): number | undefined {
  const given = args.one(name);
  const seconds = given === undefined ? fallback : Number(given);
  if (given?.trim() === "" || !Number.isFinite(seconds) || seconds < 0)
    throw refused(`--${name} is ${given}, expected seconds, 0 or more`);
  return seconds === 0 ? undefined : seconds * 1_000;
}
