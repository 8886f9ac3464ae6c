import { join, resolve } from "node:path";
import { type Diagnosis, fix, note, ok, type Patient } from "../base/diagnosis.ts";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, isStringArray, valueIn } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { plural } from "../base/plural.ts";
import { shellWord } from "../base/quote-text.ts";
import {
  bellScript,
  cliFacts,
  type SettingsCli,
  scriptsOfHook,
  settingsClis,
} from "../clis/hook-entries.ts";
import { pluginFile, pluginModule, projectScripts } from "../clis/opencode-plugin.ts";
import { skillNames } from "../clis/skill-names.ts";
import { namesIn, readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync, orNothing, realpathSync } from "../files/disk.ts";
import { isHome } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import { bundleFile, launcherFile } from "../script/launch.ts";
import { sessionIds } from "../session/session.ts";
import { isOurs } from "../session/session-list.ts";
import { findWorkspace, isInWorkspace, workspaceFault } from "../session/workspace/workspace.ts";
import {
  isKeptByOthers,
  jsonFileAt,
  jsonObjectAt,
  skillFolders,
  skillHomes,
  textAt,
  updateOf,
} from "./pack.ts";
import { entriesFor, entryLists } from "./permission-rules.ts";
import { pluginAt } from "./plan-plugin.ts";
import { commentsFault, localSettings, settingsFiles } from "./plan-settings.ts";
import { hasOldHooks, ownHooks } from "./settings-text.ts";

/** One copy of the scripts on this machine. */
interface Copy {
  readonly where: string;
  readonly scripts: string;
  readonly version: string;
  /** What brings it up to date. */
  readonly update: string;
}

/** What is installed where, in which version; copies of several versions would run different rules in one session. */
export function checkCopies(patient: Patient): Diagnosis[] {
  const [first, ...others] = copiesOf(patient);
  if (first === undefined) {
    const text =
      "no skills, plugin or extension for a CLI: consult works without, two terminals need them";
    return [note(text, patient.line("install"))];
  }
  const outdated = others.filter(({ version }) => version !== first.version);
  const text = `versions differ: ${first.where} has ${first.version} and is the one that skills run`;
  return [
    ...[first, ...others].map(({ where, version }) => ok(`${where}: consulta ${version}`)),
    ...outdated.map(({ where, version, update }) =>
      fix(`${text}; ${where} has ${version}`, update),
    ),
  ];
}

function copiesOf(patient: Patient): Copy[] {
  const { project, home } = patient;
  const places = [
    ...skillHomes.flatMap((folder) => skillCopies(patient, project, folder, "project")),
    ...skillHomes.flatMap((folder) => skillCopies(patient, home, folder, "user")),
    ...packagesOf(patient).flatMap(({ where, scripts, update }) => copyAt(where, scripts, update)),
  ];
  // A link and what it leads to are one copy: the first counts and keeps its place, for skills run the first.
  return [
    ...new Map(places.reverse().map((it) => [realpathSync(it.scripts), it])).values(),
  ].reverse();
}

function skillCopies(
  patient: Patient,
  root: string,
  folder: string,
  whose: "project" | "user",
): Copy[] {
  return skillNames.flatMap((name) => {
    const isOurs = whose === "project" && !isKeptByOthers(name, root);
    const where = whose === "project" ? `${folder}/${name} in this project` : `~/${folder}/${name}`;
    const scripts = join(root, folder, name, "scripts");
    const shared = join(root, projectScripts);
    // All skills of a project run those of one, which is what `install` brings up to date.
    const isNeeded = scripts === shared || !existsSync(join(shared, bundleFile));
    const update = isNeeded ? patient.line("install") : `rm -r ${shellWord(scripts)}`;
    return copyAt(where, scripts, isOurs ? update : updateOf(name, root, whose));
  });
}

function copyAt(where: string, scripts: string, update: string): Copy[] {
  if (!existsSync(join(scripts, bundleFile))) return [];
  return [{ where, scripts, version: versionOf(scripts), update }];
}

/** The version and the build, which the build writes in front of the bundle. */
export function versionOf(scripts: string): string {
  const head = textAt(join(scripts, bundleFile))?.toString("latin1", 0, 80) ?? "";
  const [, build = "", version] = /^\/\*([0-9a-f]{16}) consulta (\S+)\*\//.exec(head) ?? [];
  return version === undefined
    ? "of an unknown version"
    : `${version} (build ${build.slice(0, 8)})`;
}

