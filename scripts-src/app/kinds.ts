import type { Kind } from "../core/machine.ts";
import { kindOf } from "../core/machine.ts";

/**
 * The protocols that Consulta knows, by kind, with the event that begins a log of each. A new kind
 * of session is added here and nowhere else. Each is a part that is loaded when a session of its
 * kind is: a script pays for one protocol only.
 */
const kinds = {
  dialogue: {
    begins: "opened",
    load: async () => kindOf((await import("../core/dialogue/dialogue.ts")).dialogue),
  },
  collaboration: {
    begins: "initialized",
    load: async () =>
      kindOf((await import("../core/collaboration/collaboration.ts")).collaboration),
  },
  findings: {
    begins: "board_opened",
    load: async () => kindOf((await import("../core/findings/findings.ts")).findings),
  },
};

export type KindName = keyof typeof kinds;

export const kindNames: readonly KindName[] = ["dialogue", "collaboration", "findings"];

/** The kind of that name, as a checkpoint has it; undefined when nobody knows it. */
export async function kindNamed(name: unknown): Promise<Kind | undefined> {
  return isKindName(name) ? kinds[name].load() : undefined;
}

/** The kind whose logs begin with that event. */
export async function kindBegunBy(event: string): Promise<Kind | undefined> {
  return Object.values(kinds)
    .find(({ begins }) => begins === event)
    ?.load();
}

function isKindName(name: unknown): name is KindName {
  return typeof name === "string" && Object.hasOwn(kinds, name);
}
