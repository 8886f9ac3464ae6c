import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { quote } from "../core/json.ts";
import { commandDriver } from "./command-driver.ts";
import type { Driver, Environment } from "./driver.ts";
import type { ParticipantSpec } from "./participants.ts";
import type { Person } from "./person.ts";
import { personDriver } from "./person-driver.ts";
import { rehearsalDriver } from "./rehearsal-driver.ts";
import { vendorDriver } from "./vendor-driver.ts";
import { type VendorProfile, vendorProfiles } from "./vendor-profile.ts";

/** What drivers need of the machine. */
export interface DriverPlace {
  readonly environment: Environment;
  /** Absent where no person can be asked. */
  readonly person: Person | undefined;
}

/**
 * Makes every participant's driver before anything is written.
 * @throws ConsultaError REFUSED for an unknown driver or `me` without a terminal; UNAVAILABLE when a
 * CLI is not installed.
 */
export function makeDrivers(
  specs: readonly ParticipantSpec[],
  place: DriverPlace,
): Map<string, Driver> {
  return new Map(specs.map((spec) => [spec.name, makeDriver(spec, place)]));
}

function makeDriver({ name, driver }: ParticipantSpec, place: DriverPlace): Driver {
  const profile = vendorProfiles.find((it) => it.name === driver);
  if (profile !== undefined)
    return vendorDriver(profile, programOf(profile, place.environment), place.environment);
  if (driver === "me") return personDriver(personOf(name, place));
  if (driver === "rehearsal") return rehearsalDriver(place.environment);
  if (/^command:\s*\S/.test(driver))
    return commandDriver(driver.slice("command:".length).trim(), place.environment);
  const known = vendorProfiles.map((it) => it.name).join(", ");
  throw new ConsultaError(
    "REFUSED",
    `${quote(driver)} runs no participant; expected ${known}, me, rehearsal or command:LINE`,
  );
}

function personOf(name: string, { person }: DriverPlace): Person {
  if (person !== undefined) return person;
  throw new ConsultaError(
    "REFUSED",
    `${name} is you, and you can only be asked at a terminal; run consult in one, ` +
      "or let a command answer: command:LINE",
  );
}

function programOf({ command, install }: VendorProfile, environment: Environment): string {
  const found = findProgram(command, environment);
  if (found !== undefined) return found;
  throw new ConsultaError(
    "UNAVAILABLE",
    `${command} is not installed: no ${command} on PATH; install it (${install}), ` +
      "or see it work without any account: consult --rehearse QUESTION",
  );
}

/** Where a program lies on PATH, as a shell would find it. */
function findProgram(command: string, environment: Environment): string | undefined {
  const onWindows = process.platform === "win32";
  const endings = onWindows ? (environment["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  for (const folder of path.split(delimiter)) {
    if (folder === "") continue;
    for (const ending of endings) {
      const file = join(folder, `${command}${ending.toLowerCase()}`);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
