import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { cliAbove, cliPidAbove, variableOf } from "../clis/detect-parent-cli.ts";
import {
  type AllowedCheck,
  allowedChecks,
  commandText,
  isAllowed,
  lineToAllowCheck,
} from "./allowed-checks.ts";

/** Asks the person at the terminal; undefined where there is none. */
export type Ask = (question: string) => Promise<boolean>;

/**
 * Whether a command may run: the user named it for this run or in their own settings, or the person at a terminal outside of any
 * AI CLI says yes. No message and no project's file can say so.
 * @throws ConsultaError REFUSED with what the user can do.
 */
export async function requireConsent(
  argv: readonly string[],
  project: string,
  ask: Ask | undefined,
  allowedHere: readonly AllowedCheck[] = [],
): Promise<void> {
  if (isAllowed(argv, allowedHere)) return;
  const cli = cliAbove();
  if (cli !== undefined) refuseOtherHome(cli);
  if (isAllowed(argv, await allowedChecks(process.env))) return;
  const shown = inline(commandText(argv));
  const way = `the user can allow it: ${lineToAllowCheck(argv)}`;
  if (cli !== undefined || ask === undefined) {
    const who = cli === undefined ? "nobody at a terminal can say so here" : `${cli} runs this`;
    throw new ConsultaError(
      "REFUSED",
      `${shown} may not run: the user has not allowed it, and ${who}; ${way}, or run this in a terminal of their own`,
    );
  }
  if (await ask(`Run ${shown} in ${inline(project)}? It runs with all that you may do. [y/N] `))
    return;
  throw new ConsultaError("REFUSED", `${shown} was not run: you said no; ${way}`);
}

/** An agent could name another home, with settings that it wrote itself. */
function refuseOtherHome(cli: string): void {
  const pid = cliPidAbove();
  const home = pid === undefined ? undefined : variableOf(pid, "HOME");
  if (home === undefined || home === process.env["HOME"]) return;
  const reason = `HOME is another one here than that of ${cli}, which runs this`;
  throw new ConsultaError("REFUSED", `${reason}: the settings there are not the user's`);
}
