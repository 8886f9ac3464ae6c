import type { JsonObject, JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { Faults } from "../base/schema.ts";
import { readAuditRecord } from "../protocol/audit.ts";
import { type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { personEvent, personText } from "../protocol/with-person.ts";
import { auditFault, auditSummary } from "./audit.ts";
import { outcomeWords } from "./event.ts";
import { type DialogueState, hasEnded, questionForPerson } from "./state.ts";
import { verdictOf } from "./verdict.ts";

type PersonAct = "answered" | "decided" | "judged";

/** Decides on what the person puts on record: `answer`, `decision`, or `verdict` with a reason. */
export function decidePerson(state: DialogueState, submission: Submission): Decision {
  const { answer, decision, verdict = null, because: reason, audit } = submission.fields;
  const { decided, judged } = state.person;
  const most = limits.itemCharacters;
  const enter = (act: PersonAct, said: string, fields: JsonObject, already?: number): Decision => {
    const fault = personFault(state, act);
    if (fault !== undefined) return refuse(fault);
    if (already !== undefined) return { ok: true, already };
    const told = { event: act, summary: `the user ${said}`, ...fields };
    const { seq, lastAt: at } = state;
    return { ok: true, event: personEvent({ seq, at }, submission, told) };
  };
  if (audit !== undefined) return decideAudit(state, submission, audit);
  if (answer !== undefined) {
    const text = personText(answer, "the answer");
    if (typeof text !== "string") return text;
    return enter("answered", `answered: ${text}`, { to: state.participants, text });
  }
  if (typeof decision === "string") {
    const text = decision.trim();
    if (hasEnded(state) && (text === "" || text.length > most))
      return refuse(
        `the decision has ${text.length} characters, expected 1 to ${most}: say in a few sentences what you decided`,
      );
    const known = decided?.text === text ? decided.seq : undefined;
    return enter("decided", `decided: ${text}`, { decision: text }, known);
  }
  const says = outcomeWords.find((it) => it === verdict);
  if (says === undefined) {
    const hint = nameHint(String(verdict ?? ""), outcomeWords);
    return refuse(`${JSON.stringify(verdict)} is no verdict; ${hint}`);
  }
  const because = typeof reason === "string" ? reason.trim() : "";
  if (because.length > most)
    return refuse(`the reason has ${because.length} characters, expected at most ${most}`);
  const known = judged?.says === says && judged.because === because ? judged.seq : undefined;
  const fields = { verdict: says, ...(because === "" ? {} : { because }) };
  return enter("judged", `says of the decision: ${says}`, fields, known);
}

/** Decides on an audit, which only scripts submit that the person runs: it has been read already. */
function decideAudit(state: DialogueState, submission: Submission, given: JsonValue): Decision {
  const faults: Faults = { found: [], strict: true };
  const record = readAuditRecord(given, "audit", faults);
  if (record === undefined || faults.found.length > 0) return refuse(faults.found.join("; "));
  const fault = auditFault(state, record);
  if (fault !== undefined) return refuse(fault);
  const { seq, lastAt: at } = state;
  const told = { event: "audited", summary: auditSummary(record), audit: given };
  return { ok: true, event: personEvent({ seq, at }, submission, told) };
}

/** Why there is nothing for the person to answer, to decide or to judge; undefined when there is. */
export function personFault(state: DialogueState, act: PersonAct): string | undefined {
  const { id, phase, outcome, person } = state;
  const { code, words } = verdictOf(state);
  const isDecided = person.decided !== undefined;
  if (!hasEnded(state)) {
    const way = {
      answered: " and asks you nothing; to tell its participants something, use say",
      decided: ": decide is for what it leaves to you; to end it, use close",
      judged: ": there is no decision to judge yet",
    }[act];
    return `session ${id} is open (${phase})${way}`;
  }
  switch (act) {
    case "answered":
      if (questionForPerson(state) !== undefined) return undefined;
      return phase === "escalated" && !isDecided
        ? `session ${id} is escalated and asks you no question that would let it go on; decide it`
        : `session ${id} has ended (${phase}) and asks you nothing`;
    case "decided":
      if (code === "escalated" || code === "recommendation" || isDecided) return undefined;
      return code === "undecided"
        ? `session ${id} was closed and left nothing to decide; ask again with init or consult`
        : `session ${id} ended in ${words}, which leaves nothing to you; say with verdict whether it was kept, changed or wrong`;
    case "judged": {
      if (outcome?.kind === "consensus" || isDecided) return undefined;
      const way = outcome?.kind === "escalated" ? "; record yours with decide first" : "";
      return `session ${id} ended without a decision (${words})${way}`;
    }
  }
}
