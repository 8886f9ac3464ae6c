import { readOwnLimits } from "../app/own-limits.ts";
import { ConsultaError, exitCodes } from "../core/errors.ts";
import { quotedLines } from "../core/visible-text.ts";
import { diskFailure } from "../store/errno.ts";
import { allowSharing, isSharingAllowed, sharedVariable } from "../store/own-folder.ts";
import { type Arguments, exitCodeOf, parseArguments, type ScriptSpec } from "./arguments.ts";
import { checkNamedPlaces } from "./named-places.ts";
import { say, talk, talkLines } from "./output.ts";

/**
 * Runs one script: reads the command line, calls `main`, turns its failure into one clear line and
 * the exit code of the table. Nothing else sets an exit code. All output is synchronous by then.
 */
export async function runScript(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
): Promise<void> {
  const code = await runToEnd(spec, main, process.argv.slice(2));
  // Leaving at once is quicker by a millisecond, but slower for a process that has waited long.
  if (spec.waits) process.exitCode = code;
  else process.exit(code);
}

async function runToEnd(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
  argv: string[],
): Promise<number> {
  try {
    if (!spec.startsAnywhere) requireFolder();
    const args = parseArguments(spec, argv);
    if (args?.has("allow-shared")) await shareOnPurpose();
    if (args !== undefined) {
      await readOwnLimits();
      await checkNamedPlaces(spec, args);
      return (await main(args)) ?? exitCodes.OK;
    }
    const { explainUsage } = await import("./usage.ts");
    const { text, exitCode } = explainUsage(spec, argv);
    (exitCode === exitCodes.OK ? say : talk)(text);
    return exitCode;
  } catch (error) {
    // A disk may refuse anywhere: what nobody told in better words is no bug either.
    const failure = diskFailure(error, taskOf(error));
    if (failure instanceof ConsultaError) {
      // One line, whatever a peer wrote into what the message quotes.
      talkLines(`error: ${failure.message}`);
      return exitCodeOf(spec, failure.code);
    }
    talkLines(`bug: ${spec.name} failed in a way nobody foresaw; please report this:`);
    talk(`${quotedLines((error instanceof Error ? error.stack : undefined) ?? String(error))}\n`);
    return exitCodes.BUG;
  }
}

/** Only a user shares on purpose: an agent could add the option to any line that it may run. */
async function shareOnPurpose(): Promise<void> {
  if (isSharingAllowed()) return;
  const { refuseBelowCli } = await import("./for-people.ts");
  const remedy = `the user can start the CLI with ${sharedVariable}=1 in its environment`;
  await refuseBelowCli("--allow-shared uses what others may write to", remedy);
  allowSharing();
}

function taskOf(error: unknown): string {
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return typeof path === "string" ? `use ${path}` : "go on";
}

/** Before anything is done: paths are read and printed relative to the folder one is in. */
function requireFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    const reason = "the folder that this runs in is gone; change to another and run it again";
    throw new ConsultaError("UNAVAILABLE", reason, { cause });
  }
}
