import { isKindName, type KindName } from "../session/kinds.ts";
import type { ConsultKind } from "./consult-kind.ts";

/** How `consult` runs a session of each kind. */
const consultKinds: Readonly<Record<KindName, () => Promise<ConsultKind>>> = {
  dialogue: async () => (await import("./dialogue/consult-dialogue.ts")).consultDialogue,
  collaboration: async () =>
    (await import("./collaboration/consult-collaboration.ts")).consultCollaboration,
  findings: async () => (await import("./findings/consult-findings.ts")).consultFindings,
};

export async function consultKindOf(kind: string): Promise<ConsultKind> {
  if (isKindName(kind)) return consultKinds[kind]();
  throw new Error(`consult runs no session of the kind ${kind}`);
}
