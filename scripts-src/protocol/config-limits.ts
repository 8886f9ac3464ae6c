import { quote } from "../base/json.ts";
import { flag, integerBetween, numberBetween, oneOf, record } from "../base/schema.ts";

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

/** What would harm the user if a project's config, which may come with a clone, could set it freely. */
type Harm =
  | "more"
  | "less"
  /** A smaller number; 0 means never, and harms nobody. */
  | "sooner"
  | "false"
  | "headless"
  /** No value in the range of the key. */
  | "none";

/** For each key of the config; `looseningIn` holds projects to what this says. */
export const harmOf: Readonly<Record<string, Harm>> = {
  // The accepted versions differ in nothing.
  protocol_version: "none",
  max_rounds: "more",
  // How often is looked where the system tells of no changes. An hour at most: waits have their own end.
  polling_interval_seconds: "none",
  // A waiter that died on this machine is known by its process; another one for a day at most.
  heartbeat_seconds: "none",
  presence_timeout_seconds: "none",
  // Agents wait in portions of minutes whatever it says; `consult` has the time limit of its run.
  message_timeout_seconds: "none",
  // The default is the most; a shorter wait leaves an agent asleep until the user looks.
  hook_wait_seconds: "none",
  consensus_confidence_threshold: "less",
  deadlock_detection_rounds: "more",
  auto_escalate_on_deadlock: "false",
  max_concurrent_sessions: "more",
  // Each mode is held to the same rules of agreement.
  modes_enabled: "none",
  default_mode: "none",
  fallback_mode: "headless",
  // One new folder inside of `.consulta`.
  artifacts_dir: "none",
  // Errors are said at every level, and refused mail is in errors/ and in next-action.
  log_level: "none",
  cleanup_completed_sessions_after_days: "sooner",
  // Without a brain nothing is remembered, and nothing is lost.
  brain: "none",
  // They only make a decision the user's that would have been one of the agents.
  owner_words: "none",
  // A name that the user's own settings must have as well: without that no session is begun.
  store: "none",
};

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
 * the defaults, or than what the user allows. Which way a key is stricter says `harmOf`.
 */
export function looseningIn(config: Bounds, defaults: Bounds, own: ConfigLimits): string[] {
  const allowed = loosestAllowed(defaults, own);
  const { auto_escalate_on_deadlock: escalates, fallback_mode: fallback } = config;
  const faults = mostCounts
    .filter((key) => config[key] > allowed[key])
    .map((key) => tooLoose(key, config[key], `at most ${allowed[key]}`));
  for (const key of leastCounts) {
    const isNever = harmOf[key] === "sooner" && config[key] === 0;
    const bound = `${harmOf[key] === "sooner" ? "0 (never) or " : ""}at least ${allowed[key]}`;
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