/** The plugin and the extension that are there, whose hooks are their own. */
function packagesOf({ home }: Patient) {
  const installed = jsonObjectAt(join(home, ".claude/plugins/installed_plugins.json"))["plugins"];
  const plugins = Object.entries(isRecord(installed) ? installed : {})
    .filter(([name]) => name.startsWith("consulta@"))
    .flatMap(([, list]) => (Array.isArray(list) ? list : [list]))
    .map((it) => valueIn(it, "installPath"))
    .filter((path) => typeof path === "string");
  const folder = join(home, ".gemini/extensions/consulta");
  // A linked extension is a file that names the real place.
  const { source, type } = jsonObjectAt(join(folder, ".gemini-extension-install.json"));
  const extension = type === "link" && typeof source === "string" ? source : folder;
  const ofCodex = join(home, ".codex/plugins/cache/consulta/consulta");
  const [version = ""] = orNothing(() => namesIn(ofCodex))?.slice(-1) ?? [];
  const all = [
    {
      cli: "codex" as const,
      where: "plugin of Codex",
      scripts: join(ofCodex, version, "consulta/scripts"),
      update: "codex plugin marketplace upgrade consulta, then codex plugin add consulta@consulta",
    },
    ...plugins.map((root) => ({
      cli: "claude" as const,
      where: "plugin of Claude Code",
      scripts: join(root, "consulta/scripts"),
      update: "claude plugin update consulta@consulta",
    })),
    {
      cli: "gemini" as const,
      where: "extension of Gemini CLI",
      scripts: join(extension, "skills/consulta/scripts"),
      update: "gemini extensions update consulta",
    },
  ];
  return all.filter(({ scripts }) => existsSync(scripts));
}

/** Whether the CLIs call `hook`: from where, and whether what they call is there. */
export function checkHooks(patient: Patient): Diagnosis[] {
  return [
    ...settingsClis.flatMap((cli) => checkHooksOf(patient, cli)),
    ...checkPlugin(patient),
    ...lastFailure(patient.project, "hook"),
    ...lastFailure(patient.home, "notify"),
  ];
}

/** Whether a CLI has hooks of ours: in its settings, or with a plugin. */
export function hasHooksFor(cli: SettingsCli, patient: Patient): boolean {
  const isThere = settingsOf(patient, cli).some(({ settings }) => ownHooks(settings).length > 0);
  return isThere || packagesOf(patient).some((it) => it.cli === cli);
}

function checkHooksOf(patient: Patient, cli: SettingsCli): Diagnosis[] {
  const who = cliFacts[cli].title;
  const inSettings = settingsOf(patient, cli).flatMap(({ where, settings }) => {
    const [own] = ownHooks(settings);
    const scripts = scriptsOfHook(own?.hook);
    return scripts === undefined ? [] : [{ where, isOld: hasOldHooks(cli, settings), scripts }];
  });
  const packaged = packagesOf(patient).filter((it) => it.cli === cli);
  const sources = [...inSettings, ...packaged].map(({ where }) => where);
  const [source, ...others] = sources;
  if (source === undefined) {
    const text = `hooks of ${who}: not active, so nothing wakes it when a peer writes`;
    const { object, found } = missingIn(patient, cli, text, "--hooks");
    return [ownHooks(object).length > 0 ? fix(...found) : note(...found)];
  }
  const faults = inSettings.flatMap(({ where, scripts, isOld }) => {
    // A CLI runs hooks in the project, and names it by a variable.
    const folder = scripts.replace(/^\$CLAUDE_PROJECT_DIR/, patient.project);
    const paths = [launcherFile, bellScript].map((name) => resolve(patient.project, folder, name));
    const missing = paths.find((path) => !existsSync(path));
    if (missing === undefined && !isOld) return [];
    const gone = `its hook runs ${missing}, which is not there`;
    const text = isOld ? "its hooks are of another version" : gone;
    return [fix(`${where}: ${text}`, patient.line("install", "--hooks"))];
  });
  if (others.length > 0) {
    const text = `hooks of ${who} are there twice, and each event would be answered twice`;
    const way = `take the entries that name bell.sh out of ${source}`;
    faults.push(fix(`${text}: ${sources.join(" and ")}`, way));
  }
  if (faults.length > 0) return faults;
  const trust = `${cli} runs them once it trusts this folder`;
  return [ok(`hooks of ${who}: set up, from ${source}; ${trust}`)];
}

