import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HookedCli, hookEntries, hookedClis, scriptOfHook } from "../core/hook-entries.ts";
import { isRecord } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";
import { extensionFolder, pluginFolders } from "./check-copies.ts";
import { at, type Diagnosis, fix, note, ok, type Patient, settingsAt } from "./diagnosis.ts";

const names = { claude: "Claude Code", gemini: "Gemini CLI" };
const settingsFiles = {
  claude: [".claude/settings.json", ".claude/settings.local.json"],
  gemini: [".gemini/settings.json"],
};

/** Whether the CLIs call `hook`: from where, how often, and whether what they call is there. */
export function checkHooks(patient: Patient): Diagnosis[] {
  return [...hookedClis.flatMap((cli) => checkHooksOf(patient, cli)), ...lastFailure(patient)];
}

interface Source {
  readonly where: string;
  readonly isSettings: boolean;
  readonly events: readonly string[];
  /** Scripts that are named and not there. */
  readonly missing: readonly string[];
}

function checkHooksOf(patient: Patient, cli: HookedCli): Diagnosis[] {
  const sources = [...settingsSources(patient, cli), ...packagedSources(patient, cli)];
  const who = names[cli];
  if (sources.length === 0) {
    const text = `hooks of ${who}: not active, so nothing wakes it when a colleague writes`;
    return [note(text, patient.line("install", "--hooks"))];
  }
  const faults = sources.flatMap((source) => faultsOf(patient, cli, source));
  if (sources.length > 1) {
    const list = sources.map(({ where }) => where).join(" and ");
    const text = `hooks of ${who} are there twice, and each event would be answered twice: ${list}`;
    faults.push(fix(text, removalOf(patient, sources)));
  }
  if (areOff(patient, cli)) {
    faults.push(fix(`hooks of ${who} are switched off in its settings`, switchesOf[cli]));
  }
  return faults.length > 0 ? faults : [ok(`hooks of ${who}: active, from ${sources[0]?.where}`)];
}

function faultsOf(patient: Patient, cli: HookedCli, source: Source): Diagnosis[] {
  const again = patient.line("install", "--hooks");
  const [gone] = source.missing;
  if (gone !== undefined)
    return [fix(`${source.where}: its hook runs ${gone}, which is not there`, again)];
  const lacking = hookEntries[cli].filter(({ event }) => !source.events.includes(event));
  if (!source.isSettings || lacking.length === 0) return [];
  const events = lacking.map(({ event }) => event).join(", ");
  return [fix(`${source.where}: no hook of ours for ${events}`, again)];
}

function removalOf(patient: Patient, sources: readonly Source[]): string {
  const inUserSettings = sources.find(({ where }) => where.startsWith("~/"));
  if (inUserSettings === undefined) return patient.line("install", "--remove", "--hooks");
  return `take the entries that name hook.cjs out of ${inUserSettings.where}`;
}

const switchesOf = {
  claude: "set disableAllHooks to false in .claude/settings.json or ~/.claude/settings.json",
  gemini: "gemini hooks enable-all",
};

function areOff({ project, home }: Patient, cli: HookedCli): boolean {
  const all = [project, home].flatMap((root) => settingsFiles[cli].map((it) => join(root, it)));
  return all
    .map(settingsAt)
    .some((it) => it["disableAllHooks"] === true || at(it, "hooksConfig", "enabled") === false);
}

function settingsSources(patient: Patient, cli: HookedCli): Source[] {
  const { project, home } = patient;
  const places = settingsFiles[cli].flatMap((path) => [
    { where: path, path: join(project, path) },
    ...(project === home ? [] : [{ where: `~/${path}`, path: join(home, path) }]),
  ]);
  return places.flatMap(({ where, path }) => {
    const found = ownHooks(settingsAt(path)["hooks"]);
    if (found.length === 0) return [];
    const scripts = found.map(({ script }) =>
      script.replace(/^\$(?:CLAUDE|GEMINI)_PROJECT_DIR/, project),
    );
    const missing = [...new Set(scripts)].filter((script) => !existsSync(script));
    return [{ where, isSettings: true, events: found.map(({ event }) => event), missing }];
  });
}

function ownHooks(hooks: unknown): { event: string; script: string }[] {
  return Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : [])
      .flatMap((group: unknown) => at(group, "hooks"))
      .flatMap((hook) => scriptOfHook(hook) ?? [])
      .map((script) => ({ event, script })),
  );
}

function packagedSources(patient: Patient, cli: HookedCli): Source[] {
  const isActive = cli === "claude" ? isPluginActive(patient) : isExtensionActive(patient);
  const where = cli === "claude" ? "the plugin" : "the extension";
  return isActive ? [{ where, isSettings: false, events: [], missing: [] }] : [];
}

function isPluginActive(patient: Patient): boolean {
  const { home, project } = patient;
  const enabled = [home, project]
    .flatMap((root) => settingsFiles.claude.map((path) => join(root, path)))
    .flatMap((path) => Object.entries(Object(at(settingsAt(path), "enabledPlugins"))))
    .some(([name, value]) => name.startsWith("consulta@") && value === true);
  return enabled && pluginFolders(patient).length > 0;
}

function isExtensionActive(patient: Patient): boolean {
  const folder = extensionFolder(patient);
  if (!existsSync(folder)) return false;
  const rules = at(
    settingsAt(join(patient.home, ".gemini/extensions/extension-enablement.json")),
    "consulta",
    "overrides",
  );
  return !(Array.isArray(rules) && rules.includes(`!${patient.home}/*`));
}

/** What the last hook that failed has left; a hook never disturbs its CLI, so nobody else says it. */
function lastFailure({ project }: Patient): Diagnosis[] {
  const path = join(project, ".consulta", "errors", "hook.txt");
  const text = existsSync(path) ? readFileIfPresent(path, limits.messageBytes)?.trim() : undefined;
  if (text === undefined || text === "") return [];
  return [fix(`the last hook that failed: ${text}`, `rm '${path}'`)];
}
