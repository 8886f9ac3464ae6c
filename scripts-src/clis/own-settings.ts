import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { list, type Reader, record, words } from "../base/schema.ts";
import { homeFolder } from "../files/home-folder.ts";
import { readOwnFile } from "../files/own-file.ts";
import { type ConfigLimits, readConfigLimits } from "../protocol/config-limits.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The file as people write its path. It may name programs to run; a project's config never may. */
export const ownSettingsFile = "~/.consulta/config.yaml";

/** The sections as they are written, not checked yet; undefined for one that is missing or empty. */
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
 * Reads the user's own settings; all sections are undefined when there is no file.
 * @throws ConsultaError REFUSED when the file is wrong or not safe, or has an unknown section, because
 * a setting without effect misleads.
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
  return sectionsOf(value);
}

/** A section with a name and no value (null) is one that the user has not filled in yet. */
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
  return (await readSection(environment, "limits", readConfigLimits, {})) ?? {};
}

/**
 * The variables that the user lets every driven CLI have: the section `environment`.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readPassedNames(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "environment", nameList, [])) ?? [];
}

const nameList = list(words(128), 64);

/**
 * A question that holds one of these words is the user's to decide: the section `owner_words`.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readOwnerWords(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "owner_words", ownerWordList, [])) ?? [];
}

const ownerWordList = list(words(64));

/**
 * The command that calls the user, word by word: the section `notify`; empty when it is missing.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readNotify(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "notify", notifyWords, [])) ?? [];
}

const notifyWords = list(words(2_048), 64);

/**
 * A section as its reader takes it; `missing` is read in place of one that is not there.
 * @throws ConsultaError REFUSED as `readOwnSettings`, and for what the reader finds wrong.
 */
export async function readSection<T>(
  environment: Environment,
  name: keyof OwnSettings,
  reader: Reader<T>,
  missing: JsonValue,
): Promise<T | undefined> {
  const sections = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const read = reader(sections[name] ?? missing, name, faults);
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return read;
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
