import { basename, dirname, join } from "node:path";
import { refused } from "../../base/errors.ts";
import {
  inline,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  quote,
} from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { type Faults, type FieldReader, list, record, words } from "../../base/schema.ts";
import type { AllowedCheck } from "../../evidence/consent.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { isFolder, realpathSync } from "../../files/disk.ts";
import { type CheckSpec, parseCheckSpec, runSpec } from "../../protocol/check-spec.ts";
import { type Mode, parseMode } from "../../protocol/config.ts";

/** A session that was recorded: what each side said, and which checks it made. */
export interface Recording {
  readonly name: string;
  /** The files that the session is about. */
  readonly project: string;
  readonly topic: string;
  /** What these files are, for people: `ms 2.1.3 (MIT)`. */
  readonly about: string;
  readonly participants: readonly string[];
  readonly mode: Mode | undefined;
  readonly steps: readonly RecordedStep[];
  /** The commands that its checks run. */
  readonly commands: readonly AllowedCheck[];
}

/** One message, or one check. `name` lets later steps refer to it as `{name}`. */
export type RecordedStep = { readonly by: string; readonly name?: string | undefined } & (
  | { readonly message: JsonObject }
  | { readonly check: RecordedCheck }
);

/** A claim's own check, or a free observation. */
export type RecordedCheck = { readonly claim: string } | { readonly spec: CheckSpec };

/**
 * Reads the recorded session that `given` names: one of the examples that came with these scripts.
 * @throws ConsultaError REFUSED when it is none of them.
 */
export function readRecording(given: string, scripts: string): Recording {
  const folder = folderOf(given, scripts);
  const path = join(folder, "session.json");
  const text = readFileIfPresent(path, limits.messageBytes) ?? "";
  const faults: Faults = { found: [], strict: true };
  const read = readSession(parseStrictJson(text, path), "", faults);
  const [fault] = faults.found;
  if (fault !== undefined || read === undefined)
    throw refused(`${path} is not a recorded session: ${fault}`);
  const { topic = "", mode, participants = [], checks = [], steps = [] } = read;
  const name = basename(folder);
  return {
    ...{ name, topic, participants, steps },
    project: join(folder, "project"),
    about: read.package ?? name,
    mode: parseMode(mode),
    commands: checks.filter((argv) => !("fault" in runSpec(argv))),
  };
}

/** The folders of the recorded sessions: beside `dist/` of a clone, or beside the skills of one. */
function examplesBeside(scripts: string): string[] {
  const places = [join(scripts, "..", "examples"), join(scripts, "..", "..", "..", "examples")];
  const root = places.find(isFolder);
  const names = root === undefined ? [] : namesIn(root).sort();
  return names.map((name) => realpathSync(join(root ?? "", name))).filter(isFolder);
}

/** The names of the recorded sessions that came with these scripts. */
export function exampleNames(scripts: string): string[] {
  return examplesBeside(scripts).map((it) => basename(it));
}

/** What lies elsewhere is played by nobody: its checks run commands. */
function folderOf(given: string, scripts: string): string {
  const own = examplesBeside(scripts);
  const meant = isFolder(given) ? realpathSync(given) : undefined;
  const found = own.find((it) => it === (meant ?? join(dirname(it), basename(given))));
  if (found !== undefined) return found;
  const way =
    own.length > 0
      ? nameHint(
          `examples/${basename(given)}`,
          own.map((it) => `examples/${basename(it)}`),
        )
      : "the examples are in a clone of Consulta, in examples/";
  throw refused(`${quote(given)} is no example of these scripts; ${way}`);
}

const anyObject: FieldReader<JsonObject> = (value, path, faults) => {
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  if (isJsonObject(json)) return json;
  faults.found.push(`${path} is ${inline(JSON.stringify(value))}, expected an object`);
  return undefined;
};

const readStep: FieldReader<RecordedStep> = (value, path, faults) => {
  const fields = { by: words(), name: words(), message: anyObject, check: list(words(), 20) };
  const { by, name, message, check } = record(fields, ["by"])(value, path, faults) ?? {};
  if (by === undefined) return undefined;
  if (message !== undefined) return { by, name, message };
  const spec = checkOf(check ?? []);
  if (!("fault" in spec)) return { by, name, check: spec };
  faults.found.push(`${path}: ${spec.fault}`);
  return undefined;
};

/** The words that `check` takes. */
function checkOf([option, value = "", ...more]: readonly string[]):
  | RecordedCheck
  | { readonly fault: string } {
  if (option === "--claim") return { claim: value };
  const spec =
    option === "--cite"
      ? parseCheckSpec(JSON.stringify(value))
      : option === "--run" && value === "--"
        ? runSpec(more)
        : { fault: "expected a message, or a check by --claim, --cite or --run --" };
  return "fault" in spec ? spec : { spec };
}

const readSession = record(
  {
    topic: words(),
    package: words(),
    participants: list(words(), 2),
    mode: words(),
    checks: list(list(words(), 20), 20),
    steps: list(readStep, 200),
  },
  ["topic", "participants", "steps"],
);
