import { join } from "node:path";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { isRecord } from "../base/json.ts";
import { skillNames } from "../clis/skill-names.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { fileStatus } from "../files/project-file.ts";
import { bundleFile } from "../script/launch.ts";
import { type Diagnosis, fix, jsonObjectAt, note, ok, type Patient, valueIn } from "./diagnosis.ts";
import { differingScript, isKeptByOthers, skillHomes, textAt } from "./pack.ts";

/** One copy of the scripts on this machine. */
interface Copy {
  readonly where: string;
  readonly scripts: string;
  readonly version: string;
  /** What brings it up to date. */
  readonly update: string;
}

/** What is installed where, in which version, and which copy is run. */
export function checkCopies(patient: Patient): Diagnosis[] {
  const copies = copiesOf(patient);
  const broken = brokenLinks(patient);
  if (copies.length === 0) {
    const text =
      "no skills, plugin or extension for a CLI: consult works without, two terminals need them";
    return [...broken, note(text, patient.line("install"))];
  }
  const seen = copies.map((copy) => aboutCopy(copy, patient));
  return [...broken, ...seen, ...rivals(copies), ...missingSkills(patient)];
}

/** A copy that names the running build is compared with it. */
function aboutCopy({ where, scripts, version, update }: Copy, patient: Patient): Diagnosis {
  const isSame = version === versionOf(patient.scripts);
  const other = isSame ? differingScript(patient.scripts, scripts) : undefined;
  if (other === undefined) return ok(`${where}: consulta ${version}`);
  const text = `${where}: ${other} differs from that of consulta ${version}, which it claims to be`;
  return fix(text, `rm -r ${shellWord(scripts)} && ${update}`);
}

/** Copies of different versions: the participants of one session would run different rules. */
function rivals(copies: readonly Copy[]): Diagnosis[] {
  const [first, ...others] = copies;
  if (first === undefined) return [];
  const other = others.find(({ version }) => version !== first.version);
  if (other === undefined) return [];
  const text = `versions differ: ${first.where} has ${first.version} and is the one that skills run`;
  const outdated = others.filter(({ version }) => version !== first.version);
  return outdated.map(({ where, version, update }) =>
    fix(`${text}; ${where} has ${version}`, update),
  );
}

function copiesOf(patient: Patient): Copy[] {
  const { project, home } = patient;
  const places = [
    ...skillHomes.flatMap((folder) => skillCopies(patient, project, folder, "project")),
    ...skillHomes.flatMap((folder) => skillCopies(patient, home, folder, "user")),
    ...pluginCopies(patient),
    ...extensionCopies(patient),
  ];
  // A link and what it leads to are one copy: the first counts and keeps its place, for skills run the first.
  const seen = new Set<string>();
  return places.filter((it) => {
    const real = realpathSync(it.scripts);
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

function skillCopies(patient: Patient, root: string, folder: string, whose: string): Copy[] {
  return skillNames.flatMap((name) => {
    const update =
      whose === "project" && !isKeptByOthers(name, root)
        ? patient.line("install")
        : `npx skills update${whose === "user" ? " -g" : ""}`;
    const scripts = join(root, folder, name, "scripts");
    const where = whose === "project" ? `${folder}/${name} in this project` : `~/${folder}/${name}`;
    return copyAt(where, scripts, update);
  });
}

export function pluginFolders({ home }: Patient): string[] {
  const installed = valueIn(
    jsonObjectAt(join(home, ".claude/plugins/installed_plugins.json")),
    "plugins",
  );
  const entries = Object.entries(isRecord(installed) ? installed : {});
  return entries
    .filter(([name]) => name.startsWith("consulta@"))
    .flatMap(([, list]) => (Array.isArray(list) ? list : [list]))
    .flatMap((it) =>
      typeof valueIn(it, "installPath") === "string" ? [String(valueIn(it, "installPath"))] : [],
    );
}

function pluginCopies(patient: Patient): Copy[] {
  return pluginFolders(patient).flatMap((folder) =>
    copyAt(
      "plugin of Claude Code",
      join(folder, "consulta/scripts"),
      "claude plugin update consulta@consulta",
    ),
  );
}

/** Where the extension is, or would be. */
export function extensionFolder({ home }: Patient): string {
  const folder = join(home, ".gemini/extensions/consulta");
  // A linked extension is a file that names the real place.
  const { source, type } = jsonObjectAt(join(folder, ".gemini-extension-install.json"));
  return type === "link" && typeof source === "string" ? source : folder;
}

function extensionCopies(patient: Patient): Copy[] {
  const root = extensionFolder(patient);
  const scripts = join(root, "skills/consulta/scripts");
  return copyAt("extension of Gemini CLI", scripts, "gemini extensions update consulta");
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

function brokenLinks({ project, home }: Patient): Diagnosis[] {
  const folders = [project, home].flatMap((root) => skillHomes.map((it) => join(root, it)));
  return folders
    .flatMap((folder) => skillNames.map((name) => join(folder, name)))
    .filter((path) => fileStatus(path)?.isSymbolicLink())
    .filter((path) => !existsSync(path))
    .map((path) => fix(`${path} is a link that leads nowhere`, `rm ${shellWord(path)}`));
}

/** Skills without which a slash command of ours would find nothing. */
function missingSkills({ project }: Patient): Diagnosis[] {
  const folders = skillHomes.filter((folder) =>
    skillNames.some((name) => existsSync(join(project, folder, name, "SKILL.md"))),
  );
  return folders.flatMap((folder) => {
    const missing = skillNames.filter((name) => !existsSync(join(project, folder, name)));
    if (missing.length === 0) return [];
    return [note(`${folder} lacks ${missing.join(" and ")}`)];
  });
}
