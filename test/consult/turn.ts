import type { Turn } from "../../scripts-src/consult/driver.ts";
import { defaultConfig } from "../../scripts-src/protocol/config.ts";
import { guidanceWith } from "./guidance.ts";

/** A turn in a folder, for tests of one driver alone. */
export function turnIn(folder: string, more: Partial<Turn> = {}): Turn {
  return {
    place: { id: "s", folder, workspace: undefined, config: defaultConfig },
    ...{ participant: "it", project: folder, scripts: folder, situation: "", fault: undefined },
    prompt: "Take your turn.\n",
    guidance: guidanceWith(),
    resume: undefined,
    timeoutMs: 20_000,
    tell: () => undefined,
    ...more,
  };
}
