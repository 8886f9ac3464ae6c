import { join } from "node:path";
import { type Diagnosis, fix, note, ok, type Patient } from "../base/diagnosis.ts";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { shellWord } from "../base/quote-text.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { lstatSync, orNothing, readdirSync } from "../files/disk.ts";
import { readUserKey } from "../files/user-key.ts";
import { isBrainOff, workspaceRoot } from "../session/workspace/workspace.ts";
import { asideText } from "./brain-status.ts";
import { connectBrain, unreachableText } from "./client/connect-brain.ts";
import { runningEndpoint } from "./endpoint.ts";
import { Delegate } from "./server/delegate.ts";
import { readUserSettings } from "./server/user-settings.ts";
import { loadSqlite } from "./store/sqlite.ts";

/** Whether the brain can run here, does, keeps its files to itself, and has somebody to ask. */
export async function checkBrain(patient: Patient): Promise<Diagnosis[]> {
  const { project } = patient;
  const root = workspaceRoot(project);
  if (root !== undefined && isBrainOff(project)) {
    return [ok('brain: switched off by "brain": false in .consulta/config.json')];
  }
  const lack = await faultOf(loadSqlite);
  return [
    ...(root === undefined ? [] : await checkRunning(patient, join(root, "brain"))),
    ...(lack === undefined ? [] : [note(`brain: ${lack}`)]),
    ...(root === undefined ? [] : checkFiles(join(root, "brain"))),
    await checkDelegate(patient),
  ];
}

async function checkRunning({ line }: Patient, folder: string): Promise<Diagnosis[]> {
  // None in a folder that is not read because it is a link, or not ours.
  const endpoint = orNothing(() => runningEndpoint(folder));
  if (endpoint === undefined) {
    // A brain that cannot have its key ends before it has a log.
    const failure = (await faultOf(readUserKey)) ?? lastFailure(folder);
    if (failure === undefined) return [ok("brain: not running; what needs it first starts it")];
    return [fix(`brain: its last start failed: ${failure}`, line("brain", "serve"))];
  }
  const { pid, started } = endpoint;
  try {
    const met = await connectBrain(folder, { handlers: new Map() });
    met?.close();
    if (met !== undefined) return [ok(`brain: runs since ${started}, process ${pid}`)];
    const way = `look what it is: ps -p ${pid}; a brain that was left over: kill ${pid}`;
    return [fix(`brain: ${unreachableText(pid)}`, way)];
  } catch (cause) {
    // It is full, or the key by which it is known is not safe: the message says what to do.
    if (cause instanceof ConsultaError) return [fix(`brain: ${cause.message}`, "do as it says")];
    throw cause;
  }
}

const reasonCharacters = 300;

/** Why the last brain did not come up or broke; undefined when it ended in order. */
function lastFailure(folder: string): string | undefined {
  const log = orNothing(() => readFileIfPresent(join(folder, "brain.log"), limits.messageBytes));
  const [last = ""] = (log ?? "").trimEnd().split("\n").reverse();
  return / failed: (.*)/.exec(last)?.[1]?.slice(0, reasonCharacters);
}

/** What one session told another is nobody else's business on this machine. */
function checkFiles(folder: string): Diagnosis[] {
  const status = lstatSync(folder);
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
  // A lock is an empty folder.
  const files = names.filter((name) => !name.endsWith(".db.lock"));
  const open = [folder, ...files.map((name) => join(folder, name))].filter(isOpen);
  const aside = names.filter((name) => /^brain\.(?:damaged|foreign)-.*\.db$/.test(name));
  const [first] = open;
  return [
    ...(first === undefined
      ? []
      : [
          fix(
            `brain: others on this machine may read ${first}`,
            `chmod -R go= ${shellWord(folder)}`,
          ),
        ]),
    ...aside.map((name) => note(`brain: ${asideText(join(folder, name))}`)),
  ];
}

function isOpen(path: string): boolean {
  const status = lstatSync(path);
  return status !== undefined && (status.mode & 0o077) !== 0;
}

async function checkDelegate({ environment, project }: Patient): Promise<Diagnosis> {
  const settings = () => readUserSettings(environment);
  const delegate = new Delegate({ settings, project, environment });
  const { configured, provider, fault } = await delegate.describe();
  if (configured) return ok(`the brain's delegate: ${provider}`);
  const way = 'name one in ~/.consulta/config.yaml, as "brain: {delegate: [CLI, OPTION]}"';
  const none = "search and process have nobody to ask";
  return fault === undefined
    ? note(`the brain has no delegate: ${none}`, way)
    : fix(`the brain's delegate: ${fault}: ${none}`, way);
}

/** Why something is rejected; undefined where it is not. */
async function faultOf(look: () => unknown): Promise<string | undefined> {
  try {
    await look();
    return undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError) return cause.message;
    throw cause;
  }
}
