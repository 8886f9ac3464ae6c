import { refused } from "../base/errors.ts";
import { inline, quote } from "../base/json.ts";
import { list, text } from "../base/schema.ts";
import { cliAbove, cliPidAbove } from "../clis/detect-parent-cli.ts";
import { variableOf } from "../clis/is-running.ts";
import { ownSettingsFile, readOwnSettings, wrongSettings } from "../clis/user-settings.ts";
import { parseCommandWords, runSpec, specText } from "../protocol/check-spec.ts";

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
    throw refused(
      `${shown} may not run: the user has not allowed it, and ${who}; ${way}, or run this in a terminal of their own`,
    );
  }
  if (await ask(`Run ${shown} in ${inline(project)}? It runs with all that you may do. [y/N] `))
    return;
  throw refused(`${shown} was not run: you said no; ${way}`);
}

/** An agent could name another home, with settings that it wrote itself. */
function refuseOtherHome(cli: string): void {
  const pid = cliPidAbove();
  const home = pid === undefined ? undefined : variableOf(pid, "HOME");
  if (home === undefined || home === process.env["HOME"]) return;
  const reason = `HOME is another one here than that of ${cli}, which runs this`;
  throw refused(`${reason}: the settings there are not the user's`);
}

/** A command that the user lets scripts run, word by word. */
export type AllowedCheck = readonly string[];

const readChecks = list(list(text(1_000), 100), 100);

/**
 * The commands of the user's own settings: the section `checks`, such as `checks: [[npm, test]]`.
 * @throws ConsultaError REFUSED when the file is wrong or not safe.
 */
export async function allowedChecks(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly AllowedCheck[]> {
  const { checks } = await readOwnSettings(environment);
  const faults = { found: [], strict: true };
  const read = readChecks(checks ?? [], "checks", faults) ?? [];
  if (faults.found.length > 0) throw wrongSettings([...faults.found, form]);
  const wrong = read.map((argv) => runSpec(argv)).find((spec) => "fault" in spec);
  if (wrong !== undefined && "fault" in wrong) throw wrongSettings([wrong.fault, form]);
  return read;
}

const form = "each check is a list of words, as in checks: [[npm, test]]";

/**
 * Commands as options name them, `"npm test"`: split into words without a shell.
 * @throws ConsultaError REFUSED for what is no command.
 */
export function parseAllowed(given: readonly string[]): AllowedCheck[] {
  return given.map((line) => {
    const spec = runSpec(parseCommandWords(line));
    if (!("fault" in spec) && spec.kind === "run") return spec.argv;
    const reason = "fault" in spec ? spec.fault : "it is no command";
    throw refused(`--allow-check ${quote(line)}: ${reason}`);
  });
}

/** Word by word: one word more, or less, is another command. */
export function isAllowed(argv: readonly string[], allowed: readonly AllowedCheck[]): boolean {
  return allowed.some(
    (it) => it.length === argv.length && it.every((word, at) => word === argv[at]),
  );
}

/** How the user allows a command for good. */
function lineToAllowCheck(argv: readonly string[]): string {
  return `checks: [${JSON.stringify(argv)}] in ${ownSettingsFile}`;
}

/** A command as people read it. */
export function commandText(argv: readonly string[]): string {
  return specText({ kind: "run", argv });
}
