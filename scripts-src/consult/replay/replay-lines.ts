import { isRecord, type JsonObject } from "../../base/json.ts";
import { shortLine } from "../../clis/short-line.ts";
import type { MadeEvidence } from "../../session/make-evidence.ts";

const shownCharacters = 140;

/** One message as a reader follows the argument: who holds what, and why. */
export function replayLines(seq: number, by: string, message: JsonObject): string[] {
  const { type, position, question_or_proposal, because, claims, accepts } = message;
  const proposal = isRecord(question_or_proposal) ? question_or_proposal : {};
  const said = position ?? (type === "AGREE" ? undefined : proposal["content"]);
  const verb =
    type === "REQUEST" ? "asks" : type === "AGREE" ? `agrees to message ${accepts}` : "says";
  return [
    `${seq}. ${by} ${verb}${said === undefined ? "" : `: ${shown(said)}`}`,
    ...(because === undefined ? [] : [`     because ${shown(because)}`]),
    ...(Array.isArray(claims) ? claims : []).flatMap((claim) =>
      isRecord(claim) ? [`     claims: ${shown(claim["text"])} [${shown(claim["check"])}]`] : [],
    ),
  ];
}

/** One check, made just now. */
export function checkLine(by: string, { seq, record, claim }: MadeEvidence): string {
  const { kind, exit, met, spec } = record;
  const did = `${kind === "run" ? "runs" : "reads"} ${shown(spec)}`;
  const outcome = claim === undefined ? `exit ${exit ?? 0}` : met ? "holds" : "DOES NOT HOLD";
  const about = claim === undefined ? "" : `${claim.id} `;
  return `${seq}. ${by} ${did}: ${about}${outcome}`;
}

function shown(text: unknown): string {
  return shortLine(String(text), shownCharacters);
}
