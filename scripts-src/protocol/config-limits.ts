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
  /** 0 does not count: it means never. */
  | "sooner"
  | "false"
  | "headless"
  /** Nothing within the range that the key has. */
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
  // Errors are said at every level, and refused mail lies in errors/ and in next-action.
  log_level: "none",
  cleanup_completed_sessions_after_days: "sooner",
  // Without a brain nothing is remembered, and nothing is lost.
  brain: "none",
  // They only make a decision the user's that would have been one of the agents.
  owner_words: "none",
};

/** What of a config can be too loose. */
interface Bounds {
  readonly max_rounds: number;
  readonly max_concurrent_sessions: number;
  readonly deadlock_detection_rounds: number;
  readonly consensus_confidence_threshold: number;
  readonly auto_escalate_on_deadlock: boolean;
  readonly fallback_mode: string;
  readonly cleanup_completed_sessions_after_days: number;
}

/** The config with each value as loose as a project may set it. */
export function loosestAllowed<Config extends Bounds>(usual: Config, own: ConfigLimits): Config {
  return {
    ...usual,
    max_rounds: Math.max(usual.max_rounds, own.max_rounds ?? 0),
    max_concurrent_sessions: Math.max(
      usual.max_concurrent_sessions,
      own.max_concurrent_sessions ?? 0,
    ),
    deadlock_detection_rounds: Math.max(
      usual.deadlock_detection_rounds,
      own.deadlock_detection_rounds ?? 0,
    ),
    consensus_confidence_threshold: Math.min(
      usual.consensus_confidence_threshold,
      own.consensus_confidence_threshold ?? 1,
    ),
    auto_escalate_on_deadlock: own.auto_escalate_on_deadlock !== false,
    cleanup_completed_sessions_after_days: Math.min(
      usual.cleanup_completed_sessions_after_days,
      own.cleanup_completed_sessions_after_days ?? Number.POSITIVE_INFINITY,
    ),
  };
}

/**
 * What a project's config would loosen: it may come with a clone, so it can only be stricter than
 * the defaults, or than what the user allows. Which way a key is stricter says `harmOf`.
 */
export function looseningIn(config: Bounds, usual: Bounds, own: ConfigLimits): string[] {
  const allowed = loosestAllowed(usual, own);
  const atMost = (
    key: "max_rounds" | "max_concurrent_sessions" | "deadlock_detection_rounds",
  ): string[] => {
    const most = allowed[key];
    return config[key] > most ? [tooLoose(key, config[key], `at most ${most}`)] : [];
  };
  const { consensus_confidence_threshold: threshold, fallback_mode: fallback } = config;
  const { cleanup_completed_sessions_after_days: days } = config;
  const least = allowed.consensus_confidence_threshold;
  return [
    ...atMost("max_rounds"),
    ...atMost("max_concurrent_sessions"),
    ...atMost("deadlock_detection_rounds"),
    ...(threshold < least
      ? [tooLoose("consensus_confidence_threshold", threshold, `at least ${least}`)]
      : []),
    ...(config.auto_escalate_on_deadlock || !allowed.auto_escalate_on_deadlock
      ? []
      : [tooLoose("auto_escalate_on_deadlock", false, "true")]),
    ...(fallback === "headless" && own.fallback_mode !== "headless"
      ? [tooLoose("fallback_mode", fallback, "ask_user or wait")]
      : []),
    ...(days > 0 && days < allowed.cleanup_completed_sessions_after_days
      ? [
          tooLoose(
            "cleanup_completed_sessions_after_days",
            days,
            `0 (never) or at least ${allowed.cleanup_completed_sessions_after_days}`,
          ),
        ]
      : []),
  ];
}

export function tooLoose(key: keyof ConfigLimits, value: unknown, bound: string): string {
  return `${key} is ${quote(value)}, a project may set ${bound} unless you allow "limits: {${key}: ${value}}" in ~/.consulta/config.yaml`;
}
