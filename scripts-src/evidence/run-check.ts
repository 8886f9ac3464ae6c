import { delimiter, isAbsolute, join, relative, sep } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { defined } from "../base/omit-undefined.ts";
import { visibleText } from "../base/visible-text.ts";
import { commandOf, findProgram } from "../clis/find-program.ts";
import { realpathSync, statSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { isWithin } from "../files/safe-path.ts";
import { type CheckSpec, evidenceLimits, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, holdsWords, pathIn } from "../protocol/evidence.ts";
import { commandText } from "./consent.ts";
import { repositoryAt } from "./git-state.ts";
import { fileNow } from "./read-cited-file.ts";
import { type Checker, comparedWith, keptParts } from "./record-reading.ts";
import { runCommand } from "./run-command.ts";
import { withoutNetwork } from "./without-network.ts";

/**
 * Runs a command that the user allowed, in the project's root, and records what came out.
 * @throws ConsultaError REFUSED where it is missing, or was stopped before its end: nothing is recorded then.
 */
export async function runCheck(
  { argv }: Extract<CheckSpec, { kind: "run" }>,
  expect: string | undefined,
  checker: Checker,
  signal?: AbortSignal,
): Promise<EvidenceRecord> {
  const project = realpathSync(checker.project);
  const environment = commandEnvironment(process.env, project);
  const program = programOf(argv, environment, project);
  const command = commandOf(program, argv.slice(1));
  const before = filesNow(checker);
  const started = withoutNetwork({ program: command.command, words: command.arguments });
  const ended = await runCommand(started, project, environment, { signal, shell: command.shell });
  const shown = commandText(argv);
  if (ended.kind === "cut") {
    throw refused(`${shown} was cut, nothing is recorded: ${ended.reason}`);
  }
  const output = ended.output.toString("utf8");
  // What the command wrote itself is nothing that it saw.
  const after = filesNow(checker);
  const files = before.map((it) => (after.includes(it) ? it : `wrote ${pathIn(it)}`));
  return {
    kind: "run",
    spec: specText({ kind: "run", argv }),
    ...defined({ expect }),
    met: ended.exit === 0 && (expect === undefined || holdsWords(withoutColours(output), expect)),
    exit: ended.exit,
    ms: ended.ms,
    sha256: sha256(ended.output),
    ...keptParts(output),
    ...checker.git,
    process: checker.process,
    network: started.network,
    ...(files.length > 0 ? { files } : {}),
    ...comparedWith({ kind: "run", argv }, withoutColours(output), checker, expect),
  };
}

/** The first files below the project that differ from the commit, as they are now; what nobody may look at is left out. */
function filesNow({ project, git: { dirty = [] } }: Checker): string[] {
  const start = relative(repositoryAt(project)?.tree ?? project, realpathSync(project));
  return dirty.slice(0, evidenceLimits.dirtyFiles).flatMap((name) => {
    return fileNow(project, relative(start, name).replaceAll(sep, "/")) ?? [];
  });
}

/** Without the escape sequences that colour words in a terminal. */
function withoutColours(output: string): string {
  return output.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
}

/** A name is looked up on PATH; a relative path starts at the project's root. */
function programOf(
  [name = ""]: readonly string[],
  environment: Readonly<Record<string, string>>,
  project: string,
): string {
  const isPath = /[/\\]/.test(name);
  const isAbsolute = name.startsWith("/");
  const found = isAbsolute
    ? findProgram(name, environment)
    : findProgram(isPath ? join(project, name) : name, environment, project);
  if (found !== undefined) return found;
  throw refused(
    `there is no program ${visibleText(JSON.stringify(name))} to run; is it installed and on your PATH?`,
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that a command needs; none of them holds a secret or an option of a program. */
const passed = [
  ...["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA"],
  ...["LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "TEMP", "TMP", "NUMBER_OF_PROCESSORS"],
];

/** The environment of a command that is run for evidence; it does not depend on who runs it. */
function commandEnvironment(outer: Variables, project: string): Record<string, string> {
  const kept = Object.entries(outer).flatMap(([name, value]) =>
    value !== undefined && passed.includes(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  const path = pathOf(outer, project);
  return { ...Object.fromEntries(kept), PATH: path, TERM: "dumb", NO_COLOR: "1", CI: "true" };
}

/** PATH without relative folders and those that an agent may write to: in the project, or writable for all. */
function pathOf(outer: Variables, project: string): string {
  const folders = (outer["PATH"] ?? outer["Path"] ?? "").split(delimiter);
  return folders
    .filter((it) => isAbsolute(it) && !isWithin(it, project) && isProtected(it))
    .join(delimiter);
}

function isProtected(folder: string): boolean {
  try {
    const status = statSync(folder);
    return status !== undefined && (process.platform === "win32" || (status.mode & 0o002) === 0);
  } catch (cause) {
    // A folder that cannot be examined is not searched.
    if (!(cause instanceof ConsultaError)) throw cause;
    return false;
  }
}