/** What the settings that `install` writes lack, and how to add it: where they have comments, it would not count. */
function missingIn({ project, line }: Patient, cli: SettingsCli, text: string, option: string) {
  const path = settingsFiles.find((it) => it.cli === cli)?.path ?? "";
  const file = jsonFileAt(join(project, path));
  const comments = commentsFault(cli, file.text);
  const command = line("install", option);
  const found: [string, string] =
    comments === undefined
      ? [text, command]
      : [`${text}; ${path}: ${comments}`, `take the comments out, then: ${command}`];
  return { object: file.object, found };
}

/** The same for OpenCode, which calls it by a plugin. */
function checkPlugin({ project, line }: Patient): Diagnosis[] {
  const install = line("install", "--hooks");
  const found = pluginAt(join(project, pluginFile));
  if (found !== "ours")
    return [note("plugin of OpenCode: not there, so nothing wakes it when a peer writes", install)];
  const module = join(project, projectScripts, pluginModule);
  if (!existsSync(module))
    return [fix(`${pluginFile}: it loads ${module}, which is not there`, install)];
  return [ok(`plugin of OpenCode: set up, from ${pluginFile}`)];
}

/** What a CLI's settings hold for it, of the project and of the user; also those that its user does not share. */
function settingsOf({ project, home }: Patient, cli: SettingsCli) {
  const files = [...settingsFiles, localSettings].filter((file) => file.cli === cli);
  const at = (where: string, path: string) => {
    const { text, object } = jsonFileAt(path);
    return { where, settings: commentsFault(cli, text) === undefined ? object : {} };
  };
  return files.flatMap(({ path }) => [
    ...(isHome(project) ? [] : [at(path, join(project, path))]),
    at(`~/${path}`, join(home, path)),
  ]);
}

/** What a script that nobody watches kept of its last failure, below the project or the user's home. */
function lastFailure(root: string, what: "hook" | "notify"): Diagnosis[] {
  const folder = join(root, ".consulta", "errors");
  try {
    const path = safeJoin(root, ".consulta", "errors", `${what}.txt`);
    const text = readFileIfPresent(path, limits.messageBytes)?.trim() ?? "";
    if (text === "") return [];
    const way = `fix what it says, then: rm ${shellWord(path)}`;
    return [fix(`the last ${what} that failed: ${text.slice(0, 500)}`, way)];
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`)];
  }
}

/**
 * Whether the settings of each CLI have the rules that `install` writes, which an unattended agent
 * needs. What rules of the user come to, only the CLI knows.
 */
export function checkPermissions(patient: Patient): Diagnosis[] {
  // What has no list of ours, as Codex, asks for nothing that its sandbox permits.
  return settingsClis
    .filter((cli) => entryLists[cli].path.length > 0)
    .map((cli) => {
      const skills = skillNames.filter((name) =>
        existsSync(join(patient.project, skillFolders[cli], name, "SKILL.md")),
      );
      const present = settingsOf(patient, cli)
        .map(({ settings }) => valueIn(settings, ...entryLists[cli].path))
        .flatMap((rules) => (isStringArray(rules) ? rules : []));
      const isMissing = entriesFor(cli, skills).some((rule) => !present.includes(rule));
      if (skills.length > 0 && !isMissing)
        return ok(`${cliFacts[cli].title} runs the scripts without asking`);
      const text = `${cliFacts[cli].title} asks before it runs a script, unless a rule of yours permits it`;
      const { found } = missingIn(patient, cli, text, "--permissions");
      // Where no skill is in the project there is nothing to permit yet.
      return skills.length === 0 ? note(...found) : fix(...found);
    });
}

/** Whether the workspace can be used; `validate` looks into its sessions. */
export function checkWorkspace({ project, line }: Patient): Diagnosis[] {
  if (!isInWorkspace(project)) return [note("no workspace here yet; init makes one")];
  const fault = workspaceFault(project);
  if (fault !== undefined)
    return [fix(`${fault.reason}: no script uses it, hooks are silent`, fault.remedy)];
  try {
    const workspace = findWorkspace(project);
    const ids = sessionIds(workspace);
    const foreign = ids.filter((id) => !isOurs(workspace, id)).length;
    const foreignText = `${plural(foreign, "session")} not begun here: no hook names what may have come with the project`;
    return [
      ok(`workspace ${workspace.root}: ${ids.length} sessions`),
      ...(foreign === 0 ? [] : [note(foreignText, line("status", "--all"))]),
    ];
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, "fix .consulta/config.json, or remove it for the defaults")];
  }
}
