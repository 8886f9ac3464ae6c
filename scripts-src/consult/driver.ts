import type { Guidance } from "../protocol/protocol.ts";
import type { Place } from "../session/place.ts";

/** What a program is given to do: a turn of a participant, or an audit. */
export interface Task {
  /** The folder that it works in. */
  readonly project: string;
  /** The folder of the running scripts: `next-action.cjs`, `append-event.cjs` and the others. */
  readonly scripts: string;
  /** The whole task in words. */
  readonly prompt: string;
  /** Whose turn it is in which session; absent for an audit. */
  readonly place?: Place;
  readonly participant?: string;
  /** What the driver gave as `resume` on its last turn; absent for a fresh conversation. */
  readonly resume: string | undefined;
  /** 0: only the time limit of the whole run counts. */
  readonly timeoutMs: number;
  /** Takes what it does now, where its driver sees that. */
  readonly tell: (doing: string) => void;
}

/** One turn of one participant, with all that a driver needs to give it. */
export interface Turn extends Task {
  readonly place: Place;
  readonly participant: string;
  /** The part of `prompt` that says where the session stands, as `next-action` has it. */
  readonly situation: string;
  readonly guidance: Guidance;
  /** Why the last try of this turn did not count. */
  readonly fault: string | undefined;
}

/** What came of a turn. Whether it counts, the log decides: a failed or silent turn is no vote. */
export interface TurnResult {
  /** The participant's last words; the message or event in them is submitted for it. */
  readonly answer: string;
  /** Names the conversation, so that the next turn can go on in it. */
  readonly resume?: string | undefined;
  /** Why the turn failed and what to do, in one line. */
  readonly failure?: string | undefined;
  /** Another try now cannot help: the session stays open instead of being escalated. */
  readonly left?: boolean;
  /** How full its context is, in words, where its CLI tells. */
  readonly usage?: string | undefined;
  /** Where a quota is used up: when it is renewed, as far as that is known. */
  readonly renewedAt?: Date | undefined;
  /** What the participant needs to know for its next try, when this one brought no message. */
  readonly remark?: string | undefined;
}

/** Runs one participant: an AI CLI, a shell command, a person. */
export interface Driver {
  readonly name: string;
  /** How often one turn is tried before the participant counts as unable to go on. */
  readonly triesMax: number;
  /** Gives the turn to the participant; resolves when the turn is over, also when aborted. */
  takeTurn(turn: Turn, signal: AbortSignal): Promise<TurnResult>;
  /** The turn counts: what was kept for another try can go. */
  counted?(): void;
}

/** A driver of a program, which can be given any task. */
export interface ProgramDriver extends Driver {
  takeTurn(task: Task, signal: AbortSignal): Promise<TurnResult>;
}

/** Who may audit, and what runs each participant of the session, as far as that is known. */
export interface Auditors {
  /** As the user named it; absent where they did not. */
  readonly asked: string | undefined;
  readonly drivers: readonly ProgramDriver[];
  readonly driverOf: (participant: string) => string;
}

/** Tries of everything that is no person: the turn, and once more with the reason. */
export const machineTries = 2;
