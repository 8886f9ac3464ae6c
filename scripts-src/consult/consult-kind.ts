import type { Clock } from "../base/clock.ts";
import type { CollaborationTerms } from "../collaboration/collaboration-options.ts";
import type { Mode } from "../protocol/config.ts";
import type { KindName } from "../session/kinds.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Session } from "../session/session.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { Company } from "./participants.ts";
import type { Run } from "./run-context.ts";
import type { TaskParts } from "./turn-prompt.ts";

/** How `consult` runs sessions of one kind. */
export interface ConsultKind {
  /** Who can take part in a new one. */
  readonly company: Company;
  /**
   * Looks at what can be wrong with a new one, before anything is written; what it returns opens it.
   * @throws ConsultaError REFUSED
   */
  prepare(asked: Asked): (source: WorkspaceSource) => Promise<Session>;
  /** Enters those who are run here and are new to it. Absent: all are in it from its beginning. */
  join?(session: Session, names: readonly string[], clock: Clock): Promise<Session>;
  /** What of `next-action` the participant shall see. Absent: all of it. */
  narrow?(next: NextAction): NextAction;
  /** What the task of a turn says beside what every task says. */
  task(next: NextAction, run: Run): Promise<TaskParts>;
  /**
   * Enters in the log what the participant did to files by hand; returns why something of it was
   * refused. Absent where nothing is done by hand.
   */
  enter?(run: Run, participant: string): Promise<string | undefined>;
  /** Submits what the participant's last words hold; returns why that came to nothing. */
  accept(run: Run, participant: string, answer: string): Promise<string | undefined>;
}

/** What the user asks, trimmed, its lines ended by line feeds, and who is to work on it. */
export interface Asked {
  readonly question: string;
  readonly request: ConsultationRequest;
  readonly participants: string[];
  readonly clock: Clock;
}

/** What the user asked for: a question to open a session with, or a session to go on in. */
export interface ConsultationRequest {
  readonly question: string | undefined;
  readonly session: string | undefined;
  /** Go on in the open session in which somebody acted last. */
  readonly resume: boolean;
  /** Where a collaboration or a board is, or shall lie. */
  readonly folder: string | undefined;
  readonly kind: KindName | undefined;
  readonly participants: string | undefined;
  readonly mode: Mode | undefined;
  /** Of a new dialogue: consensus needs every claim seen by both sides. */
  readonly require?: "seen" | undefined;
  readonly terms: CollaborationTerms;
  /** The options of `terms` that came, as they are written. */
  readonly termsGiven: readonly string[];
  /** Who audits a decision: a driver, or `none`. */
  readonly auditor?: string | undefined;
  /** How long the run may take. */
  readonly timeLimitMs: number;
}

/** Where the workspace comes from: a question may make one, a session is in one. */
export interface WorkspaceSource {
  made(): Promise<Workspace>;
  found(): Workspace;
}
