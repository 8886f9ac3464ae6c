import { quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import {
  type Faults,
  type FieldReader,
  flag,
  integerBetween,
  list,
  mapOf,
  oneOf,
  type Partially,
  pattern,
  record,
  text,
  words,
} from "../base/schema.ts";

/**
 * What the failure of a CLI is. Only the user can help with the last four, not another try:
 * the session waits.
 */
export const failureKinds = ["failed", "signed_out", "quota", "version", "untrusted"] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Where something stands in what a CLI printed: at `from` in an object for which all of `when` holds. */
export interface Selector {
  /** Names of fields, with dots between them. */
  readonly from: string;
  readonly when: ReadonlyMap<string, string | number | boolean>;
  /** Of several lines that fit: the last, or all of them as paragraphs. */
  readonly take: "last" | "all";
}

/** How a failure is known, by the exit code or by what the CLI said, and what to do about it. */
export interface KnownFailure {
  readonly exit: number | undefined;
  readonly text: RegExp | undefined;
  readonly means: FailureKind;
  readonly advice: string | undefined;
}

/** What shows that somebody has signed in: a variable that is set, or a file that is there. */
export interface SignInMark {
  readonly environment: string | undefined;
  readonly file: string | undefined;
  /** What else is to be known where this one is found. */
  readonly note: string | undefined;
}

/** All that Consulta knows about one CLI: a turn is given as this says, and by nothing else. */
export interface DriverProfile {
  readonly name: string;
  /** The program: a name on PATH, or where it is. */
  readonly command: string;
  /** Headless, and no permission beyond reading. */
  readonly arguments: readonly string[];
  /** What follows the arguments when a conversation goes on; empty: every turn is a new one. */
  readonly resume: readonly string[];
  /** What goes to standard input. */
  readonly input: string;
  readonly environment: ReadonlyMap<string, string>;
  /** What it is given of the user's environment beside what all are; see `passedVariables`. */
  readonly variables: readonly string[];
  readonly output: "json" | "json_lines" | "text";
  readonly answer: Selector | undefined;
  readonly conversation: Selector | undefined;
  /** Each may tell why a turn failed. */
  readonly error: readonly Selector[];
  /** Each shows, by anything but nothing, that the CLI kept a tool from its model. */
  readonly refused: readonly Selector[];
  readonly failures: readonly KnownFailure[];
  /** Makes the CLI print its version. */
  readonly version: readonly string[];
  /** The version that this was run on, or that it was not. */
  readonly tested: string;
  readonly install: string | undefined;
  readonly signIn: string | undefined;
  readonly signs: readonly SignInMark[];
  /** The system may keep the sign-in where no file shows it. */
  readonly keyring: boolean;
  /** How to ask the CLI itself, where it can tell; absent where it cannot. */
  readonly signInCheck: SignInCheck | undefined;
}

export interface SignInCheck {
  readonly arguments: readonly string[];
  /** What it prints when nobody is signed in, and only then. */
  readonly signedOut: RegExp;
}

const scalar: FieldReader<string | number | boolean> = (value, path, faults) => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  faults.found.push(`${path} is ${quote(value)}, expected a text, a number, true or false`);
  return undefined;
};

const selectorFields = { from: words(), when: mapOf(scalar), take: oneOf(["last", "all"]) };
const failureFields = {
  exit: integerBetween(0, 255),
  text: pattern(),
  means: oneOf(failureKinds),
  advice: words(),
};
const signFields = { environment: words(), file: words(), note: words() };

