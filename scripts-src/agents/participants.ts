import { ConsultaError } from "../core/errors.ts";
import { quote } from "../core/json.ts";
import { parseParticipant } from "../core/names.ts";
import { vendorProfiles } from "./vendor-profile.ts";

/** Who takes part and what runs it: `claude`, `gemini`, `me`, `rehearsal` or `command:LINE`. */
export interface ParticipantSpec {
  readonly name: string;
  readonly driver: string;
}

export const usualParticipants = "claude=claude,gemini=gemini";
export const rehearsalParticipants = "ada=rehearsal,bob=rehearsal";

/**
 * Reads `NAME=DRIVER,NAME=DRIVER`. A comma ends an entry only where a new `NAME=` follows, because a
 * shell command may hold commas. A list without any `=` names the drivers themselves or, in a
 * rehearsal, the scripted colleagues.
 * @throws ConsultaError REFUSED when these are not two different participants.
 */
export function parseParticipants(list: string, rehearse: boolean): ParticipantSpec[] {
  const entries = list.includes("=")
    ? list.split(/,(?=\s*[a-z0-9][a-z0-9._-]*=)/)
    : list.split(",");
  const specs = entries.map((entry) => readEntry(entry.trim(), rehearse));
  const [first, second] = specs;
  if (specs.length === 2 && first?.name !== second?.name) return specs;
  throw new ConsultaError(
    "REFUSED",
    `a dialogue has two different participants, but ${specs.map(({ name }) => name).join(", ")} came; ` +
      `give them as --participants ${usualParticipants}`,
  );
}

function readEntry(entry: string, rehearse: boolean): ParticipantSpec {
  const cut = entry.indexOf("=");
  const name = parseParticipant(cut < 0 ? entry : entry.slice(0, cut));
  const driver = cut < 0 ? (rehearse ? "rehearsal" : name) : entry.slice(cut + 1).trim();
  if (driver !== "") return { name, driver };
  throw new ConsultaError(
    "REFUSED",
    `${quote(entry)} names no driver; write ${name}=claude, ${name}=me or ${name}='command:LINE'`,
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
  given: readonly ParticipantSpec[] | undefined,
  rehearse: boolean,
  session: string,
  names: readonly string[],
): ParticipantSpec[] {
  const named = names.map((name) => ({ name, driver: rehearse ? "rehearsal" : name }));
  const specs = given ?? named.filter(({ driver }) => rehearse || isVendor(driver));
  const matched = names.flatMap((name) => specs.filter((spec) => spec.name === name));
  if (matched.length === names.length) return matched;
  throw new ConsultaError(
    "REFUSED",
    `session ${session} is between ${names.join(" and ")}; ` +
      `say who runs them: --participants ${names.map((name) => `${name}=DRIVER`).join(",")}`,
  );
}

function isVendor(driver: string): boolean {
  return vendorProfiles.some(({ name }) => name === driver);
}
