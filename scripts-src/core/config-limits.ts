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

/**
 * What a project's config would loosen: it may come with a clone, so it can only be stricter than
 * the defaults, or than what the user allows. The other keys say where things lie, how often is
 * looked and how long is waited, and have their range.
 */
export function looseningIn(config: Config, usual: Config, own: ConfigLimits): string[] {
  const atMost = (
    key: "max_rounds" | "max_concurrent_sessions" | "deadlock_detection_rounds",
  ): string[] => {
    const most = Math.max(usual[key], own[key] ?? 0);
    return config[key] > most ? [tooLoose(key, config[key], `at most ${most}`)] : [];
  };
  const { consensus_confidence_threshold: threshold, fallback_mode: fallback } = config;
  const least = Math.min(
    usual.consensus_confidence_threshold,
    own.consensus_confidence_threshold ?? 1,
  );
  const mayGoOn = own.auto_escalate_on_deadlock === false;
  return [
    ...atMost("max_rounds"),
    ...atMost("max_concurrent_sessions"),
    ...atMost("deadlock_detection_rounds"),
    ...(threshold < least
      ? [tooLoose("consensus_confidence_threshold", threshold, `at least ${least}`)]
      : []),
    ...(config.auto_escalate_on_deadlock || mayGoOn
      ? []
      : [tooLoose("auto_escalate_on_deadlock", false, "true")]),
    ...(fallback === "headless" && own.fallback_mode !== "headless"
      ? [tooLoose("fallback_mode", fallback, "ask_user or wait")]
      : []),
  ];
}

function tooLoose(key: keyof ConfigLimits, value: unknown, bound: string): string {
  return `${key} is ${quote(value)}, a project may set ${bound} unless you allow "limits: {${key}: ${value}}" in ~/.consulta/config.yaml`;
}
