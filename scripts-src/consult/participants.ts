import { refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseForeignName, parseParticipant } from "../base/names.ts";
import { hasStore } from "../session/place.ts";
import type { Session } from "../session/session.ts";

/**
 * Who takes part and what runs it: the name of a CLI, `me`, `command:LINE`, `acp:COMMAND`, or `elsewhere` for who
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

export const defaultParticipants = "claude=claude,gemini=gemini";

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
  list: string = defaultParticipants,
  { max, rule, otherwise = "" }: Company,
): ParticipantSpec[] {
  const specs = parseParticipants(list);
  if (twinIn(specs) === undefined && specs.length >= 2 && specs.length <= max) return specs;
  const given = specs.length > limits.collaborationParticipants ? specs.length : namesIn(specs);
  throw refused(
    `${rule}; got ${given}; give them as --participants ${defaultParticipants}${otherwise}`,
  );
}

/**
 * The specs that run a session that exists: the given ones, else a CLI for each participant that is
 * named like one. They are all its participants; where new ones may join, only those that it waits
 * for, and the given ones may be fewer or new.
 * @throws ConsultaError REFUSED when they do not fit.
 */
export function specsToGoOn(
  { place, kind, state }: Session,
  list: string | undefined,
  clis: ReadonlySet<string>,
): ParticipantSpec[] {
  const { participants, waitingFor } = kind.standing(state);
  const names = kind.isOpen ? waitingFor : participants;
  const specs =
    list === undefined
      ? names.filter((name) => clis.has(name)).map((name) => ({ name, driver: name }))
      : parseParticipants(list, kind.isOpen ? [] : names);
  const twin = twinIn(specs);
  if (twin !== undefined) throw refused(`${twin} came twice in --participants; name it once`);
  if (kind.isOpen && list !== undefined) return specs;
  const matched = names.flatMap((name) => specs.filter((spec) => spec.name === name));
  if (names.length > 0 && matched.length === names.length && specs.length === names.length)
    return matched;
  const who = names.join(" and ") || "participants that are not in it yet";
  const run = (names.length > 0 ? names : ["NAME"]).map((name) => `${name}=DRIVER`).join(",");
  const more = hasStore(place.folder) ? ", NAME=elsewhere for who is on another machine" : "";
  throw refused(
    `session ${place.id} ${kind.isOpen ? "waits for" : "is between"} ${who}; say who runs them: --participants ${run}${more}`,
  );
}

/** The list in the form that `parseParticipants` reads back. */
export function participantsText(specs: readonly ParticipantSpec[]): string {
  return specs.map(({ name, driver }) => `${name}=${driver}`).join(",");
}

function namesIn(specs: readonly ParticipantSpec[]): string {
  return specs.map(({ name }) => name).join(", ");
}

function twinIn(specs: readonly ParticipantSpec[]): string | undefined {
  const names = specs.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}

/**
 * Reads `NAME=DRIVER,NAME=DRIVER`. A comma ends an entry only where a new `NAME=` follows, because a
 * shell command may hold commas. A list without any `=` names the drivers themselves. `known` are
 * names that others chose and that may hold anything.
 * @throws ConsultaError REFUSED when an entry cannot be read.
 */
function parseParticipants(list: string, known: readonly string[] = []): ParticipantSpec[] {
  const longestFirst = [...known].sort((one, other) => other.length - one.length);
  const literally = longestFirst.map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const starts = [...literally, "[a-z0-9][a-z0-9._-]*"].join("|");
  const isNamed = new RegExp(`(?:^|,)\\s*(?:${starts})=`);
  const parseName = known.length === 0 ? parseParticipant : parseForeignName;
  return list
    .split(isNamed.test(list) ? new RegExp(`,(?=\\s*(?:(?:${starts})=|acp:))`) : ",")
    .map((part) => {
      const entry = part.trim();
      const own = longestFirst.find((name) => entry === name || entry.startsWith(`${name}=`));
      const cut = entry.indexOf("=", own?.length ?? 0);
      // An agent without a name has that of its program.
      const [, program] = /^acp:\s*(?:\S*[\\/])?(\S+)/.exec(entry) ?? [];
      if (program !== undefined) return { name: parseName(program), driver: entry };
      const name = parseName(cut < 0 ? entry : entry.slice(0, cut));
      return { name, driver: cut < 0 ? name : driverIn(entry.slice(cut + 1).trim(), name) };
    });
}

function driverIn(driver: string, name: string): string {
  const [first, ...swallowed] = /^(?:command|acp):/.test(driver) ? [driver] : driver.split(",");
  if (swallowed.length > 0) {
    throw refused(
      `${quote(swallowed.join(",").trim())} was read as part of ${name}=${first}: ` +
        "give every entry as NAME=DRIVER, or all as bare names",
    );
  }
  if (driver !== "") return driver;
  throw refused(
    `"${name}=" names no driver; write ${name}=claude, ${name}=me or ${name}='command:LINE'`,
  );
}
