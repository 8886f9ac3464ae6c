import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { LogEvent } from "../log/event.ts";
import { personEvent, personText } from "../protocol/decide-person-step.ts";
import { type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { outcomeWords, type PersonEvent } from "./person-event.ts";
import { type DialogueState, hasEnded, questionForPerson } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** Decides on what the person puts on record: `answer`, `decision`, or `verdict` with a reason. */
export function decidePerson(state: DialogueState, submission: Submission): Decision {
  const { fields } = submission;
  if (fields["answer"] !== undefined) return decideAnswer(state, submission);
  return typeof fields["decision"] === "string"
    ? decideDecision(state, submission, fields["decision"].trim())
    : decideVerdict(state, submission);
}

function decideAnswer(state: DialogueState, submission: Submission): Decision {
  const text = personText(submission.fields["answer"], "the answer");
  if (typeof text !== "string") return text;
  const fault = answerFault(state);
  if (fault !== undefined) return refuse(fault);
  const fields = { to: state.participants, text };
  return {
    ok: true,
    event: eventOf(state, submission, "answered", `the user answered: ${text}`, fields),
  };
}

/** Why nothing waits for an answer of the person; undefined when something does. */
function answerFault(state: DialogueState): string | undefined {
  const { id, phase, person } = state;
  if (questionForPerson(state) !== undefined) return undefined;
  if (!hasEnded(state))
    return `session ${id} is open (${phase}) and asks you nothing; to tell its participants something, use say`;
  if (person.decided !== undefined) return `you have decided session ${id}; it asks you nothing`;
  if (phase === "escalated")
    return `session ${id} is escalated and asks you no question that would let it go on; decide it`;
  return `session ${id} has ended (${phase}) and asks you nothing`;
}

export function auditAnswer(state: DialogueState): string[] {
  const fault = answerFault(state);
  return fault === undefined ? [] : [fault];
}

function decideDecision(state: DialogueState, submission: Submission, text: string): Decision {
  const fault = decisionFault(state);
  if (fault !== undefined) return refuse(fault);
  if (text === "" || text.length > limits.itemCharacters)
    return refuse(
      `the decision has ${text.length} characters, expected 1 to ${limits.itemCharacters}: say in a few sentences what you decided`,
    );
  const { decided } = state.person;
  if (decided?.text === text) return { ok: true, already: decided.seq };
  const summary = `the user decided: ${text}`;
  return { ok: true, event: eventOf(state, submission, "decided", summary, { decision: text }) };
}

/** Why there is nothing for the person to decide; undefined when there is. */
export function decisionFault(state: DialogueState): string | undefined {
  const { id, phase, person } = state;
  if (!hasEnded(state))
    return `session ${id} is open (${phase}): decide is for what it leaves to you; to end it, use close`;
  const { code, words } = verdictOf(state);
  if (code === "escalated" || code === "recommendation" || person.decided !== undefined)
    return undefined;
  if (code === "undecided")
    return `session ${id} was closed and left nothing to decide; ask again with init or consult`;
  return `session ${id} ended in ${words}, which leaves nothing to you; say with verdict whether it was kept, changed or wrong`;
}

function decideVerdict(state: DialogueState, submission: Submission): Decision {
  const { fields } = submission;
  const says = outcomeWords.find((it) => it === fields["verdict"]);
  if (says === undefined)
    return refuse(
      `${JSON.stringify(fields["verdict"] ?? null)} is no verdict; ` +
        nameHint(String(fields["verdict"] ?? ""), outcomeWords),
    );
  const because = typeof fields["because"] === "string" ? fields["because"].trim() : "";
  if (because.length > limits.itemCharacters)
    return refuse(
      `the reason has ${because.length} characters, expected at most ${limits.itemCharacters}`,
    );
  const fault = verdictFault(state);
  if (fault !== undefined) return refuse(fault);
  const { judged } = state.person;
  if (judged?.says === says && judged.because === because) return { ok: true, already: judged.seq };
  const reason = because === "" ? {} : { because };
  const summary = `the user says of the decision: ${says}`;
  return {
    ok: true,
    event: eventOf(state, submission, "judged", summary, { verdict: says, ...reason }),
  };
}

function verdictFault(state: DialogueState): string | undefined {
  const { id, phase, outcome, person } = state;
  if (!hasEnded(state))
    return `session ${id} is open (${phase}): there is no decision to judge yet`;
  if (outcome?.kind === "consensus" || person.decided !== undefined) return undefined;
  const way = outcome?.kind === "escalated" ? "; record yours with decide first" : "";
  return `session ${id} ended without a decision (${verdictOf(state).words})${way}`;
}

function eventOf(
  { seq, lastAt: at }: DialogueState,
  submission: Submission,
  event: "answered" | "decided" | "judged",
  summary: string,
  fields: JsonObject,
): LogEvent {
  return personEvent({ seq, at }, submission, { event, summary, ...fields });
}

export function withPerson(state: DialogueState, event: PersonEvent): DialogueState {
  const { seq, actedAt: at, person } = state;
  return event.event === "decided"
    ? { ...state, person: { decided: { seq, at, text: event.decision } } }
    : {
        ...state,
        person: { ...person, judged: { seq, at, says: event.verdict, because: event.because } },
      };
}

/** Which rules an event of the person breaks at its place. */
export function auditPerson(state: DialogueState, event: PersonEvent): string[] {
  const fault = event.event === "decided" ? decisionFault(state) : verdictFault(state);
  return fault === undefined ? [] : [fault];
}
