import { ConsultaError } from "../base/errors.ts";
import { isSafeName } from "../base/names.ts";
import { ownSettingsFile, readStores } from "../clis/user-settings.ts";
import {
  type AskedStore,
  type ChosenStore,
  chooseStore,
  parseStore,
  sessionsOn,
} from "../remote/choose-store.ts";
import { remoteLimits } from "../remote/limits.ts";
import { sessionsKept } from "../remote/store-entry.ts";
import type { Arguments } from "../script/arguments.ts";
import { readerInClone } from "../script/command-line.ts";
import { joinLine } from "./join-line.ts";
import { ownCommand, refuseBelowCli } from "./refuse-agents.ts";

/**
 * The store that a command line asks for.
 * @throws ConsultaError REFUSED where it may not be used: by an agent only what its user has named.
 */
export async function storeFor(
  args: Arguments,
  text: string,
  project: string,
  purpose: "send" | "config" | "look" = "send",
): Promise<ChosenStore> {
  const asked = parseStore(text);
  if (purpose === "config" && !(await isOwnName(asked))) throw notNamed(text);
  if (purpose !== "look" && !(await isOwnName(asked)))
    await refuseBelowCli(sharing(args), wayToShare(asked));
  if (args.has("public")) await refuseBelowCli("--public lets anybody read a session");
  const isPublicWanted = purpose === "look" || args.has("public");
  return chooseStore(asked, project, { isPublicWanted, isSigned: args.has("signed") });
}

function sharing(args: Arguments): string {
  return `${args.has("store") ? "--store" : "the remote origin"} shares a session with all who can read there`;
}

/** What the user does once, in place of what an agent may not; the command is last, so that it can be copied. */
function wayToShare({ store }: AskedStore): string {
  const named = `name it in ${ownSettingsFile} (stores: {NAME: ADDRESS}), after which you give --store ${store}:NAME`;
  return `ask your user to ${named}, or to run this in a terminal: ${ownCommand()}`;
}

/** A project's config may have come with a clone: it sends nothing anywhere that its user did not name. */
function notNamed(text: string): ConsultaError {
  const [, name = text] = text.split(":");
  const reason = `this project keeps its sessions on ${text} (store in .consulta/config.json), which ${ownSettingsFile} does not name`;
  const way = `name ${name} there, under stores:, as in docs/machines.md, or give --store files to keep this one here`;
  return new ConsultaError("REFUSED", `${reason}: ${way}`);
}

/** Whether the user gave the store a name of their own, and with it leave to use it. */
async function isOwnName({ store, name }: AskedStore): Promise<boolean> {
  return Object.hasOwn((await readStores(process.env))[store], name);
}

/**
 * The sessions of a store that are neither in a workspace nor in a folder of their own elsewhere, each with the
 * line that brings it here.
 */
export async function notJoined(
  store: ChosenStore,
  inWorkspace: readonly string[],
): Promise<{ id: string; join: string }[]> {
  const here = [...inWorkspace, ...sessionsKept(store)];
  const others = (await sessionsOn(store)).filter((id) => isSafeName(id) && !here.includes(id));
  return others
    .slice(0, remoteLimits.sessionsTold)
    .map((id) => ({ id, join: joinLine(store, id) }));
}

/** The line that brings another machine into a session. */
export function invitation(store: ChosenStore, id: string): string[] {
  return [
    "on another machine, in a clone of the project:",
    joinLine(store, id, readerInClone(store.project)),
  ];
}
