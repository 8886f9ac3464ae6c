import { defined } from "../base/omit-undefined.ts";
import { notBefore } from "../base/time.ts";
import { singleLine } from "../base/visible-text.ts";
import type { LogEvent } from "../log/event.ts";
import { modeWord } from "../protocol/config.ts";
import type { FileWanted, Kind, Purpose, SessionStatus, View } from "../protocol/protocol.ts";
import { auditWanted } from "./audit.ts";
import { changedRuns } from "./changed-runs.ts";
import { claimsMade, evidenceNeeded, restsOn } from "./claims.ts";
import { closing, decide } from "./decide.ts";
import { letter, note, pending } from "./delivery.ts";
import { closingFaults } from "./ending.ts";
import { parseDialogueEvent } from "./event.ts";
import { eventFaults, intakeFault } from "./event-faults.ts";
import { evolve } from "./fold.ts";
import { marksOf } from "./marks.ts";
import { parseDraft } from "./message.ts";
import { isNewTo, nextAction } from "./next-action.ts";
import { isNamed } from "./positions.ts";
import { report } from "./report.ts";
import { solutionMark, solutionText } from "./solution.ts";
import {
  type DialogueState,
  hasEnded,
  initialState,
  questionForPerson,
  roundToTell,
  sideOf,
  stallText,
  unconfirmedBy,
} from "./state.ts";
import { auditSubject, conclusions } from "./story.ts";
import { payoff, verdictOf } from "./verdict.ts";

/** Two agents exchange self-sufficient messages until consensus or escalation (seeds 000, 003). */
export const dialogue: Kind<DialogueState> = {
  name: "dialogue",
  traits: {
    called: "a dialogue",
    validatedAs: "ACP",
    // Every round is two turns; the question, the last AGREE and the CONSENSUS come on top.
    turnsMax: (maxRounds) => 2 * maxRounds + 4,
    isRemovedWhenOld: true,
    wayOut: "send ESCALATE",
  },
  stateVersion: 15,
  sharedLog: false,
  heedsPerson: true,
  takesPersonSteps: true,
  initialState,
  evidenceNeeded,
  decide,
  closing,
  claims: claimsMade,
  marks: (state) => marksOf(state).map(({ text }) => text),
  auditWanted,
  auditSubject,
  payoff,
  restsOn,
  evolve,
  eventFaults,
  intakeFault,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspect: (_state, _events, _files, logFaults) => ({ errors: [...logFaults], warnings: [] }),
  mail: { pending, letter, note },
  views,
  report,
};

function standing(state: DialogueState): SessionStatus {
  const { id, participants, startedAt, actedAt: lastAt, seq, phase, turn, mode, rules } = state;
  const ended = hasEnded(state);
  const sides = participants.map((name) => [name, sideOf(state, name)] as const);
  const last = sides.map(([name, side]) => [name, side.confidences.at(-1)] as const);
  const round = `round ${roundToTell(state)} of ${rules.max_rounds}`;
  const sureness = `confidence ${last.map(([, it]) => it ?? "-").join(", ")}`;
  const points = `agreed ${state.agreements.length}, disputed ${state.disagreements.length}`;
  const summary = [modeWord(mode), round, `stall limit ${stallText(state)}`, sureness, points];
  return {
    ...{ id, kind: "dialogue", topic: singleLine(state.topic), participants, startedAt, lastAt },
    initiator: participants[0] ?? "",
    confidence: Object.fromEntries(
      last.flatMap(([name, it]) => (it === undefined ? [] : [[name, it]])),
    ),
    spoke: Object.fromEntries(sides.map(([name, side]) => [name, side.lastAt])),
    signs: Object.fromEntries(
      sides.map(([name, side]) => [name, notBefore(side.lastAt, side.readAt)]),
    ),
    ...{ seq, phase, ended, waitingFor: turn, hasTurns: true, waitSeconds: undefined },
    summary: [...summary, ...closingFaults(state)].join(", "),
    ...(isNamed(state) ? {} : { unnamed: true }),
    ...(ended ? endOf(state) : {}),
    ...defined({ unconfirmedBy: unconfirmedBy(state) }),
  };
}

