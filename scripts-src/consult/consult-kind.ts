import type { Clock } from "../base/clock.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Session } from "../session/session.ts";
import type { Consultation, ConsultationRequest, WorkspaceSource } from "./consultation.ts";
import type { DriverPlace } from "./make-drivers.ts";

import type { Run } from "./run.ts";
import type { TaskParts } from "./turn-prompt.ts";

/** What the turns of one kind of session have of their own. */
export interface TurnKind {
  /** What of `next-action` the participant shall see. Absent: all of it. */
  narrow?(next: NextAction): NextAction;
  /** What the task of a turn says beside what every task says. */
  task(run: Run, next: NextAction): Promise<TaskParts>;
  /**
   * Enters in the log what the participant did to files by hand; returns why something of it was
   * refused. Absent where nothing is done by hand.
   */
  enter?(run: Run, participant: string): Promise<string | undefined>;
  /** Submits what the participant's last words hold; returns why that came to nothing. */
  send(run: Run, participant: string, answer: string): Promise<string | undefined>;
}

/** How `consult` runs sessions of one kind. */
export interface ConsultKind {
  readonly turns: TurnKind;
  /** Begins one on what the user asks: trimmed, its lines ended by line feeds. */
  begin(
    question: string,
    request: ConsultationRequest,
    source: WorkspaceSource,
    machine: DriverPlace,
    clock: Clock,
  ): Promise<Consultation>;
  /** Goes on in one. Absent: the participants that it has are run. */
  resume?(
    session: Session,
    request: ConsultationRequest,
    machine: DriverPlace,
    clock: Clock,
  ): Promise<Consultation>;
}
