import { join, resolve } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import {
  type HookedCli,
  hookCommand,
  hookedClis,
  hooksOf,
  scriptOfHook,
} from "../clis/hook-entries.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { isHome } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import { extensionFolder, pluginFolders } from "./check-copies.ts";
import {
  type Diagnosis,
  fix,
  jsonObjectAt,
  note,
  ok,
  type Patient,
  settingsFaultAt,
  valueIn,
} from "./diagnosis.ts";
import { holdsHooks, ownCommands } from "./settings-additions.ts";
import { tryHook } from "./try-hook.ts";

const names = { claude: "Claude Code", gemini: "Gemini CLI" };
const settingsFiles = {
  claude: [".claude/settings.json", ".claude/settings.local.json"],
  gemini: [".gemini/settings.json"],
};

/** Whether the CLIs call `hook`: from where, how often, and whether what they call is there. */
export async function checkHooks(patient: Patient): Promise<Diagnosis[]> {
  const found = await Promise.all(hookedClis.map((cli) => checkHooksOf(patient, cli)));
  return [
    ...found.flat(),
    ...lastFailure(patient.project, "hook"),
    ...lastFailure(patient.home, "notify"),
  ];
}

interface Source {
  readonly where: string;
  /** What is wrong with it, with what fixes that. */
  readonly faults: readonly Diagnosis[];
  /** What the CLI runs, and the script in it. */
  readonly command: string;
  readonly script: string;
}

async function checkHooksOf(patient: Patient, cli: HookedCli): Promise<Diagnosis[]> {
  const sources = [...settingsSources(patient, cli), ...packagedSources(patient, cli)];
  const who = names[cli];
  const fileFaults = unreadable(patient, cli);
  if (sources.length === 0 && fileFaults.length > 0) return fileFaults;
  if (sources.length === 0) {
    const text = `hooks of ${who}: not active, so nothing wakes it when a peer writes`;
    return [note(text, patient.line("install", "--hooks"))];
  }
  const faults = [...fileFaults, ...sources.flatMap((source) => source.faults)];
  if (sources.length > 1) {
    const list = sources.map(({ where }) => where).join(" and ");
    const text = `hooks of ${who} are there twice, and each event would be answered twice: ${list}`;
    faults.push(fix(text, removalOf(patient, sources)));
  }
  if (areOff(patient, cli)) {
    faults.push(fix(`hooks of ${who} are switched off in its settings`, switchesOf[cli]));
  }
  const [source] = sources;
  if (faults.length === 0 && source !== undefined)
    faults.push(...(await tryHook(patient, cli, source)));
  if (faults.length > 0) return faults;
  const from = `from ${source?.where}`;
  return [ok(`hooks of ${who}: set up, ${from}; ${cli} runs them once it trusts this folder`)];
}

/** Settings that the CLI itself cannot read; their hooks would seem to be there. */
function unreadable(patient: Patient, cli: HookedCli): Diagnosis[] {
  return placesOf(patient, cli).flatMap(({ where, path }) => {
    const reason = settingsFaultAt(path, cli === "gemini");
    if (reason === undefined) return [];
    return [fix(`${where}: ${reason}, so ${names[cli]} may pass it over`, `fix ${where} by hand`)];
  });
}

function removalOf(patient: Patient, sources: readonly Source[]): string {
  const places = sources.map(({ where }) => where);
  const byHand = places.find((it) => it.startsWith("~/")) ?? places[0];
  // An install into one file of the project takes them out of the other.
  return places.every((it) => it.startsWith("."))
    ? patient.line("install", "--hooks")
    : `take the entries that name hook.cjs out of ${byHand}`;
}

const switchesOf = {
  claude: "set disableAllHooks to false in .claude/settings.json or ~/.claude/settings.json",
  gemini: "gemini hooks enable-all",
};

function areOff({ project, home }: Patient, cli: HookedCli): boolean {
  const all = [project, home].flatMap((root) => settingsFiles[cli].map((it) => join(root, it)));
  return all
    .map(jsonObjectAt)
    .some(
      (it) => it["disableAllHooks"] === true || valueIn(it, "hooksConfig", "enabled") === false,
    );
}

