import { dirname } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { DriverProfile } from "../clis/driver-profile.ts";
import { isSignedOut } from "../clis/find-cli.ts";
import { findCliProgram } from "../clis/find-program.ts";
import { driverProfiles, readDrivers } from "../clis/known-drivers.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";
import type { Environment } from "../files/home-folder.ts";
import { commandLine } from "../script/command-line.ts";
import type { Driver } from "./driver.ts";
import { isElsewhere, type ParticipantSpec } from "./participants.ts";
import { type Person, personDriver } from "./person-driver.ts";
import { acpCommandDriver, commandDriver, vendorDriver } from "./process-driver.ts";
import { exampleNames } from "./replay/read-recording.ts";

/** What drivers need of the machine. */
export interface DriverPlace {
  readonly environment: Environment;
  /** The folders of the projects that this is about: no CLI in them is run. */
  readonly projects: readonly string[];
  /** Absent where no person can be asked. */
  readonly person: Person | undefined;
  /** Fails where an AI CLI runs this: its agent may choose CLIs that are known, and no program. */
  readonly refuseBelowCli: (what: string) => Promise<void>;
}

/**
 * Makes the driver of every participant that is run here, before anything is written.
 * @throws ConsultaError REFUSED for an unknown driver, a wrong `ownSettingsFile`, `me` without a
 * terminal, or where nobody is run here; UNAVAILABLE when a CLI is not installed.
 */
export async function makeDrivers(
  specs: readonly ParticipantSpec[],
  place: DriverPlace,
): Promise<Map<string, Driver>> {
  const drivers = new Map<string, Driver>();
  const missing = new Set<string>();
  if (specs.length > 0 && specs.every(isElsewhere)) {
    const [first = { name: "" }] = specs;
    const names = specs.map(({ name }) => name).join(", ");
    const reason = `${names} are all elsewhere, and consult runs somebody: name who is here, as ${first.name}=claude`;
    throw new ConsultaError("REFUSED", reason);
  }
  for (const spec of specs.filter((it) => !isElsewhere(it))) {
    try {
      drivers.set(spec.name, await makeDriver(spec, place));
    } catch (cause) {
      if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
      missing.add(cause.message);
    }
  }
  if (missing.size > 0) throw await notReady([...missing]);
  return drivers;
}

/** What each CLI lacks, and how to see a session without any, where the examples came with the scripts. */
async function notReady(missing: readonly string[]): Promise<ConsultaError> {
  const heading = "nothing was begun: not every participant can run";
  const other = 'another CLI, or any command: --participants "claude=claude,codex=codex"';
  const [example] = exampleNames(dirname(process.argv[1] ?? "."));
  const replay =
    example === undefined
      ? []
      : [
          `without any account, a recorded session: ${commandLine("consult", { replay: { path: example } })}`,
        ];
  return new ConsultaError("UNAVAILABLE", `${heading}: ${missing.join("; ")}`, {
    lines: [
      heading,
      ...missing.map((it) => `- ${it}`),
      "or try",
      ...[other, ...replay].map((it) => `- ${it}`),
    ],
  });
}

async function makeDriver({ name, driver }: ParticipantSpec, place: DriverPlace): Promise<Driver> {
  const { environment } = place;
  if (driver === "me") {
    const person = personOf(name, place);
    await place.refuseBelowCli(`${name}=me runs the editor that EDITOR names`);
    return personDriver(person);
  }
  if (/^command:\s*\S/.test(driver)) {
    await place.refuseBelowCli(`${name}=command:LINE runs any program`);
    return commandDriver(driver.slice("command:".length).trim(), environment);
  }
  if (/^acp:\s*\S/.test(driver)) {
    await place.refuseBelowCli(`${name}=acp:COMMAND runs any program`);
    return acpCommandDriver(driver.slice("acp:".length).trim(), environment);
  }
  const profiles = await readDrivers(environment);
  const profile = profiles.find((it) => it.name === driver);
  if (profile !== undefined) {
    if (!isKnown(profile))
      await place.refuseBelowCli(`${name}=${driver} runs a program of its own`);
    const program = programOf(profile, place);
    await requireSignIn(profile, program, place);
    return vendorDriver(profile, program, environment);
  }
  const known = [
    ...profiles.map((it) => it.name),
    "me",
    "elsewhere",
    "command:LINE",
    "acp:COMMAND",
  ];
  throw new ConsultaError(
    "REFUSED",
    `${quote(driver)} runs no participant (a CLI of your own is an entry under drivers: in ` +
      `${ownSettingsFile}); ${nameHint(driver, known)}`,
  );
}

/** Whether it is one of ours as it is: what HOME leads to may be the agent's own. */
function isKnown(profile: DriverProfile): boolean {
  const known = driverProfiles({}, ownSettingsFile).find(({ name }) => name === profile.name);
  return JSON.stringify(known) === JSON.stringify(profile);
}

function personOf(name: string, { person }: DriverPlace): Person {
  if (person !== undefined) return person;
  throw new ConsultaError(
    "REFUSED",
    `${name} is you, and you can only be asked at a terminal; run consult in one, ` +
      "or let a command answer: command:LINE",
  );
}

/** A CLI that certainly is not signed in would leave behind a session in which nobody can speak. */
async function requireSignIn(
  profile: DriverProfile,
  program: string,
  { environment }: DriverPlace,
): Promise<void> {
  if (!(await isSignedOut(profile, program, environment, process.cwd()))) return;
  const { name, sign_in: signIn } = profile;
  throw new ConsultaError(
    "UNAVAILABLE",
    `${name} is not signed in: ${signIn ?? `sign in with ${name}`}`,
  );
}

function programOf(
  { name, command, install, sign_in: signIn }: DriverProfile,
  { environment, projects }: DriverPlace,
): string {
  const found = findCliProgram(command, environment, ...projects);
  if (found !== undefined) return found;
  const then = signIn === undefined ? "" : `; then ${signIn}`;
  const how = install === undefined ? "" : `install it: ${install}${then}; `;
  const alias = `drivers: {${name}: {command: /PATH/TO/${name}}} in ${ownSettingsFile}`;
  throw new ConsultaError(
    "UNAVAILABLE",
    `${command} was not found on PATH, nor where its installer puts it (programs inside the project are never run): ` +
      `${how}where it is an alias, name its file: ${alias}`,
  );
}
