import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseForeignName, parseParticipant } from "../base/names.ts";
import { hasStore } from "../remote/store-mark.ts";
import type { Place } from "../session/place.ts";

/**
 * Who takes part and what runs it: the name of a CLI, `me`, `command:LINE`, or `elsewhere` for who
 * takes part in another terminal or on another machine.
 */
export interface ParticipantSpec {
  readonly name: string;
  readonly driver: string;
}

/** Whether this run gives it no turns, and waits for what it says. */
export function isElsewhere({ driver }: ParticipantSpec): boolean {
  return driver === "elsewhere";
}

/** @throws ConsultaError REFUSED where there is nobody to run. */
export function requireLocal(specs: readonly ParticipantSpec[]): void {
  if (specs.length === 0 || !specs.every(isElsewhere)) return;
  throw new ConsultaError(
    "REFUSED",
    `${namesIn(specs)} are all elsewhere, and consult runs somebody: name who is here, as ${specs[0]?.name}=claude`,
  );
}

export const defaultParticipants = "claude=claude,gemini=gemini";

/**
 * Reads `NAME=DRIVER,NAME=DRIVER`. A comma ends an entry only where a new `NAME=` follows, because a
 * shell command may hold commas. A list without any `=` names the drivers themselves.
 * @throws ConsultaError REFUSED when an entry cannot be read.
 */
export function parseParticipants(list: string): ParticipantSpec[] {
  const entries = list.includes("=")
    ? list.split(/,(?=\s*[a-z0-9][a-z0-9._-]*=)/)
    : list.split(",");
  return entries.map((entry) => {
    const [name = "", driver] = cutAt(entry.trim(), entry.trim().indexOf("="));
    return readEntry(entry, parseParticipant(name), driver);
  });
}

/** Who can take part in a new session of a kind: two at least, all different. */
export interface Company {
  readonly max: number;
  /** `a dialogue needs two different participants` */
  readonly rule: string;
  /** What more than `max` can do, after the command that names participants. */
  readonly otherwise?: string;
}

/**
 * The participants of a new session: the named ones, else the default ones.
 * @throws ConsultaError REFUSED when they cannot be read, or cannot take part.
 */
export function newParticipants(
  list: string | undefined,
  { max, rule, otherwise = "" }: Company,
): ParticipantSpec[] {
  const specs = parseParticipants(list ?? defaultParticipants);
  const { size } = new Set(specs.map(({ name }) => name));
  if (size === specs.length && size >= 2 && size <= max) return specs;
  const given = size > limits.collaborationParticipants ? `${size}` : namesIn(specs);
  throw new ConsultaError(
    "REFUSED",
    `${rule}; got ${given}; give them as --participants ${defaultParticipants}${otherwise}`,
  );
}

function namesIn(specs: readonly ParticipantSpec[]): string {
  return specs.map(({ name }) => name).join(", ");
}

function cutAt(entry: string, cut: number): [name: string, driver: string | undefined] {
  return cut < 0 ? [entry, undefined] : [entry.slice(0, cut), entry.slice(cut + 1).trim()];
}

function readEntry(entry: string, name: string, driver = name): ParticipantSpec {
  const [first, ...swallowed] = driver.startsWith("command:") ? [driver] : driver.split(",");
  if (swallowed.length > 0) {
    throw new ConsultaError(
      "REFUSED",
      `${quote(swallowed.join(",").trim())} was read as part of ${name}=${first}: ` +
        "give every entry as NAME=DRIVER, or all as bare names",
    );
  }
  if (driver !== "") return { name, driver };
  throw new ConsultaError(
    "REFUSED",
    `${quote(entry.trim())} names no driver; write ${name}=claude, ${name}=me or ${name}='command:LINE'`,
  );
}

/** The list in the form that `parseParticipants` reads back. */
export function participantsText(specs: readonly ParticipantSpec[]): string {
  return specs.map(({ name, driver }) => `${name}=${driver}`).join(",");
}

/**
 * The specs that run a session that exists: the given ones, which must name its participants, else
 * a CLI for each participant that is named like one.
 * @throws ConsultaError REFUSED when they do not fit.
 */
export function specsForSession(
  list: string | undefined,
  place: Place,
  names: readonly string[],
  clis: ReadonlySet<string>,
): ParticipantSpec[] {
  const specs =
    list === undefined
      ? names.filter((name) => clis.has(name)).map((name) => ({ name, driver: name }))
      : parseKnown(list, names);
  const matched = names.flatMap((name) => specs.filter((spec) => spec.name === name));
  if (matched.length === names.length && specs.length === names.length) return matched;
  throw new ConsultaError(
    "REFUSED",
    `session ${place.id} is between ${names.join(" and ")}; ${sayWhoRuns(names, place)}`,
  );
}

/** What to write where it cannot be told who runs participants: on other machines nobody here does. */
export function sayWhoRuns(names: readonly string[], { folder }: Place): string {
  const list = names.map((name) => `${name}=DRIVER`).join(",");
  const line = `say who runs them: --participants ${list}`;
  return hasStore(folder) ? `${line}, NAME=elsewhere for who is on another machine` : line;
}

/** Like `parseParticipants`, with names that others chose and that may hold anything. */
function parseKnown(list: string, names: readonly string[]): ParticipantSpec[] {
  const known = [...names].sort((one, other) => other.length - one.length);
  const starts = known.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const entries = list.includes("=")
    ? list.split(new RegExp(`,(?=\\s*(?:${starts}|[a-z0-9][a-z0-9._-]*)=)`))
    : list.split(",");
  return entries.map((part) => {
    const entry = part.trim();
    const own = known.find((name) => entry === name || entry.startsWith(`${name}=`));
    const cut = entry.indexOf("=", own?.length ?? 0);
    const [name = "", driver] = cutAt(entry, cut);
    return readEntry(entry, parseForeignName(name), driver);
  });
}
