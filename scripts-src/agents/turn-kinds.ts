import type { Session } from "../app/session.ts";
import { collaborationTurns } from "./collaboration-turns.ts";
import { dialogueTurns } from "./dialogue-turns.ts";
import { findingsTurns } from "./findings-turns.ts";
import type { TurnKind } from "./turn-kind.ts";

const turnKinds: Readonly<Record<string, TurnKind>> = {
  dialogue: dialogueTurns,
  collaboration: collaborationTurns,
  findings: findingsTurns,
};

/** The turns of a session's kind. */
export function turnKindOf({ kind, place }: Session): TurnKind {
  const turns = turnKinds[kind.name];
  if (turns !== undefined) return turns;
  throw new Error(`nothing gives turns in ${place.id}, a session of the kind ${kind.name}`);
}
