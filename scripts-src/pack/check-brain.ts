import { hostname } from "node:os";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { type Endpoint, readEndpoint } from "../brain/brain-endpoint.ts";
import { lossIn, lossPath } from "../brain/brain-files.ts";
import { readBrainKey } from "../brain/brain-key.ts";
import { meetBrain, strangerText } from "../brain/client/connect-brain.ts";
import { canRunBrain } from "../brain/rules/node-version.ts";
import { defaultDelegate } from "../brain/server/delegate.ts";
import { readUserSettings } from "../brain/server/user-settings.ts";
import { findCliProgram, findProgram } from "../clis/find-program.ts";
import { isRunning } from "../clis/is-running.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { lstatSync, readdirSync } from "../files/disk.ts";
import { isBrainOff } from "../session/workspace/brain-switch.ts";
import { workspaceRoot } from "../session/workspace/workspace.ts";
import { type Diagnosis, fix, note, ok, type Patient } from "./diagnosis.ts";

/** Whether the brain can run here, does, keeps its files to itself, and has somebody to ask. */
export async function checkBrain(patient: Patient): Promise<Diagnosis[]> {
  const { project } = patient;
  const root = workspaceRoot(project);
  if (root !== undefined && isBrainOff(project)) {
    return [ok('brain: switched off by "brain": false in .consulta/config.json')];
  }
  return [
    ...(root === undefined ? [] : await checkRunning(patient, join(root, "brain"))),
    ...checkNode(),
    ...(root === undefined ? [] : checkFiles(join(root, "brain"))),
    await checkDelegate(patient),
  ];
}

function checkNode(): Diagnosis[] {
  const { node } = process.versions;
  return canRunBrain(node) ? [] : [note(`the brain needs Node 22.16 or later, this is ${node}`)];
}

async function checkRunning({ line }: Patient, folder: string): Promise<Diagnosis[]> {
  const endpoint = endpointIn(folder);
  if (endpoint === undefined || !isAlive(endpoint.pid)) {
    const failure = keyFault() ?? lastFailure(folder);
    if (failure === undefined) return [ok("brain: not running; what needs it first starts it")];
    return [fix(`brain: its last start failed: ${failure}`, line("brain", "serve"))];
  }
  const { pid, started } = endpoint;
  try {
    const met = await meetBrain(folder, { handlers: new Map() });
    if (met === "stranger") {
      const way = `look what it is: ps -p ${pid}; a brain that was left over: kill ${pid}`;
      return [fix(`brain: ${strangerText}`, way)];
    }
    met?.close();
    if (met !== undefined) return [ok(`brain: runs since ${started}, process ${pid}`)];
    return [fix(`brain: process ${pid} lives and does not answer`, `kill ${pid}`)];
  } catch (cause) {
    // It is full, or the key by which it is known is not safe: the message says what to do.
    if (cause instanceof ConsultaError) return [fix(`brain: ${cause.message}`, "do as it says")];
    throw cause;
  }
}

/** A brain that cannot have its key ends before it has a log. */
function keyFault(): string | undefined {
  try {
    readBrainKey();
    return undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError) return cause.message;
    throw cause;
  }
}

function isAlive(pid: number): boolean {
  return isRunning({ pid, host: hostname() }) === true;
}

/** None in a folder that is not read because it is a link, or not ours. */
function endpointIn(folder: string): Endpoint | undefined {
  try {
    return readEndpoint(folder);
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

const reasonCharacters = 300;

/** Why the last brain did not come up or broke; undefined when it ended in order. */
function lastFailure(folder: string): string | undefined {
  try {
    const log = readFileIfPresent(join(folder, "brain.log"), limits.messageBytes) ?? "";
    const [last] = log.trimEnd().split("\n").reverse();
    return / failed: (.*)/.exec(last ?? "")?.[1]?.slice(0, reasonCharacters);
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

/** What one session told another is nobody else's business on this machine. */
function checkFiles(folder: string): Diagnosis[] {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (status === undefined || process.platform === "win32") return [];
  if (!status.isDirectory()) {
    return [
      fix(
        `${folder} is no folder of the project's own`,
        `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`,
      ),
    ];
  }
  const names = readdirSync(folder);
  const open = [folder, ...names.map((name) => join(folder, name))].filter(isOpen);
  const aside = names.filter((name) => /^brain\.(?:damaged|foreign)-.*\.db$/.test(name));
  const [first] = open;
  const loss = lossIn(folder);
  return [
    ...(first === undefined
      ? []
      : [
          fix(
            `brain: others on this machine may read ${first}`,
            `chmod -R go= ${shellWord(folder)}`,
          ),
        ]),
    ...aside.map((name) => note(`brain: ${join(folder, name)} ${asideText(name)}`)),
    ...(loss === undefined ? [] : [note(`brain: ${loss}`, `rm ${shellWord(lossPath(folder))}`)]),
  ];
}

function asideText(name: string): string {
  if (!name.startsWith("brain.foreign-")) {
    return "is damaged and was moved aside: take out what you need, delete it";
  }
  const way = "if it is yours, move it back to brain.db and run brain serve --adopt";
  return `was made by no brain of yours and moved aside; ${way}`;
}

function isOpen(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status !== undefined && (status.mode & 0o077) !== 0;
}

async function checkDelegate(patient: Patient): Promise<Diagnosis> {
  const { environment, project } = patient;
  const settings = await settingsOrFault(patient);
  if (typeof settings === "string")
    return fix(settings, "fix ~/.consulta/config.yaml, or move it away for the defaults");
  const [name] = settings.delegate ?? [defaultDelegate];
  const search = "search and process have nobody to ask";
  const way = 'name one in ~/.consulta/config.yaml, as "brain: {delegate: [CLI, OPTION]}"';
  if (name === undefined) return note(`the brain's delegate is switched off: ${search}`);
  // One that the user names is run as it is named.
  const find = settings.delegate === undefined ? findCliProgram : findProgram;
  const found = find(name, environment, project);
  if (found !== undefined) return ok(`the brain's delegate: ${found}`);
  if (settings.delegate === undefined) return note(`the brain has no delegate: ${search}`, way);
  return fix(`the brain's delegate ${name} is not to be found: ${search}`, way);
}

async function settingsOrFault({ environment }: Patient) {
  try {
    return await readUserSettings(environment);
  } catch (cause) {
    if (cause instanceof ConsultaError) return cause.message;
    throw cause;
  }
}
