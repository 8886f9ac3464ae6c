import { join } from "node:path";
import { type ConsultaError, refused } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { type Faults, type FieldReader, fault, flag, list, record, words } from "../base/schema.ts";
import { parseStrictYaml } from "../base/strict-yaml.ts";
import { withoutCredentials } from "../base/visible-text.ts";
import { type Environment, homeFolder } from "../files/home-folder.ts";
import { readOwnFile } from "../files/ownership.ts";
import { type ConfigLimits, readConfigLimits } from "../protocol/config.ts";

/** The file as people write its path. It may name programs to run; a project's config never may. */
export const ownSettingsFile = "~/.consulta/config.yaml";

const sections = [
  ...["drivers", "brain", "limits", "environment", "checks", "owner_words", "notify", "stores"],
  "wait_for_quota",
];
const asWritten = (value: unknown) => value;
const readSections = record(Object.fromEntries(sections.map((name) => [name, asWritten])));

/**
 * The sections of the user's own settings as they are written, not checked yet. A section with a name and no
 * value (null) is one that the user has not filled in yet.
 * @throws ConsultaError REFUSED when the file is wrong or not safe, or has an unknown section, because
 * a setting without effect misleads.
 */
export async function readOwnSettings(environment: Environment): Promise<JsonObject> {
  const path = join(homeFolder(environment), ".consulta", "config.yaml");
  const text = readOwnFile(path, limits.messageBytes);
  const value = (text === undefined ? null : parseStrictYaml(text, ownSettingsFile)) ?? {};
  if (!isJsonObject(value)) {
    throw wrongSettings([`it is ${quote(value)}, expected names with values`]);
  }
  const faults = { found: [], strict: true };
  readSections(value, "", faults);
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

/** How far the configs of projects may go beyond the defaults: the section `limits`. */
export async function readLimits(environment: Environment): Promise<ConfigLimits> {
  return (await readSection(environment, "limits", readConfigLimits, {})) ?? {};
}

/** The variables that the user lets every driven CLI have: the section `environment`. */
export async function readPassedNames(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "environment", list(words(128), 64), [])) ?? [];
}

/** A question that holds one of these words is the user's to decide: the section `owner_words`. */
export async function readOwnerWords(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "owner_words", list(words(64)), [])) ?? [];
}

/** The command that calls the user, word by word: the section `notify`; empty when it is missing. */
export async function readNotify(environment: Environment): Promise<readonly string[]> {
  return (await readSection(environment, "notify", list(words(2_048), 64), [])) ?? [];
}

/** Whether `consult` goes on by itself when a quota is renewed: `wait_for_quota`. */
export async function readWaitForQuota(environment: Environment): Promise<boolean> {
  return (await readSection(environment, "wait_for_quota", flag(), false)) ?? false;
}

/**
 * A section as its reader takes it; `missing` is read in place of one that is not there.
 * @throws ConsultaError REFUSED as `readOwnSettings`, and for what the reader finds wrong.
 */
export async function readSection<T>(
  environment: Environment,
  name: string,
  reader: FieldReader<T>,
  missing: JsonValue,
): Promise<T | undefined> {
  const written = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const read = reader(written[name] ?? missing, name, faults);
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return read;
}

/** A cluster of etcd: its members, who signs in, and who signed its certificates. */
export interface EtcdSettings {
  readonly etcd: readonly string[];
  readonly user?: string | undefined;
  readonly password_file?: string | undefined;
  readonly ca?: string | undefined;
}

/** Stores by the user's names for them: git remotes by their addresses, and clusters. */
export interface NamedStores {
  readonly git: Readonly<Record<string, string>>;
  readonly etcd: Readonly<Record<string, EtcdSettings>>;
}

const address = words(2_048);
const cluster = record(
  { etcd: memberAddresses, user: words(256), password_file: address, ca: address },
  ["etcd"],
);

function memberAddresses(value: unknown, path: string, faults: Faults): string[] | undefined {
  if (Array.isArray(value) && value.length === 0)
    return fault(faults, path, value, "at least one address, such as https://HOST:2379");
  return list(memberAddress, 16)(value, path, faults);
}

/** Only a machine's own processes hear what is said without TLS. */
function memberAddress(value: unknown, path: string, faults: Faults): string | undefined {
  const text = address(value, path, faults);
  if (text === undefined || isMemberAddress(text)) return text;
  if (!text.includes("@"))
    return fault(faults, path, value, "such as https://HOST:2379; http for this machine only");
  // It is not quoted: a password may be in it.
  const way =
    "who signs in goes into user, and the password into the file that password_file names";
  faults.found.push(`${path} has an @, expected an address such as https://HOST:2379: ${way}`);
  return undefined;
}

function isMemberAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.pathname !== "/")
    return false;
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isHere);
}

/**
 * Stores by the user's names for them: the section `stores`. A project's config names one and never an
 * address.
 * @throws ConsultaError REFUSED as `readOwnSettings`.
 */
export async function readStores(environment: Environment): Promise<NamedStores> {
  const { stores = {} } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  if (!isJsonObject(stores))
    throw wrongSettings([`stores is ${quote(stores)}, expected names with addresses`]);
  const git: Record<string, string> = {};
  const etcd: Record<string, EtcdSettings> = {};
  for (const [name, value] of Object.entries(stores)) {
    const path = `stores.${name}`;
    if (!isJsonObject(value)) {
      git[name] = address(value, path, faults) ?? "";
      continue;
    }
    const { etcd: members = [], ...rest } = cluster(value, path, faults) ?? {};
    etcd[name] = { etcd: members, ...rest };
  }
  if (faults.found.length > 0) throw wrongSettings(faults.found);
  return { git, etcd };
}

/** One line for all that is wrong with the file. */
export function wrongSettings(faults: readonly string[]): ConsultaError {
  // Of an address that is cut, the end of its password may be what is missing.
  const told = withoutCredentials(faults.join("; ")).replace(/(:\/\/)[^/@\s]*\.\.\./g, "$1...");
  return refused(`${ownSettingsFile}: ${told}; correct the file`);
}
