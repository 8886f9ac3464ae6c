import type { Config } from "./config.ts";
import { quote } from "./json.ts";
import { flag, integerBetween, numberBetween, oneOf, record } from "./schema.ts";

/** How far projects may go, where the user's own settings allow more than the defaults. */
export const readConfigLimits = record({
  max_rounds: integerBetween(1, 10_000_000),
  max_concurrent_sessions: integerBetween(1, 1_000),
  consensus_confidence_threshold: numberBetween(0, 1),
  deadlock_detection_rounds: integerBetween(1, 1_000),
  auto_escalate_on_deadlock: flag(),
  fallback_mode: oneOf(["headless"]),
});

export type ConfigLimits = NonNullable<ReturnType<typeof readConfigLimits>>;

/** The config with each value as loose as a project may set it. */
export function loosestAllowed(usual: Config, own: ConfigLimits): Config {
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
  };
}

/**
 * What a project's config would loosen: it may come with a clone, so it can only be stricter than
 * the defaults, or than what the user allows. The other keys say where things lie, how often is
 * looked and how long is waited, and have their range.
 */
export function looseningIn(config: Config, usual: Config, own: ConfigLimits): string[] {
  const allowed = loosestAllowed(usual, own);
  const atMost = (
    key: "max_rounds" | "max_concurrent_sessions" | "deadlock_detection_rounds",
  ): string[] => {
    const most = allowed[key];
    return config[key] > most ? [tooLoose(key, config[key], `at most ${most}`)] : [];
  };
  const { consensus_confidence_threshold: threshold, fallback_mode: fallback } = config;
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
  ];
}

export function tooLoose(key: keyof ConfigLimits, value: unknown, bound: string): string {
  return `${key} is ${quote(value)}, a project may set ${bound} unless you allow "limits: {${key}: ${value}}" in ~/.consulta/config.yaml`;
}
