import { resolve } from "node:path";
import { refused } from "../base/errors.ts";
import { parseForeignName, parseParticipant } from "../base/names.ts";
import { hostClis } from "../clis/hook-entries.ts";
import { type Config, defaultConfig } from "../protocol/config.ts";
import type { Arguments, OptionSpec } from "../script/arguments.ts";
import {
  findWorkspace,
  isInWorkspace,
  openWorkspace,
  projectFolder,
  type Workspace,
} from "./workspace/workspace.ts";

/** The options that many scripts have. */
export const common = {
  workspace: {
    flags: "--workspace <dir>",
    text: "project folder that holds .consulta (default: this folder or the nearest above)",
  },
  session: { flags: "--session <id>", text: "the session (default: your only open one)" },
  only: { flags: "--session <id>", text: "the session (default: the only one)" },
  participant: {
    flags: "--participant <name>",
    text: "who you are (default: claude in Claude Code, gemini in Gemini CLI, codex in Codex, opencode in OpenCode)",
  },
  folder: {
    flags: "--folder <dir>",
    text: "the session by its folder, wherever it lies: a collaboration with the original's options",
  },
  json: { flags: "--json", text: "print JSON for programs" },
} satisfies Record<string, OptionSpec>;

/** Where else than here a session is kept. */
export const storeOptions: readonly OptionSpec[] = [
  {
    flags: "--store <where>",
    text: "git: shared with other machines over the project's remote origin; git:NAME over another; etcd:NAME over a cluster of your settings; files: kept here (default: store of config.json)",
  },
  { flags: "--public", text: "with --store: also where anybody can read that remote" },
  {
    flags: "--signed",
    text: "with --store: each event proves who sent it, by an ssh key (git) or the cluster's user (etcd)",
  },
];

/** What names a session and who acts in it. */
export const sessionOptions = [common.session, common.folder, common.participant, common.workspace];

export function workspaceOf(args: Arguments): Workspace {
  return findWorkspace(startFolder(args));
}

/** Like `workspaceOf`, but makes a workspace where there is none. */
export function workspaceMade(args: Arguments): Promise<Workspace> {
  return openWorkspace(startFolder(args), args.has("workspace"));
}

/** The config that a workspace has, or would have if it were made now. */
export function configOf(args: Arguments): Config {
  return isWorkspaceThere(args) ? workspaceOf(args).config : defaultConfig;
}

export function isWorkspaceThere(args: Arguments): boolean {
  return isInWorkspace(startFolder(args));
}

/** The project whose remotes a command line means. */
export function projectOf(args: Arguments): string {
  return projectFolder(startFolder(args));
}

function startFolder(args: Arguments): string {
  return resolve(args.one("workspace") ?? process.cwd());
}

/**
 * Who runs this script: the option, else CONSULTA_PARTICIPANT, else the CLI that started it.
 * @throws ConsultaError REFUSED when nothing tells.
 */
export function participantOf(args: Arguments): string {
  const name = args.one("participant") ?? defaultParticipant();
  // The scripts that began a collaboration by its folder may have been others, with other names.
  if (name !== undefined)
    return args.has("folder") ? parseForeignName(name) : parseParticipant(name);
  throw refused("who are you? give --participant NAME, the name you have in the session");
}

/** The name of the caller where no option gives one. */
export function defaultParticipant(): string | undefined {
  return process.env["CONSULTA_PARTICIPANT"] ?? hostClis()[0];
}

/**
 * What a new dialogue requires for consensus.
 * @throws ConsultaError REFUSED for anything but `seen`.
 */
export function requirementOf(args: Arguments): "seen" | undefined {
  const given = args.one("require");
  if (given === undefined || given === "seen") return given;
  throw refused(
    `--require is ${JSON.stringify(given)}, expected seen: every claim seen by both sides`,
  );
}
