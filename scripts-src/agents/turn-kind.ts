import type { NextAction } from "../app/next-action.ts";

import type { Run } from "./run.ts";
import type { TaskParts } from "./turn-prompt.ts";

/** What the turns of one kind of session have of their own. */
export interface TurnKind {
  /** What of `next-action` the participant shall see. Absent: all of it. */
  narrow?(next: NextAction): NextAction;
  /** What the task of a turn says beside what every task says. */
  task(run: Run, next: NextAction): Promise<TaskParts>;
  /**
   * Enters in the log what the participant did to files by hand; gives why something of it was
   * refused. Absent where nothing is done by hand.
   */
  enter?(run: Run, participant: string): Promise<string | undefined>;
  /** Submits what the participant's last words hold; gives why that came to nothing. */
  send(run: Run, participant: string, answer: string): Promise<string | undefined>;
}