function placesOf({ project, home }: Patient, cli: HookedCli) {
  return settingsFiles[cli].flatMap((path) => [
    ...(isHome(project) ? [] : [{ where: path, path: join(project, path) }]),
    { where: `~/${path}`, path: join(home, path) },
  ]);
}

function settingsSources(patient: Patient, cli: HookedCli): Source[] {
  return placesOf(patient, cli).flatMap(({ where, path }) => {
    const { hooks } = jsonObjectAt(path);
    const [command] = ownCommands(hooks);
    if (command === undefined) return [];
    const script = scriptOfHook({ command }) ?? "";
    const local = where.endsWith(".local.json") ? ["--local"] : [];
    const way = where.startsWith("~/")
      ? `take the entries that name hook.cjs out of ${where}`
      : patient.line("install", "--hooks", ...local);
    const wanted = hooksOf(cli, hookCommand(script.replace(/\/hook\.cjs$/, ""), cli));
    const fault =
      missingScript(patient, where, script) ??
      (holdsHooks(hooks, wanted) ? undefined : "its hooks are not those of this version");
    const faults = fault === undefined ? [] : [fix(`${where}: ${fault}`, way)];
    return [{ where, faults, command, script: placeOf(script, patient) }];
  });
}

function missingScript(patient: Patient, where: string, script: string): string | undefined {
  if (where.startsWith("~/") && /^(?!~)[^/]/.test(script))
    return "its hooks run a script of one project, and fail in every other";
  const place = placeOf(script, patient);
  return existsSync(place) ? undefined : `its hook runs ${place}, which is not there`;
}

/** Where the script of a hook is: a CLI runs hooks in the project, and names it by a variable. */
function placeOf(script: string, { project }: Patient): string {
  return resolve(project, script.replace(/^\$(?:CLAUDE|GEMINI)_PROJECT_DIR/, project));
}

function packagedSources(patient: Patient, cli: HookedCli): Source[] {
  const isActive = cli === "claude" ? isPluginActive(patient) : isExtensionActive(patient);
  if (!isActive) return [];
  const [where, root = "", update] =
    cli === "claude"
      ? ["the plugin", pluginFolders(patient)[0], "claude plugin update consulta@consulta"]
      : [
          "the extension",
          `${extensionFolder(patient)}/skills`,
          "gemini extensions update consulta",
        ];
  const folder = join(root, "consulta/scripts");
  const script = join(folder, "hook.cjs");
  const faults = existsSync(script)
    ? []
    : [fix(`${where}: its hook runs ${script}, which is not there`, update)];
  return [{ where, faults, command: hookCommand(folder, cli), script }];
}

function isPluginActive(patient: Patient): boolean {
  const { home, project } = patient;
  const enabled = [home, project]
    .flatMap((root) => settingsFiles.claude.map((path) => join(root, path)))
    .flatMap((path) => Object.entries(Object(valueIn(jsonObjectAt(path), "enabledPlugins"))))
    .some(([name, value]) => name.startsWith("consulta@") && value === true);
  return enabled && pluginFolders(patient).length > 0;
}

function isExtensionActive(patient: Patient): boolean {
  const folder = extensionFolder(patient);
  if (!existsSync(folder)) return false;
  const rules = valueIn(
    jsonObjectAt(join(patient.home, ".gemini/extensions/extension-enablement.json")),
    "consulta",
    "overrides",
  );
  return !(Array.isArray(rules) && rules.includes(`!${patient.home}/*`));
}

/** What a script that nobody watches kept of its last failure, below the project or the user's home. */
function lastFailure(root: string, what: "hook" | "notify"): Diagnosis[] {
  const folder = join(root, ".consulta", "errors");
  const path = join(folder, `${what}.txt`);
  try {
    safeJoin(root, ".consulta", "errors", `${what}.txt`);
    const text = readFileIfPresent(path, limits.messageBytes)?.trim() ?? "";
    if (text === "") return [];
    const way = `fix what it says, then: rm ${shellWord(path)}`;
    return [fix(`the last ${what} that failed: ${text.slice(0, 500)}`, way)];
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`)];
  }
}
