import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseForeignName, parseParticipant } from "../base/names.ts";
import { hasStore } from "../remote/store-mark.ts";
import type { Place } from "../session/place.ts";

/**
 * Who takes part and what runs it: the name of a CLI, `me`, `rehearsal`, `command:LINE`, or `elsewhere` for
 * who takes part in another terminal or on another machine.
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
 * shell command may hold commas. A list without any `=` names the drivers themselves or, in a
 * rehearsal, the scripted colleagues.
 * @throws ConsultaError REFUSED when an entry cannot be read, or names a real driver in a rehearsal.
 */
export function parseParticipants(list: string, rehearse: boolean): ParticipantSpec[] {
  const entries = list.includes("=")
    ? list.split(/,(?=\s*[a-z0-9][a-z0-9._-]*=)/)
    : list.split(",");
  const specs = entries.map((entry) => {
    const [name = "", driver] = cutAt(entry.trim(), entry.trim().indexOf("="));
    return readEntry(entry, parseParticipant(name), driver, rehearse);
  });
  if (rehearse) requireScripted(specs);
  return specs;
}

/** A user who rehearses wants to be sure that no model is asked and nothing is spent. */
function requireScripted(specs: readonly ParticipantSpec[]): void {
  const real = specs.find(({ driver }) => driver !== "rehearsal");
  if (real === undefined) return;
  const names = specs.map(({ name }) => name).join(",");
  throw new ConsultaError(
    "REFUSED",
    `--rehearse runs scripts only; got ${real.name}=${real.driver}; ` +
      `leave out --participants, or give names alone: ${names}`,
  );
}

/** Who can take part in a new session of a kind: two at least, all different. */
export interface Company {
  readonly max: number;
  /** `a dialogue needs two different participants` */
  readonly rule: string;
  /** What more than `max` can do, after the command that names participants. */
  readonly otherwise?: string;
  /** The participants of a rehearsal where none are named. */
  readonly rehearsed: string;
}

/**
 * The participants of a new session: the named ones, else the default ones.
 * @throws ConsultaError REFUSED when they cannot be read, or cannot take part.
 */
export function newParticipants(
  {
    participants,
    rehearse,
  }: { readonly participants: string | undefined; readonly rehearse: boolean },
  { max, rule, otherwise = "", rehearsed }: Company,
): ParticipantSpec[] {
  const specs = parseParticipants(
    participants ?? (rehearse ? rehearsed : defaultParticipants),
    rehearse,
  );
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

function readEntry(
  entry: string,
  name: string,
  given: string | undefined,
  rehearse: boolean,
): ParticipantSpec {
  const driver = given ?? (rehearse ? "rehearsal" : name);
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
  rehearse: boolean,
  place: Place,
  names: readonly string[],
  clis: ReadonlySet<string>,
): ParticipantSpec[] {
  const usual = names.map((name) => ({ name, driver: rehearse ? "rehearsal" : name }));
  const specs =
    list === undefined
      ? usual.filter(({ driver }) => rehearse || clis.has(driver))
      : parseKnown(list, rehearse, names);
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
function parseKnown(list: string, rehearse: boolean, names: readonly string[]): ParticipantSpec[] {
  const known = [...names].sort((one, other) => other.length - one.length);
  const starts = known.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const entries = list.includes("=")
    ? list.split(new RegExp(`,(?=\\s*(?:${starts}|[a-z0-9][a-z0-9._-]*)=)`))
    : list.split(",");
  const specs = entries.map((part) => {
    const entry = part.trim();
    const own = known.find((name) => entry === name || entry.startsWith(`${name}=`));
    const cut = entry.indexOf("=", own?.length ?? 0);
    const [name = "", driver] = cutAt(entry, cut);
    return readEntry(entry, parseForeignName(name), driver, rehearse);
  });
  if (rehearse) requireScripted(specs);
  return specs;
}
