import { isRecord, type JsonValue } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { notBefore } from "../base/time.ts";
import { singleLine } from "../base/visible-text.ts";
import type { LogEvent } from "../log/event.ts";
import { modeWord } from "../protocol/config.ts";
import type {
  ClaimMade,
  FileWanted,
  Protocol,
  Purpose,
  SeenBefore,
  SessionStatus,
  View,
} from "../protocol/protocol.ts";
import { audit, intakeFault } from "./audit.ts";
import { conclusions } from "./conclusions.ts";
import { closingFaults } from "./consensus.ts";
import { closing, decide } from "./decide.ts";
import { note, pending } from "./delivery.ts";
import { type DialogueEvent, parseDialogueEvent } from "./event.ts";
import { isFor } from "./evidence.ts";
import { evidenceNeeded } from "./evidence-needed.ts";
import { type Claim, standsOf, type Trust } from "./evidence-state.ts";
import { evolve, initialState } from "./evolve.ts";
import { letter } from "./letter.ts";
import { marksOf } from "./marks.ts";
import { isNewTo, nextAction, unanswered } from "./next-action.ts";
import { report } from "./report.ts";
import { roundToTell, stallText } from "./rounds.ts";
import { decidedText, solutionMark, solutionText } from "./solution.ts";
import { isNamed } from "./stance.ts";
import {
  type DialogueState,
  hasEnded,
  type Phase,
  questionForPerson,
  sideOf,
  unconfirmedBy,
} from "./state.ts";
import { payoff, type Verdict, verdictOf } from "./verdict.ts";

/** Two agents exchange self-sufficient messages until consensus or escalation (seeds 000, 003). */
export const dialogue: Protocol<DialogueState> = {
  kind: "dialogue",
  traits: {
    called: "a dialogue",
    validatedAs: "ACP",
    // Every round is two turns; the question, the last AGREE and the CONSENSUS come on top.
    turnsMax: (maxRounds) => 2 * maxRounds + 4,
    isRemovedWhenOld: true,
    wayOut: "send ESCALATE",
  },
  stateVersion: 10,
  sharedLog: false,
  heedsPerson: true,
  takesPersonSteps: true,
  initialState,
  evidenceNeeded,
  decide,
  closing,
  claims: ({ trust }) => trust.claims.map(claimMade),
  marks: (state) => marksOf(state).map(({ text }) => text),
  payoff,
  restsOn: ({ trust }) => trust.claims.filter(standsOf).flatMap((it) => lastSeen(trust, it)),
  evolve,
  audit,
  intakeFault,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspect: (_state, _events, _files, logFaults) => ({ errors: [...logFaults], warnings: [] }),
  mail: { unanswered, letter, pending, note },
  views,
  report,
};

function claimMade({ id, by, text, check, expect, withdrawn, records }: Claim): ClaimMade {
  const lookedAtBy = records.map((record) => record.by);
  return { id, by, text, check, expect, withdrawn: withdrawn !== "", lookedAtBy };
}

function lastSeen({ evidence }: Trust, claim: Claim): SeenBefore[] {
  const seen = evidence.findLast((it) => it.met && isFor(it, claim));
  return seen === undefined ? [] : [{ ...seen, claim: claim.id }];
}

function standing(state: DialogueState): SessionStatus {
  const confidences = state.participants.map(
    (name) => sideOf(state, name).confidences.at(-1) ?? "-",
  );
  const unconfirmed = unconfirmedBy(state);
  return {
    id: state.id,
    kind: "dialogue",
    topic: singleLine(state.topic),
    participants: state.participants,
    initiator: state.participants[0] ?? "",
    startedAt: state.startedAt,
    lastAt: state.actedAt,
    confidence: Object.fromEntries(state.participants.flatMap((name) => sureness(state, name))),
    spoke: Object.fromEntries(state.participants.map((name) => [name, sideOf(state, name).lastAt])),
    signs: Object.fromEntries(state.participants.map((name) => [name, lastSign(state, name)])),
    seq: state.seq,
    phase: state.phase,
    ended: hasEnded(state),
    waitingFor: state.turn,
    hasTurns: true,
    waitSeconds: undefined,
    summary:
      `${modeWord(state.mode)}, round ${roundToTell(state)} of ${state.rules.max_rounds}, ` +
      `stall limit ${stallText(state)}, confidence ${confidences.join(", ")}, agreed ${state.agreements.length}, ` +
      [`disputed ${state.disagreements.length}`, ...closingFaults(state)].join(", "),
    ...(isNamed(state) ? {} : { unnamed: true }),
    ...(hasEnded(state) ? endOf(state, verdictOf(state)) : {}),
    ...defined({ unconfirmedBy: unconfirmed }),
  };
}

