import { delimiter, isAbsolute, relative } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { statSync } from "../files/disk.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What a command needs to know of the user and the machine; nothing that holds a secret or an option. */
const passed = [
  ...["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA"],
  ...["LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "TEMP", "TMP", "NUMBER_OF_PROCESSORS"],
];

/** The environment of a command that is run for evidence: the same for whoever runs it. */
export function commandEnvironment(outer: Variables, project: string): Record<string, string> {
  const kept = Object.entries(outer).flatMap(([name, value]) =>
    value !== undefined && passed.includes(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  const path = pathOf(outer, project);
  return { ...Object.fromEntries(kept), PATH: path, TERM: "dumb", NO_COLOR: "1", CI: "true" };
}

/** Folders that only the user or the system writes to: an agent may write to the others. */
function pathOf(outer: Variables, project: string): string {
  const folders = (outer["PATH"] ?? outer["Path"] ?? "").split(delimiter);
  return folders
    .filter((it) => isAbsolute(it) && !isBelow(it, project) && isClosed(it))
    .join(delimiter);
}

function isBelow(folder: string, project: string): boolean {
  const way = relative(project, folder);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

function isClosed(folder: string): boolean {
  try {
    const status = statSync(folder, { throwIfNoEntry: false });
    return status !== undefined && (process.platform === "win32" || (status.mode & 0o002) === 0);
  } catch (cause) {
    // What may not be looked at holds no program for us.
    if (!(cause instanceof ConsultaError)) throw cause;
    return false;
  }
}