/** A CLI may have what shows that its user is signed in, and what its profile lists. */
export function variablesOf({ signs, variables }: DriverProfile): string[] {
  const shown = signs.flatMap(({ environment, file = "" }) => [
    ...(environment === undefined ? [] : [environment]),
    ...(/^\$(\w+)\//.exec(file)?.slice(1) ?? []),
  ]);
  return [...shown, ...variables];
}

const selector = record(selectorFields, ["from"]);
const word = text(16_384);
const signInCheckFields = { arguments: list(word), signed_out: pattern() };

const driverFields = {
  command: words(),
  arguments: list(word),
  resume: list(word),
  input: word,
  environment: mapOf(word),
  variables: list(words(256)),
  output: oneOf(["json", "json_lines", "text"]),
  answer: selector,
  conversation: selector,
  error: list(selector),
  refused: list(selector),
  failures: list(record(failureFields)),
  version: list(word),
  tested: words(),
  install: words(),
  sign_in: words(),
  signs: list(record(signFields)),
  keyring: flag(),
  sign_in_check: record(signInCheckFields, ["arguments", "signed_out"]),
};

/** An entry as somebody wrote it: everything may be absent. */
export type WrittenDriver = Partially<typeof driverFields>;

const readDrivers = record({ drivers: mapOf(record(driverFields)) });

/** Reads the entries below `drivers:`. */
export function readWrittenDrivers(
  file: unknown,
  faults: Faults,
): ReadonlyMap<string, WrittenDriver> {
  return readDrivers(file, "", faults)?.drivers ?? new Map();
}

/** The places for the task of a turn, in `input` or `arguments`. */
const promptPlace = /\{prompt(?:_json|_file)?\}/;

/** Completes an entry; what is wrong with it goes to the faults. */
export function completeDriver(
  name: string,
  written: WrittenDriver,
  faults: Faults,
): DriverProfile {
  const given = written.arguments ?? [];
  const inArguments = given.some((it) => promptPlace.test(it));
  const profile = {
    name,
    command: written.command ?? "",
    arguments: given,
    resume: written.resume ?? [],
    input: written.input ?? (inArguments ? "" : "{prompt}"),
    environment: written.environment ?? new Map(),
    variables: written.variables ?? [],
    output: written.output ?? "text",
    answer: selectorOf(written.answer),
    conversation: selectorOf(written.conversation),
    error: (written.error ?? []).flatMap((it) => selectorOf(it) ?? []),
    refused: (written.refused ?? []).flatMap((it) => selectorOf(it) ?? []),
    failures: (written.failures ?? []).map(failureOf),
    version: written.version ?? ["--version"],
    tested: written.tested ?? "never: it is an entry of the user",
    install: written.install,
    signIn: written.sign_in,
    signs: (written.signs ?? []).map(signOf),
    keyring: written.keyring ?? false,
    signInCheck: signInCheckOf(written.sign_in_check),
  };
  faults.found.push(...faultsOf(profile).map((it) => `drivers.${name}${it}`));
  return profile;
}

function selectorOf(it: Partially<typeof selectorFields> | undefined): Selector | undefined {
  if (it?.from === undefined) return undefined;
  return { from: it.from, when: it.when ?? new Map(), take: it.take ?? "last" };
}

function failureOf({ exit, text, means, advice }: Partially<typeof failureFields>): KnownFailure {
  return { exit, text, means: means ?? "failed", advice };
}

function signOf({ environment, file, note }: Partially<typeof signFields>): SignInMark {
  return { environment, file, note };
}

function signInCheckOf(
  check: Partially<typeof signInCheckFields> | undefined,
): SignInCheck | undefined {
  const { arguments: words, signed_out: signedOut } = check ?? {};
  return words === undefined || signedOut === undefined
    ? undefined
    : { arguments: words, signedOut };
}

/** Names that run participants without being a CLI. */
const takenNames = new Set(["me", "elsewhere", "command"]);

/** Whatever makes a profile senseless as a whole, each beginning with the field that it is about. */
function faultsOf(profile: DriverProfile): string[] {
  return [...commandFaults(profile), ...outputFaults(profile), ...entryFaults(profile)];
}

function commandFaults({ name, command, input, arguments: words }: DriverProfile): string[] {
  const isName = isSafeName(name) && !takenNames.has(name);
  const example = isName ? name : "aider";
  return faultsWhere([
    [
      !isName,
      " cannot name a driver, expected lower case letters, digits, '-', '_' or '.', " +
        `and none of ${[...takenNames].join(", ")}`,
    ],
    [command === "", `.command is missing, expected the program to run, such as ${example}`],
    [
      !/^[^/\\]*$|^~?\/|^[A-Za-z]:\\/.test(command),
      `.command is ${quote(command)}, expected a program on PATH or a whole path`,
    ],
    [
      ![input, ...words].some((it) => promptPlace.test(it)),
      ".input has no {prompt}, expected {prompt} or {prompt_json} in it, " +
        "or {prompt} or {prompt_file} in arguments",
    ],
  ]);
}

function outputFaults({ output, answer, conversation, resume }: DriverProfile): string[] {
  return faultsWhere([
    [
      output !== "text" && answer === undefined,
      `.answer is missing, expected where in the ${output} it stands, such as {from: result}`,
    ],
    [
      resume.length > 0 && !resume.some((it) => it.includes("{conversation}")),
      ".resume has no {conversation}, expected it in one word",
    ],
    [
      resume.length > 0 && output !== "text" && conversation === undefined,
      ".conversation is missing, expected where its id stands, such as {from: session_id}",
    ],
  ]);
}

function entryFaults({ failures, signs }: DriverProfile): string[] {
  return faultsWhere([
    ...failures.map(
      ({ exit, text }, index) =>
        [
          exit === undefined && text === undefined,
          `.failures[${index}] has neither exit nor text, expected one of them`,
        ] as const,
    ),
    ...signs.map(
      ({ environment, file }, index) =>
        [
          environment === undefined && file === undefined,
          `.signs[${index}] has neither environment nor file, expected one of them`,
        ] as const,
    ),
  ]);
}

function faultsWhere(checks: readonly (readonly [fails: boolean, fault: string])[]): string[] {
  return checks.flatMap(([fails, fault]) => (fails ? [fault] : []));
}

/** The entries that somebody wrote over those that are there, field by field; new ones at the end. */
export function mergeDrivers(
  base: ReadonlyMap<string, WrittenDriver>,
  over: ReadonlyMap<string, WrittenDriver>,
): Map<string, WrittenDriver> {
  const merged = new Map(base);
  for (const [name, written] of over) merged.set(name, { ...merged.get(name), ...written });
  return merged;
}
