import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { defined } from "../base/omit-undefined.ts";
import { visibleText } from "../base/visible-text.ts";
import { commandOf, findProgram } from "../clis/find-program.ts";
import { realpathSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { type CheckSpec, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, holdsWords } from "../protocol/evidence.ts";
import { commandText } from "./allowed-checks.ts";
import { commandEnvironment } from "./command-environment.ts";
import { keptParts, type Looker } from "./record-reading.ts";
import { runCommand } from "./run-command.ts";
import { withoutNetwork } from "./without-network.ts";

/**
 * Runs a command that the user allowed, in the project's root, and records what came out.
 * @throws ConsultaError REFUSED where it is missing, or was stopped before its end: nothing is recorded then.
 */
export async function runCheck(
  { argv }: Extract<CheckSpec, { kind: "run" }>,
  expect: string | undefined,
  looker: Looker,
  signal?: AbortSignal,
): Promise<EvidenceRecord> {
  const project = realpathSync(looker.project);
  const environment = commandEnvironment(process.env, project);
  const program = programOf(argv, environment, project);
  const command = commandOf(program, argv.slice(1));
  const started = withoutNetwork({ program: command.command, words: command.arguments });
  const ended = await runCommand(started, project, environment, { signal, shell: command.shell });
  const shown = commandText(argv);
  if (ended.kind === "cut") {
    throw new ConsultaError("REFUSED", `${shown} was cut, nothing is recorded: ${ended.reason}`);
  }
  const output = ended.output.toString("utf8");
  return {
    kind: "run",
    spec: specText({ kind: "run", argv }),
    ...defined({ expect }),
    met: ended.exit === 0 && (expect === undefined || holdsWords(withoutColours(output), expect)),
    exit: ended.exit,
    ms: ended.ms,
    sha256: sha256(ended.output),
    ...keptParts(output),
    ...looker.git,
    process: looker.process,
    network: started.network,
  };
}

/** Without the escape sequences that colour words in a terminal. */
function withoutColours(output: string): string {
  return output.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
}

/** A name is looked up on PATH; a relative path starts at the project's root. */
function programOf(
  [name = ""]: readonly string[],
  environment: Readonly<Record<string, string>>,
  project: string,
): string {
  const isPath = /[/\\]/.test(name);
  const isAbsolute = name.startsWith("/");
  const found = isAbsolute
    ? findProgram(name, environment)
    : findProgram(isPath ? join(project, name) : name, environment, project);
  if (found !== undefined) return found;
  throw new ConsultaError(
    "REFUSED",
    `there is no program ${visibleText(JSON.stringify(name))} to run; is it installed and on your PATH?`,
  );
}
