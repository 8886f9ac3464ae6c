import { ConsultaError } from "../../base/errors.ts";
import { commandLine, readerAtPlace } from "../../script/command-line.ts";
import { forbiddenText, isForbidden } from "../socket-availability.ts";

const lineCharacters = 300;

/** @throws ConsultaError with the command to run outside of a sandbox; any other error as it is. */
export function printWhereToRun(error: unknown): never {
  if (!isForbidden(error)) throw error;
  const text = `${forbiddenText}; start it outside: ${thisLine()}`;
  throw new ConsultaError("UNAVAILABLE", text, { cause: error });
}

/** The command line that runs this: one line, whatever was given. */
function thisLine(): string {
  const [command = "", ...words] = process.argv.slice(2);
  const whole = commandLine("brain", {}, [command, ...words], readerAtPlace());
  const isLong = whole.length > lineCharacters || whole.includes("\n");
  return isLong ? `${commandLine("brain", {}, [command], readerAtPlace())} ...` : whole;
}
