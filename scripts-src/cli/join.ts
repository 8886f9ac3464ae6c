import { exitCodes } from "../base/errors.ts";
import { inline, quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { plural } from "../base/plural.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { openSession } from "../session/open.ts";
import { placeIn } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import type { Session } from "../session/session.ts";
import {
  common,
  defaultParticipant,
  storeOptions,
  workspaceMade,
} from "../session/session-options.ts";
import { sharedStores } from "../session/shared-stores.ts";
import { registerCli } from "../wake/register-cli.ts";

const spec: ScriptSpec = {
  name: "join",
  summary:
    "Take part, on this machine, in a session that another machine shares over a git remote.",
  positionals: ["<id>"],
  options: [common.participant, common.workspace, ...storeOptions, common.json],
  ownExitCodes: [
    {
      exit: exitCodes.UNAVAILABLE,
      failures: ["UNAVAILABLE"],
      advice:
        "unavailable: the remote is out of reach: run the same command again when it can be reached",
    },
  ],
  notes: [
    "Run it in a clone of the project. Without --store the session is looked for on the remote origin.",
    "Its log and documents are then here as well: all is read from here, also without a network. What you",
    "add goes to the remote first; where that cannot be reached nothing is lost, and the same command",
    "sends it later. Who may push to the remote may write as anybody: see docs/machines.md.",
  ],
};

runInProject(spec, async (args) => {
  const [id = ""] = args.positionals;
  const stores = await sharedStores();
  const store = await stores.choose(args, args.one("store") ?? "git", "send");
  const joined = placeIn(await workspaceMade(args), id);
  const { repeated } = await store.join(joined);
  const session = await openSession(joined);
  const { place, kind, state } = session;
  const standing = kind.standing(state);
  const { topic, participants, seq, hasTurns } = standing;
  const name = args.one("participant") ?? defaultParticipant();
  const participant = name !== undefined && participants.includes(name) ? name : undefined;
  if (participant !== undefined) await registerCli(place, participant, standing);
  else if (hasTurns && args.has("participant")) {
    const given = args.required("participant");
    const hint = nameHint(given, participants, "its participants are");
    printErrorLines(`note: ${quote(given)} is not in session ${place.id}; ${hint}`);
  }
  if (args.has("json")) {
    print(`${JSON.stringify({ session: place.id, folder: place.folder, seq, repeated })}\n`);
    return undefined;
  }
  printLines(
    `${repeated ? "joined before" : "joined"}: session ${place.id}, ${plural(seq, "event")}${topic === "" ? "" : `, about ${inline(topic)}`}`,
    ...(participants.length === 0 ? [] : [`participants: ${participants.join(", ")}`]),
    ...nextLines(args, session, name),
  );
  return undefined;
});

/** What to run next, and in whose name. */
function nextLines(args: Arguments, { place, kind, state }: Session, name: string | undefined) {
  const { hasTurns, participants } = kind.standing(state);
  const isKnown = name !== undefined && participants.includes(name);
  const participant = isKnown || (name !== undefined && !hasTurns) ? name : "NAME";
  const where = { workspace: givenPath(args, "workspace"), session: place.id, participant };
  return [
    participant === "NAME" ? "next, with your name as NAME:" : "next:",
    hasTurns
      ? commandLine("next-action", where)
      : commandLine(isKnown ? "read-all" : "register", {}, [{ path: place.folder }, participant]),
  ];
}
