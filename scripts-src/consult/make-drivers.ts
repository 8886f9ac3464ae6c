import { dirname } from "node:path";
import { ConsultaError, refused, unavailable } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { auditProfile, type DriverProfile } from "../clis/driver-profile.ts";
import { isSignedOut } from "../clis/find-cli.ts";
import { findCliProgram } from "../clis/find-program.ts";
import { driverProfiles, readDrivers } from "../clis/known-drivers.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";
import type { Environment } from "../files/home-folder.ts";
import { commandLine } from "../script/command-line.ts";
import type { Auditors, Driver, ProgramDriver } from "./driver.ts";
import { isElsewhere, type ParticipantSpec } from "./participants.ts";
import { type Person, personDriver } from "./person-driver.ts";
import { commandDriver, vendorDriver } from "./process-driver.ts";
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
    throw refused(
      `${names} are all elsewhere, and consult runs somebody: name who is here, as ${first.name}=claude`,
    );
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
  return unavailable(`${heading}: ${missing.join("; ")}`, {
    lines: [
      heading,
      ...missing.map((it) => `- ${it}`),
      "or try",
      ...[other, ...replay].map((it) => `- ${it}`),
    ],
  });
}

/**
 * Who may audit: the one that the user names, nobody for `none`, else those of the participants' CLIs that run
 * without tools. What is read goes to no vendor that takes no part, unless the user names it.
 * @throws ConsultaError REFUSED for one that cannot audit; UNAVAILABLE when it is not installed.
 */
export async function makeAuditors(
  asked: string | undefined,
  clis: readonly string[],
  place: DriverPlace,
): Promise<Omit<Auditors, "driverOf">> {
  if (asked === "none") return { asked, drivers: [] };
  const make = (driver: string) => makeProgram({ name: "auditor", driver }, place, true);
  if (asked !== undefined) return { asked, drivers: [await make(asked)] };
  const able = (await readDrivers(place.environment)).filter(
    ({ name, audit }) => audit !== undefined && clis.includes(name),
  );
  const made = await Promise.allSettled(able.map(({ name }) => make(name)));
  const drivers = made.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
  return { asked, drivers };
}

async function makeDriver(spec: ParticipantSpec, place: DriverPlace): Promise<Driver> {
  const { name, driver } = spec;
  if (driver !== "me") return makeProgram(spec, place);
  const person = personOf(name, place);
  await place.refuseBelowCli(`${name}=me runs the editor that EDITOR names`);
  return personDriver(person);
}

async function makeProgram(
  { name, driver }: ParticipantSpec,
  place: DriverPlace,
  isAuditor = false,
): Promise<ProgramDriver> {
  const { environment } = place;
  const [, kind, line = ""] = /^(command|acp):\s*(\S.*)$/s.exec(driver) ?? [];
  if (kind === "command" || kind === "acp") {
    await place.refuseBelowCli(
      `${name}=${kind}:${kind === "acp" ? "COMMAND" : "LINE"} runs any program`,
    );
    return commandDriver(line.trim(), environment, kind);
  }
  const profiles = await readDrivers(environment);
  const profile = profiles.find((it) => it.name === driver);
  if (profile !== undefined) {
    if (!isKnown(profile))
      await place.refuseBelowCli(`${name}=${driver} runs a program of its own`);
    const used = isAuditor ? auditProfile(profile) : profile;
    if (used === undefined) throw refused(cannotAudit(profile));
    const program = programOf(profile, place);
    await requireSignIn(profile, program, place);
    return vendorDriver(used, program, environment, isAuditor ? used.audit?.files : undefined);
  }
  const others = isAuditor ? ["none"] : ["me", "elsewhere"];
  const known = [...profiles.map((it) => it.name), ...others, "command:LINE", "acp:COMMAND"];
  throw refused(
    `${quote(driver)} runs no ${isAuditor ? "auditor" : "participant"} (a CLI of your own is an entry under drivers: in ` +
      `${ownSettingsFile}); ${nameHint(driver, known)}`,
  );
}

function cannotAudit({ name }: DriverProfile): string {
  const way = `drivers: {${name}: {audit: {arguments: [...]}}} in ${ownSettingsFile}`;
  return `${name} is not known to run without tools, as an auditor has to; name another CLI, or how it does: ${way}`;
}

/** Whether it is one of ours as it is: what HOME leads to may be the agent's own. */
function isKnown(profile: DriverProfile): boolean {
  const known = driverProfiles({}, ownSettingsFile).find(({ name }) => name === profile.name);
  return JSON.stringify(known) === JSON.stringify(profile);
}

function personOf(name: string, { person }: DriverPlace): Person {
  if (person !== undefined) return person;
  throw refused(
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
  throw unavailable(`${name} is not signed in: ${signIn ?? `sign in with ${name}`}`);
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
  throw unavailable(
    `${command} was not found on PATH, nor where its installer puts it (programs inside the project are never run): ` +
      `${how}where it is an alias, name its file: ${alias}`,
  );
}
