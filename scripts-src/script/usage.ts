import { Command, CommanderError, Option } from "commander";
import { exitCodeAdvice, exitCodes, exitsOfAll } from "../base/errors.ts";
import { meantHint } from "../base/nearest-name.ts";
import { packVersion } from "../base/pack-version.ts";
import { asLine } from "../base/visible-text.ts";
import { exitCodeOf, optionName, optionsOf, type ScriptSpec } from "./arguments.ts";
import { commandLine } from "./command-line.ts";

/**
 * Answers a command line that the quick parser did not accept: help, version, or what is wrong
 * with it and how to put it right.
 */
export function explainUsage(
  spec: ScriptSpec,
  argv: readonly string[],
): { text: string; exitCode: number } {
  let text = "";
  const command = commandFor(spec).configureOutput({
    writeOut: (part) => {
      text += part;
    },
    writeErr: () => undefined,
  });
  let fault = `error: ${spec.name} cannot read these arguments: ${asLine(argv.join(" "))}`;
  try {
    // Its messages quote the arguments: a line break in one must not begin a line that looks like ours.
    command.parse(argv.map(asLine), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { text, exitCode: exitCodes.OK };
    const message = error.message.replace(". Expected", ": expected").replace(/\.$/, "");
    fault = `${message}${wayOut(spec, error)}`;
  }
  return {
    text: `${fault}; for all options run: ${commandLine(spec.name, {}, ["--help"])}\n`,
    exitCode: exitCodeOf(spec, "USAGE"),
  };
}

/** What was expected instead, when that is known. */
function wayOut(spec: ScriptSpec, { code, message }: CommanderError): string {
  if (code === "commander.unknownOption") {
    const [, given = ""] = /'(--?[^'=]*)/.exec(message) ?? [];
    const known = [...optionsOf(spec).map(optionName), "help", "version"].map(
      (name) => `--${name}`,
    );
    return meantHint(given, known);
  }
  const isAboutPositionals = ["commander.missingArgument", "commander.excessArguments"].includes(
    code,
  );
  return isAboutPositionals
    ? `; use it as: ${[spec.name, ...(spec.positionals ?? [])].join(" ")}`
    : "";
}

function commandFor(spec: ScriptSpec): Command {
  const command = new Command(spec.name)
    .description(spec.summary)
    .version(`consulta ${packVersion}`, "--version", "print the version")
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .action(() => undefined);
  for (const name of spec.positionals ?? []) command.argument(name);
  for (const option of optionsOf(spec)) {
    const made = new Option(
      option.flags,
      option.required ? `${option.text} (required)` : option.text,
    );
    if (option.required) made.makeOptionMandatory();
    if (option.many)
      made.argParser((value: string, previous: string[] | undefined) => [
        ...(previous ?? []),
        value,
      ]);
    command.addOption(made);
  }
  return command.addHelpText("after", helpTail(spec));
}

function helpTail(spec: ScriptSpec): string {
  const notes = spec.notes ?? [];
  const codes = codeLines(spec).map(([exit, advice]) => `  ${exit}  ${advice}`);
  return ["", ...notes, ...(notes.length > 0 ? [""] : []), "Exit codes:", ...codes].join("\n");
}

/** The script's exit codes in order: its own, and the common ones that they do not replace. */
function codeLines({ ownExitCodes = [] }: ScriptSpec): [exit: number, advice: string][] {
  const common = exitsOfAll.filter(
    (name) =>
      !ownExitCodes.some(
        ({ exit, failures }) => exit === exitCodes[name] || failures.some((it) => it === name),
      ),
  );
  const lines: [number, string][] = [
    ...common.map((name): [number, string] => [exitCodes[name], exitCodeAdvice[name]]),
    ...ownExitCodes.map(({ exit, advice }): [number, string] => [exit, advice]),
  ];
  return lines.sort(([one], [other]) => one - other);
}