/** What an ended session is worth, and what it waits for from the person. */
function endOf(state: DialogueState): Pick<SessionStatus, "verdict" | "needsPerson"> {
  const { line: verdict, code, owner } = verdictOf(state);
  const { outcome, actedAt: since, person } = state;
  const question = questionForPerson(state);
  if (question !== undefined)
    return { verdict, needsPerson: { wants: "answer", text: question, since } };
  const isLeft = code === "escalated" || code === "recommendation";
  if (!isLeft || person.decided !== undefined) return { verdict };
  const text = outcome?.kind === "escalated" ? outcome.disagreement : owner;
  return { verdict, needsPerson: { wants: "decision", text, since } };
}

/** `.consulta/sessions/<id>`, where a dialogue lives, is three folders below the project. */
const inProject = { foldersUp: 3 } satisfies Partial<FileWanted>;

/** What shows that an artifact was created or changed: the files that a draft names, and what is new since a side last spoke. */
function filesWanted(state: DialogueState, purpose: Purpose): FileWanted[] {
  const by = "participant" in purpose ? purpose.participant : "";
  const seen = changedRuns(state, by).flatMap(({ files }) => files);
  const runs = seen.map((path): FileWanted => ({ ...inProject, path, as: "sha256" }));
  const message = purpose.for === "decision" ? purpose.fields["message"] : undefined;
  if (message === undefined) return purpose.for === "guidance" ? runs : [];
  const draft = parseDraft(message, true);
  const progress = Array.isArray(draft) ? [] : (draft.progress ?? []);
  const named = progress.filter(({ kind }) => kind === "artifact");
  const since = state.participants.map((name) => sideOf(state, name).lastAt);
  return [
    ...named.map(
      ({ path = "" }): FileWanted => ({
        ...{ ...inProject, path, as: "sha256", since: state.startedAt },
      }),
    ),
    { ...inProject, path: "", as: "changed", since: since.reduce(notBefore, state.startedAt) },
    ...(!Array.isArray(draft) && draft.type === "AGREE" ? runs : []),
  ];
}

/** The session file of seed 000; its rules when it opens; the solution when both agreed on one. */
function views(state: DialogueState, event: LogEvent | undefined): View[] {
  const { id, topic, startedAt, round, begunByHand, phase } = state;
  // The original knows no other end without a result.
  const isLeft = phase === "escalated" || phase === "closed";
  const session = {
    session_id: id,
    topic,
    initiated_by: state.participants[0],
    started_at: startedAt,
    state: phase === "consensus" ? "CONSENSUS" : isLeft ? "ESCALATED" : "IN_PROGRESS",
    current_round: round,
  };
  const entry: View = {
    ...{ within: "workspace", folder: ["sessions"], name: `${id}.json`, text: jsonText(session) },
    // Who began by hand wrote this file itself: its words for the topic stay.
    ...(begunByHand ? { keeps: ["topic"] } : {}),
  };
  const known = event && parseDialogueEvent(event);
  if (event === undefined || known === undefined) return [entry];
  if (known.event === "opened") {
    const { mode, rules, participants, topic } = known;
    const protocol = { kind: "dialogue", session_id: id, topic, participants, mode, rules };
    const text = jsonText(protocol);
    return [entry, { within: "session", folder: [], name: "protocol.json", text }];
  }
  const text =
    isLeft || phase === "consensus" || state.reopened ? solutionText(state, known, event.seq) : "";
  if (text === "") return [entry];
  // A colleague with the original files keeps a solution of its own under this name.
  const ours = { mark: solutionMark(state), otherwise: "merged-solution-consulta.md" };
  const name = "merged-solution.md";
  return [entry, { within: "artifacts", folder: [id], name, text, ours }];
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
