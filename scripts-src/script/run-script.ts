import { ConsultaError, exitCodes, unavailable } from "../base/errors.ts";
import { quotedLines } from "../base/visible-text.ts";
import { diskFailure } from "../files/disk.ts";
import { type Arguments, exitCodeOf, parseArguments, type ScriptSpec } from "./arguments.ts";
import { print, printError, printErrorLines } from "./output.ts";
import { explainUsage } from "./usage.ts";

/**
 * Runs one script: reads the command line, calls `main`, turns its failure into clear lines and
 * the exit code of the table. Nothing else sets an exit code. All output is synchronous by then.
 */
export async function runScript(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
): Promise<void> {
  const code = await runToEnd(spec, main, process.argv.slice(2));
  // Leaving at once is quicker by a millisecond, but slower for a process that has waited long.
  if (spec.waits && process.uptime() > longSeconds) process.exitCode = code;
  else process.exit(code);
}

const longSeconds = 1;

async function runToEnd(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
  argv: string[],
): Promise<number> {
  try {
    if (!spec.startsAnywhere) requireFolder();
    const args = parseArguments(spec, argv);
    if (args !== undefined) return (await main(args)) ?? exitCodes.OK;
    const { text, exitCode } = explainUsage(spec, argv);
    (exitCode === exitCodes.OK ? print : printError)(text);
    return exitCode;
  } catch (error) {
    // A disk may refuse anywhere: what nobody told in better words is no bug either.
    const failure = diskFailure(error, taskOf(error));
    if (failure instanceof ConsultaError) {
      const { message, lines } = failure;
      const [first = message, ...more] = lines;
      // Each is one line, whatever a peer wrote into what it quotes.
      printErrorLines(`error: ${first}`, ...more.map((line) => `  ${line}`));
      return exitCodeOf(spec, failure.code, failure.reason);
    }
    printErrorLines(`bug: ${spec.name} failed in a way nobody foresaw; please report this:`);
    printError(
      `${quotedLines((error instanceof Error ? error.stack : undefined) ?? String(error))}\n`,
    );
    return exitCodes.BUG;
  }
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
    throw unavailable(reason, { cause });
  }
}
