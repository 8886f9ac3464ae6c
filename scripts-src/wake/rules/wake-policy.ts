/**
 * When a CLI's hook rings for a session: each thing that calls for its model is told once, the turn
 * twice, and then it rests until something in the session changes.
 */

/** How one session stands for the participant whose CLI is about to be idle. */
export interface WakeState {
  /** What is the case: the same text as long as nobody has moved. */
  readonly key: string;
  readonly ended: boolean;
  readonly hasTurn: boolean;
  /** Whether the CLI's own window has run a script there since the session last moved. */
  readonly isKnown: boolean;
  /** Everybody that it waits for has ended, or gives no sign of life. */
  readonly absence: "gone" | "silent" | undefined;
  readonly waitedMs: number;
  readonly waitMsMax: number;
}

/** What the CLI's process was told of a session. */
export interface Reminded {
  /** What was the case then. */
  readonly key: string;
  /** How often its model was woken for the turn. */
  readonly rings: number;
  /** What else it was told last: that the session has ended, that nobody may answer, or of the limit. */
  readonly alert?: Alert | undefined;
  /** Whether it was said beside a prompt of the user; a ring may have been lost to an interruption. */
  readonly announced: boolean;
}

export const alerts = ["ended", "gone", "silent", "limit"] as const;
export type Alert = (typeof alerts)[number];
export type WakeReason = "turn" | "last turn" | Alert;

const ringsMax = 2;

/** What to do about a session: ring, wait on, or let it rest. */
export function wakeReasonOf(
  situation: WakeState,
  told: Reminded | undefined,
  isFirstLook: boolean,
): WakeReason | "wait" | "rest" {
  const { key, ended, hasTurn, isKnown, absence, waitedMs, waitMsMax } = situation;
  const { rings, alert } = told?.key === key ? told : unheard(key);
  if (ended) return isKnown || alert === "ended" ? "rest" : "ended";
  if (hasTurn) {
    // Meanwhile the model has seen it by itself; whether it stops over it, its next stop tells.
    if (isKnown && !isFirstLook) return "rest";
    if (rings >= ringsMax) return "rest";
    return rings === ringsMax - 1 ? "last turn" : "turn";
  }
  if (alert === "limit" || waitMsMax === 0) return "rest";
  // Whoever is gone may come back: once that was told the wait goes on.
  if (absence !== undefined && alert !== "gone" && alert !== absence) return absence;
  return waitedMs >= waitMsMax ? "limit" : "wait";
}

/** Whether what was told of a colleague is over: that it goes again will be news. */
export function isBack({ absence }: WakeState, told: Reminded | undefined): boolean {
  return absence === undefined && (told?.alert === "gone" || told?.alert === "silent");
}

/** What is remembered when a bell was rung. */
export function remindedBy(bell: WakeReason, key: string, told: Reminded | undefined): Reminded {
  const before = told?.key === key ? told : unheard(key);
  const isTurn = bell === "turn" || bell === "last turn";
  return isTurn ? { ...before, rings: before.rings + 1 } : { ...before, alert: bell };
}

/** Before anything was said of what is the case now. */
export function unheard(key: string): Reminded {
  return { key, rings: 0, alert: undefined, announced: false };
}

/** Whether a prompt is a line of a hook that rang: both CLIs show their hooks such prompts, too. */
export function isWakeLine(prompt: string): boolean {
  return /(?:^|": )Consulta: /.test(prompt);
}
