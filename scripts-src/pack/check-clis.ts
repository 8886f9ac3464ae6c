import { type Diagnosis, fix, note, ok, type Patient } from "../base/diagnosis.ts";
import { ConsultaError } from "../base/errors.ts";
import { type FoundCli, findCli } from "../clis/find-cli.ts";
import { readDrivers } from "../clis/known-drivers.ts";
import { ownSettingsFile } from "../clis/user-settings.ts";
import { checkCodexTrust } from "./check-codex.ts";
import { hasHooksFor } from "./check-installed.ts";

/** Which CLIs there are, and whether they look signed in. */
export async function checkClis(patient: Patient): Promise<Diagnosis[]> {
  const { environment, project } = patient;
  let found: readonly FoundCli[];
  try {
    const profiles = await readDrivers(environment);
    found = await Promise.all(profiles.map((it) => findCli(it, environment, project)));
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, "fix ~/.consulta/config.yaml, or move it away for the defaults")];
  }
  const present = found.filter(({ program }) => program !== undefined);
  const absent = found.filter(({ program }) => program === undefined);
  const codex = present.find(({ profile }) => profile.name === "codex");
  const hasHooks = codex !== undefined && hasHooksFor("codex", patient);
  return [
    ...present.flatMap((cli) => [cliDiagnosis(cli), ...signInDiagnoses(cli)]),
    ...(hasHooks ? await checkCodexTrust(codex, patient) : []),
    ...missingCliDiagnoses(present, absent),
  ];
}

/** What a CLI can do besides taking turns of `consult`. */
const abilities: Readonly<Record<string, string>> = {
  claude: "takes part itself; its hooks wake it when idle and after compaction",
  gemini: "takes part itself; its hooks wait after each turn and remind it after compression",
  codex: "takes part itself; its hooks, once trusted, wait after each turn",
  opencode: "takes part itself; its plugin wakes it when idle and after compaction",
};

function cliDiagnosis({ profile, version }: FoundCli): Diagnosis {
  const can =
    abilities[profile.name] ?? "takes turns of consult; waits with wait-for-turn, nothing wakes it";
  if (version === undefined) {
    return fix(
      `${profile.name}: does not tell its version, so it may not start`,
      `${profile.command} --version`,
    );
  }
  return ok(`${profile.name} ${version} (tested: ${profile.tested}): ${can}`);
}

/** `sign` is where a login was looked for and found. */
function signInDiagnoses({ profile, signedIn, sign, note: remark }: FoundCli): Diagnosis[] {
  const { name } = profile;
  const signIn = profile.sign_in ?? `run ${profile.command} once and sign in`;
  if (signedIn === "yes" && remark === undefined) return [ok(`${name}: looks signed in (${sign})`)];
  if (name === "gemini") return [fix(`gemini: ${noLogin(sign)}`, "export GEMINI_API_KEY=...")];
  if (signedIn === "no") return [fix(`${name}: is not signed in`, signIn)];
  const text = remark ?? "nothing shows whether it is signed in; the system's key ring may hold it";
  return [note(`${name}: ${text}`, signIn)];
}

function noLogin(sign: string | undefined): string {
  const what = sign === undefined ? "no login was found" : `the login in ${sign} may be rejected`;
  return `${what}: personal Google logins stopped working on 2026-06-18; an API key or Antigravity (agy) is the way`;
}

/** A consultation needs two CLIs; with fewer, what to install is a fix, else only a note. */
function missingCliDiagnoses(
  present: readonly FoundCli[],
  absent: readonly FoundCli[],
): Diagnosis[] {
  const installs = absent.map(({ profile }) => ({ ...profile, install: profile.install ?? "" }));
  const needed = installs.slice(0, Math.max(0, 2 - present.length));
  if (needed.length > 0) {
    const have = present[0] === undefined ? "no supported CLI" : `only ${present[0].profile.name}`;
    const alias = "of an alias, name the file: drivers: {claude: {command: /PATH/TO/claude}}";
    const text = `found ${have}; a consultation needs two (${alias} in ${ownSettingsFile})`;
    return [fix(text, needed.map(({ install }) => install).join("; "))];
  }
  return installs.map(({ name, install }) => note(`${name}: not found`, install));
}
