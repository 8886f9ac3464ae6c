import { spawnSync } from "node:child_process";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { asLine } from "../base/visible-text.ts";
import { cliProcess, isInCli } from "../clis/cli-process.ts";
import { registeredIn } from "../clis/cli-registry.ts";
import { variableOf } from "../clis/detect-parent-cli.ts";
import { isOfProject } from "../clis/find-program.ts";
import { type HookedCli, hookEnvironments, hookTrial } from "../clis/hook-entries.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { bundleFile, nodeFault } from "../script/launch.ts";
import { type Diagnosis, fix, type Patient } from "./diagnosis.ts";
import { differingScript } from "./pack.ts";

const trialMs = 10_000;
const reasonCharacters = 200;

/**
 * Runs a hook's command as its CLI would, with an event that only asks for an answer, and says what it lacks:
 * the command itself is silent. A script that is not the running build's is never run: the project may have
 * brought it.
 */
export async function tryHook(
  patient: Patient,
  cli: HookedCli,
  { command, script }: { readonly command: string; readonly script: string },
): Promise<Diagnosis[]> {
  if (!isOfRunningBuild(script, patient) || process.platform === "win32") return [];
  for (const { path, whose } of await pathsOf(patient, cli)) {
    const reason = faultWith(path, patient, cli, command);
    if (reason === undefined) continue;
    const restart = `PATH=${shellWord(dirname(process.execPath))}:"$PATH" ${cli}`;
    return [fix(`hooks of ${cli} do nothing with ${whose}: ${reason}`, restart)];
  }
  return [];
}

/** By its real place, from where Node would take the bundle as well. */
function isOfRunningBuild(script: string, { scripts }: Patient): boolean {
  const real = realpathSync(script);
  const folder = dirname(real);
  const isWhole = basename(real) === "hook.cjs" && existsSync(join(folder, bundleFile));
  return isWhole && differingScript(scripts, folder) === undefined;
}

/** The PATHs of the CLI's processes, which its hooks get; where none is known, that of `doctor`. */
async function pathsOf({ home, environment }: Patient, cli: HookedCli) {
  const registered = (await registeredIn(home)).filter(({ isAlive }) => isAlive);
  const above = isInCli() ? await cliProcess() : undefined;
  const known = [above, ...registered.map((it) => it.process)]
    .flatMap((it) => (it?.cli === cli ? it : []))
    .flatMap(({ pid }) => {
      const path = variableOf(pid, "PATH");
      return path === undefined ? [] : [{ path, whose: `the PATH of process ${pid}` }];
    });
  return known.length > 0 ? known : [{ path: environment["PATH"] ?? "", whose: "this PATH" }];
}

function faultWith(
  path: string,
  { project, environment }: Patient,
  cli: HookedCli,
  command: string,
): string | undefined {
  // In a turn of `consult` a hook does nothing.
  const { CONSULTA_FOLDER: _, CONSULTA_BRAIN_CHILD: __, ...others } = environment;
  const isSafe = (folder: string) => isAbsolute(folder) && !isOfProject(folder, project);
  const PATH = path.split(delimiter).filter(isSafe).join(delimiter);
  const run = (text: string) =>
    spawnSync("/bin/sh", ["-c", text], {
      cwd: project,
      env: { ...others, ...hookEnvironments[cli], PATH, CLAUDE_PROJECT_DIR: project },
      input: JSON.stringify({ hook_event_name: hookTrial.event }),
      encoding: "utf8",
      timeout: trialMs,
    });
  const { stdout, stderr, status, error } = run(command);
  if (stdout === hookTrial.answer) return undefined;
  const version = run("node --version").stdout?.trim().replace("v", "");
  if (!version) return "there is no node";
  const end = status === null ? String(error) : `exit ${status} and not a word`;
  const said = stderr || end;
  return nodeFault(version) ?? asLine(said.slice(0, reasonCharacters).trim());
}
