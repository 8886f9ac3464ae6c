import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { list, text } from "../base/schema.ts";
import { ownSettingsFile, readOwnSettings, wrongSettings } from "../clis/user-settings.ts";
import { parseCommandWords, runSpec, specText } from "../protocol/check-spec.ts";

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
    throw new ConsultaError("REFUSED", `--allow-check ${quote(line)}: ${reason}`);
  });
}

/** Word by word: one word more, or less, is another command. */
export function isAllowed(argv: readonly string[], allowed: readonly AllowedCheck[]): boolean {
  return allowed.some(
    (it) => it.length === argv.length && it.every((word, at) => word === argv[at]),
  );
}

/** How the user allows a command for good. */
export function lineToAllowCheck(argv: readonly string[]): string {
  return `checks: [${JSON.stringify(argv)}] in ${ownSettingsFile}`;
}

/** A command as people read it. */
export function commandText(argv: readonly string[]): string {
  return specText({ kind: "run", argv });
}
