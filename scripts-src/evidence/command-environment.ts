import { delimiter, isAbsolute } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { statSync } from "../files/disk.ts";
import { isWithin } from "../files/is-within.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that a command needs; none of them holds a secret or an option of a program. */
const passed = [
  ...["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA"],
  ...["LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "TEMP", "TMP", "NUMBER_OF_PROCESSORS"],
];

/** The environment of a command that is run for evidence; it does not depend on who runs it. */
export function commandEnvironment(outer: Variables, project: string): Record<string, string> {
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
    const status = statSync(folder, { throwIfNoEntry: false });
    return status !== undefined && (process.platform === "win32" || (status.mode & 0o002) === 0);
  } catch (cause) {
    // A folder that cannot be examined is not searched.
    if (!(cause instanceof ConsultaError)) throw cause;
    return false;
  }
}
