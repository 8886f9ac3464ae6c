import { type ConsultaError, refused } from "../base/errors.ts";
import { type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import {
  type Faults,
  type FieldReader,
  fault,
  flag,
  integerBetween,
  list,
  numberBetween,
  oneOf,
  record,
  words,
} from "../base/schema.ts";

/**
 * The modes of a dialogue. The seed names them and says no more; these are our meanings.
 *
 * - `rapida`: strict turns, agreement allowed from the first answer.
 * - `profondo`: strict turns; nobody may AGREE in round 1, nor without a check of its own.
 * - `parallelo`: no turns; both write whenever they have something, a round ends when both have.
 * - `competitiva`: blind first; both state their position sealed, then strict turns.
 */
export const modes = ["rapida", "profondo", "parallelo", "competitiva"] as const;
export type Mode = (typeof modes)[number];

/** What people call the modes in English; logs and configs have the seed's names. */
const modeNames: Readonly<Record<string, Mode>> = {
  turns: "rapida",
  deep: "profondo",
  async: "parallelo",
  blind: "competitiva",
};

/** The names of modes that people read. */
export const modeWords: readonly string[] = Object.keys(modeNames);

export function modeWord(mode: Mode): string {
  return modeWords.find((word) => modeNames[word] === mode) ?? mode;
}

/**
 * The mode that a user named; undefined when none was.
 * @throws ConsultaError REFUSED for anything else.
 */
export function parseMode(text: string | undefined): Mode | undefined {
  if (text === undefined) return undefined;
  const mode = modes.find((name) => name === text) ?? modeNames[text];
  if (mode !== undefined) return mode;
  throw refused(`unknown mode ${quote(text)}; ${nameHint(text, modeWords)}`);
}

const readName = oneOf([...modeWords, ...modes]);

/** A mode by either name. */
const readMode: FieldReader<Mode> = (value, path, faults) => {
  const name = readName(value, path, faults);
  return name === undefined ? undefined : parseMode(name);
};

/** What to do when the colleague is not there: ask the user, run it headless, or wait. */
export const fallbackModes = ["ask_user", "headless", "wait"] as const;

/** Quiet to talkative: what scripts say on stderr beside errors. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

/** A name of a store, never an address: what it leads to is for each user to say. */
function readStoreName(value: unknown, path: string, faults: Faults): string | undefined {
  if (typeof value === "string" && /^(?:files|(?:git|etcd):[A-Za-z0-9][\w.-]{0,127})$/.test(value))
    return value;
  return fault(faults, path, value, "files, git:NAME or etcd:NAME");
}

/** What each key may hold. */
export const configFields = {
  protocol_version: oneOf(["1.0", "1.1", "1.2"]),
  max_rounds: integerBetween(1, 10_000_000),
  polling_interval_seconds: numberBetween(0.1, 3_600),
  heartbeat_seconds: numberBetween(1, 3_600),
  presence_timeout_seconds: numberBetween(1, 86_400),
  message_timeout_seconds: numberBetween(0, 604_800),
  /** The hooks are installed with a timeout a minute above the most. */
  hook_wait_seconds: numberBetween(0, 1_800),
  consensus_confidence_threshold: numberBetween(0, 1),
  deadlock_detection_rounds: integerBetween(1, 1_000),
  auto_escalate_on_deadlock: flag(),
  max_concurrent_sessions: integerBetween(1, 1_000),
  modes_enabled: list(readMode),
  default_mode: readMode,
  fallback_mode: oneOf(fallbackModes),
  artifacts_dir: words(64),
  log_level: oneOf(logLevels),
  cleanup_completed_sessions_after_days: numberBetween(0, 36_500),
  brain: flag(),
  owner_words: list(words(64)),
  store: readStoreName,
};

type Fields = typeof configFields;
export type Config = {
  [K in keyof Fields]: NonNullable<ReturnType<Fields[K]>>;
};

/** The seed's values (originals.md 1.3), and ours. `.consulta/config.json` holds the same. */
export const defaultConfig: Config = {
  protocol_version: "1.2",
  max_rounds: 10,
  polling_interval_seconds: 3,
  heartbeat_seconds: 30,
  presence_timeout_seconds: 60,
  message_timeout_seconds: 300,
  hook_wait_seconds: 1_800,
  consensus_confidence_threshold: 0.85,
  deadlock_detection_rounds: 3,
  auto_escalate_on_deadlock: true,
  max_concurrent_sessions: 3,
  modes_enabled: [...modes],
  default_mode: "rapida",
  fallback_mode: "ask_user",
  artifacts_dir: "artifacts",
  log_level: "info",
  cleanup_completed_sessions_after_days: 30,
  brain: true,
  owner_words: [],
  store: "files",
};

/** The file that a fresh workspace gets. */
export function defaultConfigText(): string {
  return `${JSON.stringify(defaultConfig, undefined, 2)}\n`;
}

/**
 * Reads a workspace's config; absent keys have the seed's values.
 * @throws ConsultaError REFUSED when a key is unknown (it would have no effect), out of range, or looser
 * than the default and than what the user allows in `own`.
 */
export function parseConfig(value: JsonValue, own: ConfigLimits = {}): Config {
  const faults: Faults = { found: [], strict: true };
  const given = record(configFields)(value, "", faults) ?? {};
  if (faults.found.length > 0) throw wrongConfig(faults.found);
  const config: Config = { ...defaultConfig };
  Object.assign(config, given);
  const conflicts = [...conflictsIn(config), ...looseningIn(config, defaultConfig, own)];
  if (conflicts.length > 0) throw wrongConfig(conflicts);
  return config;
}

function conflictsIn(config: Config): string[] {
  const { artifacts_dir: folder, default_mode, modes_enabled } = config;
  const conflicts: string[] = [];
  if (!modes_enabled.includes(default_mode)) {
    conflicts.push(`default_mode is ${default_mode}, which modes_enabled does not list`);
  }
  if (config.presence_timeout_seconds <= config.heartbeat_seconds) {
    conflicts.push("presence_timeout_seconds must be more than heartbeat_seconds");
  }
  const { cleanup_completed_sessions_after_days: days } = config;
  if (days > 0 && days < 1) {
    conflicts.push("cleanup_completed_sessions_after_days must be 0 (never) or at least 1");
  }
  const isPlain = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(folder);
  // On many disks SESSIONS is sessions.
  const name = folder.toLowerCase();
  const isTaken = takenFolders.has(name) || name.startsWith("inbox-") || !isSafeName(name);
  if (!isPlain || isTaken) {
    conflicts.push("artifacts_dir must be one new folder name inside .consulta");
  }
  return conflicts;
}

function wrongConfig(faults: string[]): ConsultaError {
  return refused(`config.json: ${faults.join("; ")}; correct the file`);
}

const takenFolders = new Set([
  "archive",
  "boards",
  "brain",
  "drafts",
  "errors",
  "sessions",
  "profiles",
  "journal",
  "presence",
  "scripts",
]);

const ruleKeys = [
  "max_rounds",
  "consensus_confidence_threshold",
  "deadlock_detection_rounds",
  "auto_escalate_on_deadlock",
] as const;

/** The part of the config that rules a session; the log keeps it, so that replay needs no config. */
export type Rules = Pick<Config, (typeof ruleKeys)[number]>;

/** The loosest rules that any config may set. */
const loosestRules: Rules = {
  max_rounds: 10_000_000,
  consensus_confidence_threshold: 0,
  deadlock_detection_rounds: 1_000,
  auto_escalate_on_deadlock: false,
};

const anyNumber = numberBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
const readWholeRules = record(
  {
    max_rounds: anyNumber,
    consensus_confidence_threshold: anyNumber,
    deadlock_detection_rounds: anyNumber,
    auto_escalate_on_deadlock: flag(),
  },
  ruleKeys,
);

/** Rules as a log or a setting has them; undefined for anything else. */
export function readRules(value: unknown): Rules | undefined {
  return readWholeRules(value, "", { found: [], strict: false });
}

/** What bounds the rules of every log that this user reads; without settings nothing does. */
export function boundsIn(settings: JsonObject): Rules {
  return readRules(settings["bounds"]) ?? loosestRules;
}

/** What `boundsIn` reads: the loosest rules that the user lets a project set. */
export function boundsFor(own: ConfigLimits): JsonObject {
  return { bounds: { ...rulesOf(loosestAllowed(defaultConfig, own)) } };
}

/** The rules of a log, which may have come with a clone: where they are looser than the bounds, the bounds count. */
export function boundedRules(rules: Rules, bounds: Rules): Rules {
  const bounded = { ...bounds };
  for (const key of ["max_rounds", "deadlock_detection_rounds"] as const)
    bounded[key] = Math.min(rules[key], bounds[key]);
  const threshold = "consensus_confidence_threshold";
  bounded[threshold] = Math.max(rules[threshold], bounds[threshold]);
  bounded.auto_escalate_on_deadlock ||= rules.auto_escalate_on_deadlock;
  return bounded;
}

export function rulesOf(config: Rules): Rules {
  return {
    max_rounds: config.max_rounds,
    consensus_confidence_threshold: config.consensus_confidence_threshold,
    deadlock_detection_rounds: config.deadlock_detection_rounds,
    auto_escalate_on_deadlock: config.auto_escalate_on_deadlock,
  };
}

/** How far projects may go, where the user's own settings allow more than the defaults. */
export const readConfigLimits = record({
  max_rounds: integerBetween(1, 10_000_000),
  max_concurrent_sessions: integerBetween(1, 1_000),
  consensus_confidence_threshold: numberBetween(0, 1),
  deadlock_detection_rounds: integerBetween(1, 1_000),
  auto_escalate_on_deadlock: flag(),
  fallback_mode: oneOf(["headless"]),
  cleanup_completed_sessions_after_days: numberBetween(1, 36_500),
});

export type ConfigLimits = NonNullable<ReturnType<typeof readConfigLimits>>;

/** Keys that would harm the user if a project could raise them, or lower them, freely; a test names why others harm nobody. */
const mostCounts = ["max_rounds", "max_concurrent_sessions", "deadlock_detection_rounds"] as const;
const leastCounts = [
  "consensus_confidence_threshold",
  "cleanup_completed_sessions_after_days",
] as const;

/** What of a config can be too loose. */
type Bounds = Record<(typeof mostCounts)[number] | (typeof leastCounts)[number], number> & {
  auto_escalate_on_deadlock: boolean;
  fallback_mode: string;
};

/** The config with each value as loose as a project may set it. */
export function loosestAllowed(defaults: Bounds, own: ConfigLimits): Bounds {
  const loosest = { ...defaults };
  for (const key of mostCounts) loosest[key] = Math.max(defaults[key], own[key] ?? 0);
  for (const key of leastCounts) loosest[key] = Math.min(defaults[key], own[key] ?? defaults[key]);
  return { ...loosest, auto_escalate_on_deadlock: own.auto_escalate_on_deadlock !== false };
}

/**
 * What a project's config would loosen: it may come with a clone, so it can only be stricter than
 * the defaults, or than what the user allows.
 */
function looseningIn(config: Bounds, defaults: Bounds, own: ConfigLimits): string[] {
  const allowed = loosestAllowed(defaults, own);
  const { auto_escalate_on_deadlock: escalates, fallback_mode: fallback } = config;
  const faults = mostCounts
    .filter((key) => config[key] > allowed[key])
    .map((key) => tooLoose(key, config[key], `at most ${allowed[key]}`));
  for (const key of leastCounts) {
    // Of days 0 means never, which harms nobody.
    const isDays = key === "cleanup_completed_sessions_after_days";
    const isNever = isDays && config[key] === 0;
    const bound = `${isDays ? "0 (never) or " : ""}at least ${allowed[key]}`;
    if (config[key] < allowed[key] && !isNever) faults.push(tooLoose(key, config[key], bound));
  }
  if (!escalates && allowed.auto_escalate_on_deadlock)
    faults.push(tooLoose("auto_escalate_on_deadlock", false, "true"));
  if (fallback === "headless" && own.fallback_mode !== "headless")
    faults.push(tooLoose("fallback_mode", fallback, "ask_user or wait"));
  return faults;
}

export function tooLoose(key: keyof ConfigLimits, value: unknown, bound: string): string {
  return `${key} is ${quote(value)}, a project may set ${bound} unless you allow "limits: {${key}: ${value}}" in ~/.consulta/config.yaml`;
}
