import type { ConsultKind } from "../consult-kind.ts";
import { beginCollaboration } from "./begin-collaboration.ts";
import { collaborationTurns } from "./collaboration-turns.ts";

/** A collaboration, as `consult` runs it. */
export const consultCollaboration: ConsultKind = {
  begin: beginCollaboration,
  turns: collaborationTurns,
};
