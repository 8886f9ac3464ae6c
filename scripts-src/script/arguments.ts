import {
  type ErrorCode,
  exitCodes,
  type FailureReason,
  type OwnExitCode,
  refused,
} from "../base/errors.ts";
import { quote } from "../base/json.ts";

/** One option of a script. `flags` as commander has it: `--session <id>`, `--json`. */
export interface OptionSpec {
  readonly flags: string;
  readonly text: string;
  readonly required?: boolean;
  readonly many?: boolean;
}

export interface ScriptSpec {
  readonly name: string;
  /** What the script promises, in one sentence. */
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Positional arguments as commander has them: `<dir>`, `[question]`, `[words...]`. */
  readonly positionals?: readonly string[];
  /** Names and topics may begin with a dash: a word that is no option is one of them. */
  readonly dashWords?: boolean;
  /** Exit codes that a seed fixes for this script, or that not every script can end with. */
  readonly ownExitCodes?: readonly OwnExitCode[];
  /** For scripts that wait for others: they end by having nothing left to do. */
  readonly waits?: boolean;
  /** For scripts that are told where to be: they start also in a folder that is gone. */
  readonly startsAnywhere?: boolean;
  /** Examples and rules below the options in `--help`. */
  readonly notes?: readonly string[];
}

const sharedOption: OptionSpec = {
  flags: "--allow-shared",
  text: "use a workspace although others own it or may write to it",
};

/** The options of a script: all that may touch a workspace can be told that it is shared. */
export function optionsOf({ options, positionals = [] }: ScriptSpec): readonly OptionSpec[] {
  const touches =
    options.some((option) => ["workspace", "into"].includes(optionName(option))) ||
    positionals.some((name) => name.slice(1, -1) === "dir");
  return touches ? [...options, sharedOption] : options;
}

/** The exit code of a failure in this script. */
export function exitCodeOf(
  { ownExitCodes = [] }: ScriptSpec,
  code: ErrorCode | "USAGE",
  reason?: FailureReason,
): number {
  const own =
    ownExitCodes.find(({ failures }) => failures.some((it) => it === reason)) ??
    ownExitCodes.find(({ failures }) => failures.includes(code));
  return own?.exit ?? exitCodes[code === "USAGE" ? "REFUSED" : code];
}

/** What came on the command line, by option name without dashes. */
export class Arguments {
  readonly positionals: string[];
  readonly #values: ReadonlyMap<string, string[]>;

  constructor(values: ReadonlyMap<string, string[]>, positionals: string[]) {
    this.#values = values;
    this.positionals = positionals;
  }

  /** The last value of an option, or undefined. */
  one(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  /** The value of an option that the script requires; the parser has seen it. */
  required(name: string): string {
    const value = this.one(name);
    if (value === undefined)
      throw new Error(`option --${name} is used as required but not declared so`);
    return value;
  }

  many(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
}

/**
 * Reads a command line that is right: `--flag value`, `--flag=value`, unambiguous prefixes, repeated
 * options, `--`. Anything else gives undefined, and commander then says what is wrong: loading it
 * would cost every right call a quarter of the time that Node itself takes to start.
 */
export function parseArguments(spec: ScriptSpec, argv: readonly string[]): Arguments | undefined {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  const queue = [...argv];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") {
      positionals.push(...queue.splice(0));
    } else if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
    } else if (!readOption(spec, word, queue, values)) {
      // A number below zero, or a name that is none: the script itself says what is wrong with it.
      if (!(spec.dashWords ? /^-(?!-|h$)/ : /^-\d/).test(word)) return undefined;
      positionals.push(word);
    }
  }
  const complete = spec.options.every(
    (option) => !option.required || values.has(optionName(option)),
  );
  return complete && countFits(spec, positionals.length)
    ? new Arguments(values, positionals)
    : undefined;
}

function readOption(
  spec: ScriptSpec,
  word: string,
  queue: string[],
  values: Map<string, string[]>,
): boolean {
  const [flag = "", ...rest] = word.split("=");
  const option = findOption(spec, flag);
  if (option === undefined) return false;
  const name = optionName(option);
  if (!option.flags.includes("<")) {
    if (rest.length > 0) return false;
    values.set(name, ["true"]);
    return true;
  }
  const value = rest.length > 0 ? rest.join("=") : queue.shift();
  if (value === undefined) return false;
  values.set(name, option.many ? [...(values.get(name) ?? []), value] : [value]);
  return true;
}

function findOption(spec: ScriptSpec, flag: string): OptionSpec | undefined {
  const options = optionsOf(spec);
  const exact = options.find((option) => `--${optionName(option)}` === flag);
  if (exact !== undefined || flag.length < 3) return exact;
  const near = options.filter((option) => `--${optionName(option)}`.startsWith(flag));
  return near.length === 1 ? near[0] : undefined;
}

function countFits(spec: ScriptSpec, count: number): boolean {
  const declared = spec.positionals ?? [];
  const least = declared.filter((name) => name.startsWith("<")).length;
  const isOpen = declared.at(-1)?.endsWith("...]") === true;
  return count >= least && (isOpen || count <= declared.length);
}

export function optionName(option: OptionSpec): string {
  return option.flags.split(" ")[0]?.slice(2) ?? "";
}

/**
 * A whole number that an option gives; undefined without the option.
 * @throws ConsultaError REFUSED for anything else.
 */
export function wholeNumberOf(args: Arguments, option: string): number | undefined {
  const text = args.one(option);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(`--${option} is ${quote(text)}, expected a whole number`);
}
