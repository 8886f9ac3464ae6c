import type { JsonObject } from "../../base/json.ts";
import * as moves from "./moves.ts";
import type { Scene } from "./scene.ts";

/**
 * What a scripted peer says now. It has no memory and no plan: everything follows from what
 * `next-action` asks of it and from what was said so far.
 */
export function chooseMove(scene: Scene): JsonObject {
  const { phase, draft, theirs, mine } = scene;
  if (phase === "asking") return moves.ask(scene);
  if (phase === "agreed") return moves.conclude(scene);
  if (draft["type"] === "TASK_RESULT") return moves.reportTask(scene);
  if (phase === "sealing" || mine === undefined) return moves.takePosition(scene);
  if (scene.checks.some(({ outcome }) => outcome === "fails")) return moves.object(scene);
  if (draft["accepts"] !== undefined) return moves.confirm(scene);
  if (draft["synthesis"] !== undefined && theirs?.synthesis === undefined)
    return moves.bridge(scene);
  return mayAgree(scene) ? moves.agree(scene) : moves.remark(scene);
}

/** Ready when a synthesis lies on the table, or both say the same. */
function mayAgree({ theirs, mine, draft, isByHand }: Scene): boolean {
  if (isByHand) return true;
  if (theirs === undefined) return false;
  return (
    theirs.synthesis !== undefined ||
    theirs.position === mine?.position ||
    draft["synthesis"] !== undefined
  );
}