function endOf(
  state: DialogueState,
  verdict: Verdict,
): Pick<SessionStatus, "verdict" | "needsPerson"> {
  const { words, remarks } = verdict;
  return { verdict: [words, ...remarks].join("; "), ...needOf(state, verdict) };
}

/** What an ended session waits for from the person. */
function needOf(
  state: DialogueState,
  { code, owner }: Verdict,
): Pick<SessionStatus, "needsPerson"> {
  const { outcome, actedAt: since, person } = state;
  if (person.decided !== undefined) return {};
  const question = questionForPerson(state);
  if (question !== undefined) return { needsPerson: { wants: "answer", text: question, since } };
  const text = outcome?.kind === "escalated" ? outcome.disagreement : owner;
  const waits = code === "escalated" || code === "recommendation";
  return waits ? { needsPerson: { wants: "decision", text, since } } : {};
}

function sureness(state: DialogueState, name: string): [name: string, confidence: number][] {
  const confidence = sideOf(state, name).confidences.at(-1);
  return confidence === undefined ? [] : [[name, confidence]];
}

function lastSign(state: DialogueState, participant: string): string {
  const { lastAt, readAt } = sideOf(state, participant);
  return notBefore(lastAt, readAt);
}

/** `.consulta/sessions/<id>`, where a dialogue lives, is three folders below the project. */
const inProject = { foldersUp: 3 } satisfies Partial<FileWanted>;

/** What shows that an artifact was created or changed: the files that a draft names, and what is new since a side last spoke. */
function filesWanted(state: DialogueState, purpose: Purpose): FileWanted[] {
  const message = purpose.for === "decision" ? purpose.fields["message"] : undefined;
  if (message === undefined) return [];
  const spoke = state.participants.map((name) => sideOf(state, name).lastAt);
  return [
    ...artifactsNamed(message).map(
      (path): FileWanted => ({ ...inProject, path, as: "sha256", since: state.startedAt }),
    ),
    { ...inProject, path: "", as: "changed", since: spoke.reduce(notBefore, state.startedAt) },
  ];
}

function artifactsNamed(message: JsonValue): string[] {
  const progress = isRecord(message) ? message["progress"] : undefined;
  if (!Array.isArray(progress)) return [];
  return progress.flatMap((entry) => {
    const path = isRecord(entry) && entry["kind"] === "artifact" ? entry["path"] : undefined;
    return typeof path === "string" ? [path] : [];
  });
}

/** The session file of seed 000; its rules when it opens; the solution when both agreed on one. */
function views(state: DialogueState, event: LogEvent | undefined): View[] {
  const states: Partial<Record<Phase, string>> = {
    consensus: "CONSENSUS",
    escalated: "ESCALATED",
    // The original knows no other end without a result.
    closed: "ESCALATED",
  };
  const session = {
    session_id: state.id,
    topic: state.topic,
    initiated_by: state.participants[0],
    started_at: state.startedAt,
    state: states[state.phase] ?? "IN_PROGRESS",
    current_round: state.round,
  };
  const view = (within: View["within"], folder: string[], name: string, text: string) => ({
    within,
    folder,
    name,
    text,
  });
  const entry = view("workspace", ["sessions"], `${state.id}.json`, jsonText(session));
  // Who began by hand wrote this file itself: its words for the topic stay.
  const changing: View[] = [state.begunByHand ? { ...entry, keeps: ["topic"] } : entry];
  if (event === undefined) return changing;
  const known = parseDialogueEvent(event);
  if (known.event === "opened") {
    const { mode, rules, participants, topic } = known;
    const protocol = { kind: "dialogue", session_id: state.id, topic, participants, mode, rules };
    changing.push(view("session", [], "protocol.json", jsonText(protocol)));
  }
  const solution = solutionAfter(state, known, event.seq);
  if (solution !== "") {
    const made = view("artifacts", [state.id], "merged-solution.md", solution);
    // A colleague with the original files keeps a solution of its own under this name.
    const ours = { mark: solutionMark(state), otherwise: "merged-solution-consulta.md" };
    changing.push({ ...made, ours });
  }
  return changing;
}

function solutionAfter(state: DialogueState, known: DialogueEvent, seq: number): string {
  if (known.event === "decided") return decidedText(state);
  return known.event === "message_sent" ? solutionText(state, known.message, seq) : "";
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
