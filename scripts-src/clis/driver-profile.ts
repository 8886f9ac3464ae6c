import { quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import {
  type Faults,
  type FieldReader,
  fault,
  flag,
  integerBetween,
  list,
  mapOf,
  oneOf,
  type Partially,
  pattern,
  type Read,
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

const scalar: FieldReader<string | number | boolean> = (value, path, faults) =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : fault(faults, path, value, "a text, a number, true or false");

/**
 * Where something stands in what a CLI printed: at `from`, names of fields with dots between them, in an
 * object for which all of `when` holds; of several lines that fit in the last, or all as paragraphs.
 */
const selector = record({ from: words(), when: mapOf(scalar), take: oneOf(["last", "all"]) }, [
  "from",
]);
export type Selector = Read<typeof selector>;

/** How a failure is known, by the exit code or by what the CLI said, and what to do about it. */
const knownFailure = record({
  exit: integerBetween(0, 255),
  text: pattern(),
  /** "failed" where it is absent. */
  means: oneOf(failureKinds),
  advice: words(),
});
export type KnownFailure = Read<typeof knownFailure>;

/** What shows that somebody has signed in: a variable that is set, or a file that is there. */
const signInMark = record({ environment: words(), file: words(), note: words() });

const word = text(16_384);

const driverFields = {
  /** The program: a name on PATH, or where it is. */
  command: words(),
  /** Headless, and no permission beyond reading. */
  arguments: list(word),
  /** In place of these, for an audit: no tool, no file, no network but to its model. Absent: it cannot audit. */
  audit: record({ arguments: list(word), environment: mapOf(word), files: mapOf(word) }, [
    "arguments",
  ]),
  /** What follows the arguments when a conversation goes on; empty: every turn is a new one. */
  resume: list(word),
  /** What goes to standard input. */
  input: word,
  environment: mapOf(word),
  /** What it is given of the user's environment beside what all are; see `passedVariables`. */
  variables: list(words(256)),
  /** What of a project it runs, or reads such from, whatever it is told: no turn is given where that is there. */
  project_programs: list(words()),
  /** `acp`: the Agent Client Protocol, which tells itself what the fields up to `rejected` are for, and takes no `input`. */
  output: oneOf(["json", "json_lines", "text", "acp"]),
  answer: selector,
  conversation: selector,
  /** Each may tell why a turn failed. */
  error: list(selector),
  /** Each shows, by anything but nothing, that the CLI kept a tool from its model. */
  rejected: list(selector),
  failures: list(knownFailure),
  /** Makes the CLI print its version. */
  version: list(word),
  /** The version that this was run on, or that it was not. */
  tested: words(),
  install: words(),
  sign_in: words(),
  signs: list(signInMark),
  /** The system may keep the sign-in where no file shows it. */
  keyring: flag(),
  /** How to ask the CLI itself; it prints `signed_out` when nobody is signed in, and only then. */
  sign_in_check: record({ arguments: list(word), signed_out: pattern() }, [
    "arguments",
    "signed_out",
  ]),
};

/** An entry as somebody wrote it: everything may be absent. */
export type WrittenDriver = Partially<typeof driverFields>;

const maybe = [
  ...(["answer", "audit", "conversation", "install", "sign_in", "sign_in_check"] as const),
] as const;
type Maybe = (typeof maybe)[number];

/** All that Consulta knows about one CLI: a turn is given as this says, and by nothing else. */
export type DriverProfile = { readonly name: string } & {
  readonly [K in Exclude<keyof WrittenDriver, Maybe>]: Exclude<WrittenDriver[K], undefined>;
} & { readonly [K in Maybe]: WrittenDriver[K] };

const readWritten = record({ drivers: mapOf(record(driverFields)) });

/** Reads the entries below `drivers:`. */
export function readWrittenDrivers(
  file: unknown,
  faults: Faults,
): ReadonlyMap<string, WrittenDriver> {
  return readWritten(file, "", faults)?.drivers ?? new Map();
}

/** A profile as an audit uses it; undefined for a CLI of which nobody knows how to keep tools from it. */
export function auditProfile(profile: DriverProfile): DriverProfile | undefined {
  const { audit, environment } = profile;
  if (audit === undefined) return undefined;
  const own = new Map([...environment, ...(audit.environment ?? [])]);
  return { ...profile, arguments: audit.arguments, environment: own };
}

/** A CLI may have what shows that its user is signed in, and what its profile lists. */
export function variablesOf({ signs, variables }: DriverProfile): string[] {
  const shown = signs.flatMap(({ environment, file = "" }) => [
    ...(environment === undefined ? [] : [environment]),
    ...(/^\$(\w+)\//.exec(file)?.slice(1) ?? []),
  ]);
  return [...shown, ...variables];
}

/** The places for the task of a turn, in `input` or `arguments`. */
const promptPlace = /\{prompt(?:_json|_file)?\}/;

const defaults = {
  command: "",
  arguments: [],
  resume: [],
  environment: new Map<string, string>(),
  variables: [],
  project_programs: [],
  output: "text" as const,
  answer: undefined,
  audit: undefined,
  conversation: undefined,
  error: [],
  rejected: [],
  failures: [],
  version: ["--version"],
  tested: "never: it is an entry of the user",
  install: undefined,
  sign_in: undefined,
  signs: [],
  keyring: false,
  sign_in_check: undefined,
};

/** Completes an entry; what is wrong with it goes to the faults. */
export function completeDriver(
  name: string,
  written: WrittenDriver,
  faults: Faults,
): DriverProfile {
  const inArguments = written.arguments?.some((it) => promptPlace.test(it)) === true;
  const input = inArguments ? "" : "{prompt}";
  const profile = { name, input, ...defaults, ...defined(written) };
  faults.found.push(...faultsOf(profile).map((it) => `drivers.${name}${it}`));
  return profile;
}

/** Names that run participants without being a CLI. */
const takenNames = ["me", "elsewhere", "command", "acp"];

/** Whatever makes a profile senseless as a whole, each beginning with the field that it is about. */
function faultsOf(profile: DriverProfile): string[] {
  const { name, command, input, arguments: given, output, answer, conversation, resume } = profile;
  const isJson = output === "json" || output === "json_lines";
  const isName = isSafeName(name) && !takenNames.includes(name);
  const checks: readonly (readonly [fails: boolean, fault: string])[] = [
    [
      !isName,
      " cannot name a driver, expected lower case letters, digits, '-', '_' or '.', " +
        `and none of ${takenNames.join(", ")}`,
    ],
    [command === "", ".command is missing, expected the program to run, such as aider"],
    [
      !/^[^/\\]*$|^~?\/|^[A-Za-z]:\\/.test(command),
      `.command is ${quote(command)}, expected a program on PATH or a whole path`,
    ],
    [
      ![input, ...given].some((it) => promptPlace.test(it)),
      ".input has no {prompt}, expected {prompt} or {prompt_json} in it, " +
        "or {prompt} or {prompt_file} in arguments",
    ],
    [
      isJson && answer === undefined,
      `.answer is missing, expected where in the ${output} it stands, such as {from: result}`,
    ],
    [
      resume.length > 0 && !resume.some((it) => it.includes("{conversation}")),
      ".resume has no {conversation}, expected it in one word",
    ],
    [
      resume.length > 0 && isJson && conversation === undefined,
      ".conversation is missing, expected where its id stands, such as {from: session_id}",
    ],
    [
      profile.failures.some(({ exit, text: said }) => exit === undefined && said === undefined),
      ".failures has an entry for every failure, expected exit or text in each",
    ],
  ];
  return checks.flatMap(([fails, text]) => (fails ? [text] : []));
}
