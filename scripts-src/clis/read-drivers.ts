import { defined } from "../base/omit-undefined.ts";
import type { Environment } from "../files/environment.ts";
import type { DriverProfile } from "./driver-profile.ts";
import { driverProfiles } from "./known-drivers.ts";
import { ownSettingsFile, readOwnSettings } from "./user-settings.ts";

/**
 * The driver profiles of all CLIs that `consult` can give a turn to, installed or not: the known ones, changed
 * and extended by `drivers` in the user's ~/.consulta/config.yaml.
 * @throws ConsultaError REFUSED when the user's file is wrong or not safe.
 */
export async function readDrivers(environment: Environment): Promise<readonly DriverProfile[]> {
  const { drivers } = await readOwnSettings(environment);
  return driverProfiles(defined({ drivers }), ownSettingsFile);
}

/** The names of all these CLIs. */
export async function cliNames(environment: Environment): Promise<ReadonlySet<string>> {
  return new Set((await readDrivers(environment)).map(({ name }) => name));
}
