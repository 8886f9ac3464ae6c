import type { JsonObject } from "../../core/json.ts";
import * as moves from "./moves.ts";
import type { Scene } from "./scene.ts";
import { isSurvey } from "./survey.ts";
import { objects, owedFact } from "./what-was-said.ts";

/**
 * What a scripted colleague says now. It has no memory and no plan: everything follows from what
 * `next-action` asks of it and from what was said so far.
 */
export function chooseMove(scene: Scene): JsonObject {
  const { phase, draft } = scene;
  if (phase === "asking") return moves.ask(scene);
  if (phase === "agreed") return moves.conclude(scene);
  if (phase === "sealing" || draft["type"] === "RESPONSE") return moves.takePosition(scene);
  if (draft["type"] === "TASK_RESULT") return moves.reportTask(scene);
  const fact = owedFact(scene);
  if (fact !== undefined) return checkFact(scene, fact);
  const assumed = uncheckedBy(scene, scene.other);
  if (draft["synthesis"] !== undefined) return bridgeAnyhow(scene, assumed);
  if (mayAgree(scene, assumed)) return agreeOrGiveUp(scene);
  if (assumed !== undefined && !hasDoubted(scene)) return moves.doubt(scene, assumed);
  return moves.remark(scene);
}

function checkFact(scene: Scene, fact: string): JsonObject {
  const probe = scene.probes.find(({ claim }) => claim === fact);
  if (probe === undefined) return moves.giveUp(fact);
  return moves.bridge(scene, fact, probe.run(scene.project, scene.options.terms));
}

/** A synthesis is owed without a disputed fact: the scene's own assumption is checked for it. */
function bridgeAnyhow(scene: Scene, assumed: string | undefined): JsonObject {
  const probe = scene.probes.find(({ claim }) => claim === assumed) ?? scene.probe;
  return moves.bridge(scene, probe.claim, probe.run(scene.project, scene.options.terms));
}

/** Claims of others than scripts cannot be counted again, and unchecked nobody may agree. */
function agreeOrGiveUp(scene: Scene): JsonObject {
  const beyond = [...scene.claims.values()].find((text) => !isSurvey(text));
  return beyond === undefined ? moves.agree(scene, ownCheck(scene)) : moves.giveUp(beyond);
}

/** Before it agrees, a colleague checks what it assumed itself and nobody has looked at. */
function ownCheck(scene: Scene): moves.Checked | undefined {
  const claim = uncheckedBy(scene, scene.me);
  const probe = scene.probes.find((it) => it.claim === claim);
  if (probe === undefined) return undefined;
  const { tool } = probe;
  return { claim: probe.claim, tool, ...probe.run(scene.project, scene.options.terms) };
}

/** What a participant assumes and nobody has checked since. */
function uncheckedBy({ said }: Scene, who: string): string | undefined {
  const checked = new Set(
    said
      .flatMap((it) => it.hypotheses ?? [])
      .flatMap((it) => (it.outcome === "open" ? [] : [it.claim])),
  );
  const assumed = said
    .filter(({ from }) => from === who)
    .flatMap((it) => it.hypotheses ?? [])
    .filter(({ outcome, claim }) => outcome === "open" && !checked.has(claim));
  return assumed.at(-1)?.claim;
}

function hasDoubted({ said, me }: Scene): boolean {
  return said.some((it) => it.from === me && (it.objections ?? []).length > 0);
}

/**
 * Ready when a synthesis lies on the table and nobody objected to it since, or when the colleague
 * has no objection and assumes nothing unchecked. Who agreed already does not say so again.
 */
function mayAgree(scene: Scene, assumed: string | undefined): boolean {
  const { said, me, other } = scene;
  const offered = said.findLastIndex((it) => it.synthesis !== undefined);
  const objected = said.findLastIndex((it) => objects(it) && it.synthesis === undefined);
  const agreedAt = said.findLastIndex((it) => it.type === "AGREE" && it.from === me);
  if (agreedAt > objected && agreedAt >= 0) return false;
  if (offered > objected) return true;
  if (assumed !== undefined) return false;
  const last = said.findLast(({ from }) => from === other);
  return last !== undefined && last.type !== "REQUEST" && !objects(last) && objected < 0;
}
