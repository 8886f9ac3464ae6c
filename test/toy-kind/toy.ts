import type { JsonObject } from "../../scripts-src/base/json.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import {
  type Decision,
  type Guidance,
  type Kind,
  type Report,
  refuse,
  type SessionStatus,
  type Submission,
} from "../../scripts-src/protocol/protocol.ts";

/** A vote: each participant says one word, and the vote ends with the last of them. */
interface ToyState extends JsonObject {
  seq: number;
  question: string;
  participants: string[];
  votes: Record<string, string>;
  closed: string;
  startedAt: string;
  lastAt: string;
}

export const toy: Kind<ToyState> = {
  name: "toy",
  traits: {
    called: "a vote",
    validatedAs: "vote",
    turnsMax: (_rounds, participants) => participants,
  },
  stateVersion: 1,
  sharedLog: false,
  initialState: () => ({
    ...{ seq: 0, question: "", participants: [], votes: {}, closed: "" },
    ...{ startedAt: "", lastAt: "" },
  }),
  decide,
  closing: (_state, by, reason) => ({
    participant: by,
    origin: "close",
    fields: { event: "vote_closed", summary: reason },
  }),
  evolve,
  eventFaults: (state, event) =>
    event.event === "voted" && state.votes[event.from] !== undefined
      ? [`${event.from} voted twice`]
      : [],
  intakeFault: () => undefined,
  nextAction,
  standing: status,
  isNewTo: (state, participant) => state.votes[participant] === undefined,
  conclusions: () => [],
  filesWanted: () => [],
  inspect: (_state, _events, _files, faults) => ({ errors: [...faults], warnings: [] }),
  views: () => [],
  report,
};

function waitingFor({ participants, votes }: ToyState): string[] {
  return participants.filter((name) => votes[name] === undefined);
}

function hasEnded(state: ToyState): boolean {
  return state.closed !== "" || waitingFor(state).length === 0;
}

function decide(state: ToyState, { participant, fields, at, id }: Submission): Decision {
  const { event, summary } = fields;
  const isKnown = event === "voted" || event === "vote_closed";
  if (!isKnown || typeof summary !== "string")
    return refuse("a vote takes --event voted --summary WORD");
  if (hasEnded(state)) return refuse("the vote is over");
  if (event === "voted" && state.votes[participant] !== undefined)
    return refuse(`${participant} has voted`);
  return { ok: true, event: { seq: state.seq + 1, from: participant, event, at, summary, id } };
}

function evolve(state: ToyState, event: LogEvent): ToyState {
  const { seq, at, from, summary } = event;
  const next = { ...state, seq, lastAt: at };
  if (event.event === "voted") return { ...next, votes: { ...state.votes, [from]: summary } };
  if (event.event === "vote_closed") return { ...next, closed: summary };
  const { participants } = event;
  const names = Array.isArray(participants) ? participants.map(String) : [];
  return { ...next, startedAt: at, question: summary, participants: names };
}

function nextAction(state: ToyState, participant: string): Guidance {
  const isMine = !hasEnded(state) && waitingFor(state).includes(participant);
  return {
    turn: hasEnded(state) ? "ended" : isMine ? "yours" : "theirs",
    standing: [`vote on ${state.question}`],
    ...{ received: [], receivedEarlier: 0, obligations: [], advice: [], documents: [] },
    moves: isMine ? [{ purpose: "vote", options: { event: "voted", summary: "ONE WORD" } }] : [],
  };
}

function status(state: ToyState): SessionStatus {
  const { participants, votes, question, startedAt, lastAt, seq } = state;
  const ended = hasEnded(state);
  return {
    ...{ id: undefined, kind: "toy", topic: question, participants, startedAt, lastAt, seq, ended },
    initiator: participants[0] ?? "",
    phase: state.closed === "" ? (ended ? "voted" : "voting") : "closed",
    waitingFor: ended ? [] : waitingFor(state),
    hasTurns: true,
    waitSeconds: undefined,
    summary: `${Object.keys(votes).length} of ${participants.length} have voted`,
  };
}

function report(state: ToyState): Report {
  const lines = state.participants.flatMap((name) => {
    const word = state.votes[name];
    return word === undefined ? [] : [`- ${name}: ${word}`];
  });
  const verdict = state.closed === "" ? `${lines.length} votes` : `closed: ${state.closed}`;
  return { title: state.question, verdict, facts: [], sections: [{ heading: "Votes", lines }] };
}
