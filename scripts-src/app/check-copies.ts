import { dirname, join } from "node:path";
import { isRecord } from "../core/json.ts";
import { skillNames } from "../core/skill-names.ts";
import { existsSync, realpathSync } from "../store/disk.ts";
import { statusOf } from "../store/project-file.ts";
import { at, type Diagnosis, fix, note, ok, type Patient, settingsAt } from "./diagnosis.ts";
import { differingFile, filesBelow, skillHomes } from "./pack.ts";

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
    const text = "no copy for a CLI: neither skills nor a plugin or extension";
    return [...broken, fix(text, patient.line("install"))];
  }
  const seen = copies.map((copy) => aboutCopy(copy, patient));
  return [...broken, ...seen, ...rivals(copies), ...missingSkills(patient)];
}

/** A copy's own word for its build is not believed where the running build can tell. */
function aboutCopy({ where, scripts, version, update }: Copy, patient: Patient): Diagnosis {
  const own = patient.scripts;
  const code = filesBelow(own).filter((path) => path.endsWith(".cjs"));
  const other = version === versionOf(own) ? differingFile(own, scripts, code) : undefined;
  if (other === undefined) return ok(`${where}: consulta ${version}`);
  const text = `${where}: ${other} differs from that of consulta ${version}, which it claims to be`;
  // Install keeps a skill that it did not make: the whole folder has to go.
  const skill = dirname(scripts);
  const folder = existsSync(join(skill, "SKILL.md")) ? skill : scripts;
  return fix(text, `rm -r '${folder}' && ${update}`);
}

/** Copies that differ: a session then speaks with two tongues. */
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
    ...own(patient, ".consulta/scripts in this project", join(project, ".consulta/scripts")),
    ...skillHomes.flatMap((folder) => skillCopies(patient, home, folder, "user")),
    ...pluginCopies(patient),
    ...extensionCopies(patient),
  ];
  // A link and what it leads to are one copy.
  return [
    ...new Map([...places].reverse().map((it) => [realpathSync(it.scripts), it])).values(),
  ].reverse();
}

function skillCopies(patient: Patient, root: string, folder: string, whose: string): Copy[] {
  const update =
    whose === "project" && !existsSync(join(root, "skills-lock.json"))
      ? patient.line("install")
      : `npx skills update${whose === "user" ? " -g" : ""}`;
  return skillNames.flatMap((name) => {
    const scripts = join(root, folder, name, "scripts");
    const where = whose === "project" ? `${folder}/${name} in this project` : `~/${folder}/${name}`;
    return copyAt(where, scripts, update);
  });
}

function own(patient: Patient, where: string, scripts: string): Copy[] {
  return copyAt(where, scripts, `cp -R ${patient.scripts}/. .consulta/scripts/`);
}

export function pluginFolders({ home }: Patient): string[] {
  const installed = at(settingsAt(join(home, ".claude/plugins/installed_plugins.json")), "plugins");
  const entries = Object.entries(isRecord(installed) ? installed : {});
  return entries
    .filter(([name]) => name.startsWith("consulta@"))
    .flatMap(([, list]) => (Array.isArray(list) ? list : [list]))
    .flatMap((it) =>
      typeof at(it, "installPath") === "string" ? [String(at(it, "installPath"))] : [],
    );
}

function pluginCopies(patient: Patient): Copy[] {
  return pluginFolders(patient).flatMap((folder) =>
    copyAt(
      "plugin of Claude Code",
      join(folder, "skills/consulta/scripts"),
      "claude plugin update consulta@consulta",
    ),
  );
}

export function extensionFolder({ home }: Patient): string {
  return join(home, ".gemini/extensions/consulta");
}

function extensionCopies(patient: Patient): Copy[] {
  const folder = extensionFolder(patient);
  // A linked extension is a file that names the real place.
  const linked = at(settingsAt(join(folder, ".gemini-extension-install.json")), "source");
  const type = at(settingsAt(join(folder, ".gemini-extension-install.json")), "type");
  const root = type === "link" && typeof linked === "string" ? linked : folder;
  const scripts = join(root, "skills/consulta/scripts");
  return copyAt("extension of Gemini CLI", scripts, "gemini extensions update consulta");
}

function copyAt(where: string, scripts: string, update: string): Copy[] {
  if (!existsSync(join(scripts, "next-action.cjs"))) return [];
  return [{ where, scripts, version: versionOf(scripts), update }];
}

/** The version and the build, which tells two states of one version apart. */
export function versionOf(scripts: string): string {
  const { version, build } = settingsAt(join(scripts, "version.json"));
  if (typeof version !== "string" || typeof build !== "string")
    return "of an unknown, older version";
  return `${version} (build ${build.slice(0, 8)})`;
}

function brokenLinks({ project, home }: Patient): Diagnosis[] {
  const folders = [project, home].flatMap((root) => skillHomes.map((it) => join(root, it)));
  return folders
    .flatMap((folder) => skillNames.map((name) => join(folder, name)))
    .filter((path) => statusOf(path)?.isSymbolicLink())
    .filter((path) => !existsSync(path))
    .map((path) => fix(`${path} is a link that leads nowhere`, `rm '${path}'`));
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
