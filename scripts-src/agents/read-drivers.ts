import { homedir } from "node:os";
import { join } from "node:path";
import type { DriverProfile } from "../core/driver-profile.ts";
import { driverProfiles } from "../core/driver-profiles.ts";
import { limits } from "../core/limits.ts";
import { readOwnFile } from "../store/own-file.ts";
import type { Environment } from "./driver.ts";

/** How people call the file; only the user's own may name programs, never a project's. */
export const driversFile = "~/.consulta/config.yaml";

/**
 * The profiles of all CLIs that this user can be given a turn by.
 * @throws ConsultaError REFUSED when the user's file is wrong or not safe.
 */
export async function readDrivers(environment: Environment): Promise<readonly DriverProfile[]> {
  const path = join(homeOf(environment), ".consulta", "config.yaml");
  const text = readOwnFile(path, limits.messageBytes);
  if (text === undefined) return driverProfiles({}, driversFile);
  const { parseStrictYaml } = await import("../app/strict-yaml.ts");
  return driverProfiles(parseStrictYaml(text, driversFile), driversFile);
}

/** The names of all these CLIs. */
export async function cliNames(environment: Environment): Promise<ReadonlySet<string>> {
  return new Set((await readDrivers(environment)).map(({ name }) => name));
}

export function homeOf(environment: Environment): string {
  return environment["HOME"] || environment["USERPROFILE"] || homedir();
}
