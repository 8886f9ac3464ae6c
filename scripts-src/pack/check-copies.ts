import { basename, dirname, join } from "node:path";
import { isRecord } from "../base/json.ts";
import { shellWord } from "../base/quote.ts";
import { skillNames } from "../clis/skill-names.ts";
import { existsSync, realpathSync, statSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { fileStatus } from "../files/project-file.ts";
import { type Diagnosis, fix, jsonObjectAt, note, ok, type Patient, valueIn } from "./diagnosis.ts";
import {
  commandFolders,
  differingFile,
  fileAt,
  filesBelow,
  packOf,
  skillHomes,
  textAt,
} from "./pack.ts";

/** One copy of the scripts on this machine. */
interface Copy {
  readonly where: string;
  readonly scripts: string;
  readonly version: string;
  /** What brings it up to date. */
  readonly update: string;
  /** Only of a plugin or an extension: its folder, and the folder of the pack that it is a copy of. */
  readonly whole?: { readonly folder: string; readonly of: string };
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
  const commands = alteredCommands(copies, patient);
  return [...broken, ...seen, ...commands, ...rivals(copies), ...missingSkills(patient)];
}

/** A copy that names the running build is compared with it, file by file. */
function aboutCopy(copy: Copy, patient: Patient): Diagnosis {
  const { where, scripts, version, update } = copy;
  const other = version === versionOf(patient.scripts) ? differenceIn(copy, patient) : undefined;
  if (other === undefined) return ok(`${where}: consulta ${version}`);
  const text = `${where}: ${other} differs from that of consulta ${version}, which it claims to be`;
  // Install keeps a skill that it did not make: the whole folder has to go.
  const skill = dirname(scripts);
  const folder = existsSync(join(skill, "SKILL.md")) ? skill : scripts;
  return fix(text, `rm -r ${shellWord(folder)} && ${update}`);
}

/** The first file of a copy that is not the running pack's: a script, or a text that CLIs act on. */
function differenceIn({ scripts, whole }: Copy, patient: Patient): string | undefined {
  const own = patient.scripts;
  const code = differingScript(own, scripts);
  if (code !== undefined) return code;
  const pack = packOf(join(own, "doctor.cjs"));
  if (whole !== undefined && pack.root !== undefined)
    return differingText(join(pack.root, whole.of), whole.folder, readByClis);
  const skill = pack.skills.get(basename(dirname(scripts)));
  return skill === undefined ? undefined : differingText(skill, dirname(scripts), filesBelow);
}

/** A skill must have all of its scripts and the bundle; each is compared by the hash of this build. */
export function differingScript(own: string, scripts: string): string | undefined {
  const { files } = jsonObjectAt(join(own, "version.json"));
  return Object.entries(isRecord(files) ? files : {}).find(
    ([path, hash]) => hashAt(fileAt(dirname(scripts), `scripts/${path}`)) !== hash,
  )?.[0];
}

/** As the build writes it into `version.json`. */
function hashAt(path: string): string | undefined {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? sha256(textAt(path)).slice(0, 32) : undefined;
}

/** The first file of a copy that differs; a file that is missing has no effect on a CLI. */
function differingText(
  source: string,
  place: string,
  filesOf: (source: string) => string[],
): string | undefined {
  const present = filesOf(source).filter((path) => existsSync(join(place, path)));
  return differingFile(source, place, present);
}

/**
 * The files that CLIs read of an extension, which is a copy of the whole pack, or of a plugin, which is a
 * copy of the pack's `skills`.
 */
function readByClis(root: string): string[] {
  const folders = [...skillNames, ".claude-plugin", "skills", "commands", "hooks"];
  const files = ["gemini-extension.json"].filter((path) => existsSync(join(root, path)));
  return [
    ...files,
    ...folders.flatMap((it) => filesBelow(join(root, it)).map((path) => `${it}/${path}`)),
  ];
}

/** Slash commands of the project that say something else than those of the version that it has. */
function alteredCommands(copies: readonly Copy[], patient: Patient): Diagnosis[] {
  const { project, scripts, line } = patient;
  const { root } = packOf(join(scripts, "doctor.cjs"));
  const isOurs = copies.some(
    (it) => it.scripts.startsWith(join(project, "/")) && it.version === versionOf(scripts),
  );
  if (root === undefined || !isOurs) return [];
  return commandFolders.flatMap((folder) => {
    const other = differingText(join(root, folder), join(project, folder), filesBelow);
    if (other === undefined) return [];
    const path = `${folder}/${other}`;
    const text = `${path} differs from that of consulta ${versionOf(scripts)}`;
    return [fix(text, `rm ${shellWord(join(project, path))} && ${line("install")}`)];
  });
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
      { folder, of: "skills" },
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
  const whole = { folder: root, of: "." };
  return copyAt("extension of Gemini CLI", scripts, "gemini extensions update consulta", whole);
}

function copyAt(where: string, scripts: string, update: string, whole?: Copy["whole"]): Copy[] {
  if (!existsSync(join(scripts, "next-action.cjs"))) return [];
  const copy = { where, scripts, version: versionOf(scripts), update };
  return [whole === undefined ? copy : { ...copy, whole }];
}

/** The version and the build, which tells two states of one version apart. */
export function versionOf(scripts: string): string {
  const { version, build } = jsonObjectAt(join(scripts, "version.json"));
  if (typeof version !== "string" || typeof build !== "string") return "of an unknown version";
  return `${version} (build ${build.slice(0, 8)})`;
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
