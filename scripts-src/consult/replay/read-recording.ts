import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
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
import type { AllowedCheck } from "../../evidence/allowed-checks.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { isFolder, realpathSync, statSync } from "../../files/disk.ts";
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
  /** Whether it came with these scripts, so that its commands are as much ours as they are. */
  readonly isShipped: boolean;
}

/** One message, or one check. `name` lets later steps refer to it as `{name}`. */
export type RecordedStep = { readonly by: string; readonly name?: string | undefined } & (
  | { readonly message: JsonObject }
  | { readonly check: RecordedCheck }
);

/** A claim's own check, or a free observation. */
export type RecordedCheck = { readonly claim: string } | { readonly spec: CheckSpec };

const fileName = "session.json";

/**
 * Reads the recorded session that `given` names: a folder, or one of the examples beside the scripts.
 * @throws ConsultaError REFUSED when there is none or it cannot be read.
 */
export function readRecording(given: string, scripts: string): Recording {
  const folder = folderOf(given, scripts);
  const path = join(folder, fileName);
  const text = readFileIfPresent(path, limits.messageBytes) ?? "";
  const faults: Faults = { found: [], strict: true };
  const read = readSession(parseStrictJson(text, path), "", faults);
  const [fault] = faults.found;
  if (fault !== undefined || read === undefined)
    throw new ConsultaError("REFUSED", `${path} is not a recorded session: ${fault}`);
  const { topic = "", mode, participants = [], checks = [], steps = [] } = read;
  const name = folder.split(/[/\\]/).at(-1) ?? "";
  return {
    ...{ name, topic, participants, steps },
    project: join(folder, "project"),
    about: read.package ?? name,
    mode: parseMode(mode),
    commands: checks.filter((argv) => !("fault" in runSpec(argv))),
    isShipped: shippedExamples(scripts).some((root) => join(root, name) === folder),
  };
}

/** In a clone the scripts are in `dist/`, in a skill of the clone in `skills/NAME/scripts/`. */
function shippedExamples(scripts: string): string[] {
  const places = [join(scripts, "..", "examples"), join(scripts, "..", "..", "..", "examples")];
  return places.filter(isFolder).map((place) => realpathSync(place));
}

/** The names of the recorded sessions that came with these scripts. */
export function exampleNames(scripts: string): string[] {
  const inRoot = (root: string) => namesIn(root).filter((it) => isFolder(join(root, it)));
  return shippedExamples(scripts).flatMap(inRoot).sort();
}

function folderOf(given: string, scripts: string): string {
  const roots = shippedExamples(scripts);
  const [last = ""] = given.split(/[/\\]/).slice(-1);
  const places = [given, ...roots.map((root) => join(root, last))];
  const found = places.find((place) => isFile(join(place, fileName)));
  if (found !== undefined) return realpathSync(found);
  const known = exampleNames(scripts);
  const paths = known.map((it) => `examples/${it}`);
  const way =
    known.length > 0
      ? nameHint(`examples/${last}`, paths)
      : "the examples are in a clone of Consulta, in examples/; name such a folder";
  throw new ConsultaError("REFUSED", `there is no recorded session ${quote(given)}; ${way}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
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
