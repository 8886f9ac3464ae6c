import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { list, record, words } from "../base/schema.ts";
import { homeFolder } from "../files/home-folder.ts";
import { readOwnFile } from "../files/own-file.ts";
import { type ConfigLimits, readConfigLimits } from "../protocol/config-limits.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How people call the file; only the user's own may name programs, never a project's. */
export const ownSettingsFile = "~/.consulta/config.yaml";

/** Its sections, as they were written: whoever owns one checks it. */
export interface OwnSettings {
  readonly drivers: JsonValue | undefined;
  readonly brain: JsonValue | undefined;
  readonly limits: JsonValue | undefined;
  readonly environment: JsonValue | undefined;
  readonly checks: JsonValue | undefined;
  readonly owner_words: JsonValue | undefined;
  readonly notify: JsonValue | undefined;
  readonly stores: JsonValue | undefined;
}

const asWritten = (value: unknown) => value;
const readSections = record({
  drivers: asWritten,
  brain: asWritten,
  limits: asWritten,
  environment: asWritten,
  checks: asWritten,
  owner_words: asWritten,
  notify: asWritten,
  stores: asWritten,
});

/**
 * Reads the user's own settings; nothing is in them where there is no file.
 * @throws ConsultaError REFUSED when the file is wrong or not safe, or has another section: a
 * setting without effect misleads.
 */
export async function readOwnSettings(environment: Environment): Promise<OwnSettings> {
  const path = join(homeFolder(environment), ".consulta", "config.yaml");
  const text = readOwnFile(path, limits.messageBytes);
  const none = sectionsOf({});
  if (text === undefined) return none;
  const { parseStrictYaml } = await import("../base/strict-yaml.ts");
  const value = parseStrictYaml(text, ownSettingsFile);
  if (value === null) return none;
  if (!isJsonObject(value)) {
    throw wrongSettings([`it is ${quote(value)}, expected names with values`]);
  }
  const faults = { found: [], strict: true };
  readSections(value, "", faults);
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  // A name with nothing behind it is a section that nobody has filled in yet.
  return sectionsOf(value);
}

function sectionsOf(value: JsonObject): OwnSettings {
  const { drivers, brain, limits: own, environment, checks, owner_words, notify, stores } = value;
  return {
    drivers: drivers ?? undefined,
    brain: brain ?? undefined,
    limits: own ?? undefined,
    environment: environment ?? undefined,
    checks: checks ?? undefined,
    owner_words: owner_words ?? undefined,
    notify: notify ?? undefined,
    stores: stores ?? undefined,
  };
}

/**
 * How far the configs of projects may go beyond the defaults: the section `limits`.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readLimits(environment: Environment): Promise<ConfigLimits> {
  const { limits: given } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const read = readConfigLimits(given ?? {}, "limits", faults) ?? {};
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return read;
}

const nameList = list(words(128), 64);

/**
 * The variables that the user lets every driven CLI have: the section `environment`.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readPassedNames(environment: Environment): Promise<readonly string[]> {
  const { environment: given } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const names = nameList(given ?? [], "environment", faults) ?? [];
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return names;
}

const ownerWordList = list(words(64));

/**
 * Words of the user: a question that holds one is the user's to decide. The section `owner_words`.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readOwnerWords(environment: Environment): Promise<readonly string[]> {
  const { owner_words: given } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const named = ownerWordList(given ?? [], "owner_words", faults) ?? [];
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return named;
}

const notifyWords = list(words(2_048), 64);

/**
 * The command that calls the user, word by word: the section `notify`; empty where there is none.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readNotify(environment: Environment): Promise<readonly string[]> {
  const { notify: given } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const argv = notifyWords(given ?? [], "notify", faults) ?? [];
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return argv;
}

const address = words(2_048);

/**
 * Addresses of stores by the user's names for them: the section `stores`. A project's config names one
 * and never an address.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readStoreNames(
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const { stores = {} } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  if (!isJsonObject(stores))
    throw wrongSettings([`stores is ${quote(stores)}, expected names with addresses`]);
  const named = Object.entries(stores).map(([name, value]) => {
    return [name, address(value, `stores.${name}`, faults) ?? ""] as const;
  });
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return Object.fromEntries(named);
}

/** One line for all that is wrong with the file. */
export function wrongSettings(faults: readonly string[]): ConsultaError {
  return new ConsultaError("REFUSED", `${ownSettingsFile}: ${faults.join("; ")}; correct the file`);
}
