import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { personEvent, personText } from "../protocol/decide-person-step.ts";
import { type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { outcomeWords, type PersonEvent } from "./event.ts";
import { type DialogueState, hasEnded, questionForPerson } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** Decides on what the person puts on record: `answer`, `decision`, or `verdict` with a reason. */
export function decidePerson(state: DialogueState, submission: Submission): Decision {
  const { answer, decision } = submission.fields;
  if (answer !== undefined) return decideAnswer(state, submission);
  return typeof decision === "string"
    ? decideDecision(state, submission, decision.trim())
    : decideVerdict(state, submission);
}

function decideAnswer(state: DialogueState, submission: Submission): Decision {
  const text = personText(submission.fields["answer"], "the answer");
  if (typeof text !== "string") return text;
  const fault = personFault(state, "answered");
  if (fault !== undefined) return refuse(fault);
  const fields = { to: state.participants, text };
  return stored(state, submission, "answered", `the user answered: ${text}`, fields);
}

function decideDecision(state: DialogueState, submission: Submission, text: string): Decision {
  const fault = personFault(state, "decided");
  if (fault !== undefined) return refuse(fault);
  const most = limits.itemCharacters;
  if (text === "" || text.length > most)
    return refuse(
      `the decision has ${text.length} characters, expected 1 to ${most}: say in a few sentences what you decided`,
    );
  const { decided } = state.person;
  if (decided?.text === text) return { ok: true, already: decided.seq };
  return stored(state, submission, "decided", `the user decided: ${text}`, { decision: text });
}

function decideVerdict(state: DialogueState, submission: Submission): Decision {
  const { verdict = null, because: reason } = submission.fields;
  const says = outcomeWords.find((it) => it === verdict);
  if (says === undefined) {
    const hint = nameHint(String(verdict ?? ""), outcomeWords);
    return refuse(`${JSON.stringify(verdict)} is no verdict; ${hint}`);
  }
  const because = typeof reason === "string" ? reason.trim() : "";
  const most = limits.itemCharacters;
  if (because.length > most)
    return refuse(`the reason has ${because.length} characters, expected at most ${most}`);
  const fault = personFault(state, "judged");
  if (fault !== undefined) return refuse(fault);
  const { judged } = state.person;
  if (judged?.says === says && judged.because === because) return { ok: true, already: judged.seq };
  const fields = { verdict: says, ...(because === "" ? {} : { because }) };
  return stored(state, submission, "judged", `the user says of the decision: ${says}`, fields);
}

/** Why there is nothing for the person to answer, to decide or to judge; undefined when there is. */
export function personFault(
  state: DialogueState,
  event: "answered" | "decided" | "judged",
): string | undefined {
  const { id, phase, outcome, person } = state;
  const { code, words } = verdictOf(state);
  const isDecided = person.decided !== undefined;
  if (!hasEnded(state)) {
    const way = {
      answered: " and asks you nothing; to tell its participants something, use say",
      decided: ": decide is for what it leaves to you; to end it, use close",
      judged: ": there is no decision to judge yet",
    }[event];
    return `session ${id} is open (${phase})${way}`;
  }
  switch (event) {
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

function stored(
  { seq, lastAt: at }: DialogueState,
  submission: Submission,
  event: "answered" | "decided" | "judged",
  summary: string,
  fields: JsonObject,
): Decision {
  const made = personEvent({ seq, at }, submission, { event, summary, ...fields });
  return { ok: true, event: made };
}

export function withPerson(state: DialogueState, event: PersonEvent): DialogueState {
  const { seq, actedAt: at, person } = state;
  if (event.event === "decided")
    return { ...state, person: { decided: { seq, at, text: event.decision } } };
  const { verdict: says, because } = event;
  return { ...state, person: { ...person, judged: { seq, at, says, because } } };
}
