/**
 * When a CLI's hook wakes its model for a session: each reason wakes it once, the turn twice, and then
 * the hook rests until something in the session changes.
 */

/** How one session stands for the participant whose CLI is about to be idle. */
export interface WakeState {
  /** Names the state of the session: the same text until somebody acts. */
  readonly key: string;
  readonly ended: boolean;
  readonly hasTurn: boolean;
  /** Whether the CLI's own window has run a script there since the session last moved. */
  readonly isKnown: boolean;
  /** Everybody that it waits for has ended, or gives no sign of life. */
  readonly absence: "gone" | "silent" | undefined;
  readonly waitedMs: number;
  readonly waitMsMax: number;
  /** By the person, who may let it wait for as long as they like. */
  readonly isPaused: boolean;
}

/** What the CLI's process was told of a session. */
export interface WakeReminders {
  /** The `key` of the state then. */
  readonly key: string;
  /** How often its model was woken for the turn. */
  readonly rings: number;
  /** What else it was told last: that the session has ended, that nobody may answer, or of the limit. */
  readonly alert?: Alert | undefined;
  /** Whether a prompt of the user had it beside it; a wake-up may have been lost to an interruption. */
  readonly announced: boolean;
}

export const alerts = ["ended", "gone", "silent", "limit"] as const;
export type Alert = (typeof alerts)[number];
export type WakeReason = "turn" | "last turn" | Alert;

const ringsMax = 2;

/** What to do about a session: wake for a reason, wait on, or let it rest. */
export function wakeReasonOf(
  state: WakeState,
  told: WakeReminders | undefined,
  isFirstLook: boolean,
): WakeReason | "wait" | "rest" {
  const { key, ended, hasTurn, isKnown, absence, waitedMs, waitMsMax, isPaused } = state;
  const { rings, alert } = told?.key === key ? told : unheard(key);
  if (ended) return isKnown || alert === "ended" ? "rest" : "ended";
  if (hasTurn) {
    // The model has seen its turn by itself meanwhile; its next stop tells whether it acted.
    if (isKnown && !isFirstLook) return "rest";
    if (rings >= ringsMax) return "rest";
    return rings === ringsMax - 1 ? "last turn" : "turn";
  }
  if (alert === "limit" || waitMsMax === 0) return "rest";
  // A peer that is gone may come back: once its absence was told, the wait goes on.
  if (absence !== undefined && alert !== "gone" && alert !== absence) return absence;
  if (waitedMs < waitMsMax) return "wait";
  return isPaused ? "rest" : "limit";
}

/** Whether a peer whose absence was told is back: if it goes again, that is news. */
export function isBack({ absence }: WakeState, told: WakeReminders | undefined): boolean {
  return absence === undefined && (told?.alert === "gone" || told?.alert === "silent");
}

/** What is remembered after a wake-up. */
export function remindedBy(
  reason: WakeReason,
  key: string,
  told: WakeReminders | undefined,
): WakeReminders {
  const before = told?.key === key ? told : unheard(key);
  const isTurn = reason === "turn" || reason === "last turn";
  return isTurn ? { ...before, rings: before.rings + 1 } : { ...before, alert: reason };
}

/** What is remembered before anything was told of a state. */
export function unheard(key: string): WakeReminders {
  return { key, rings: 0, alert: undefined, announced: false };
}

/** Whether a prompt is a line that a hook printed to wake the model: both CLIs show their hooks those, too. */
export function isWakeLine(prompt: string): boolean {
  return /(?:^|": )Consulta: /.test(prompt);
}
