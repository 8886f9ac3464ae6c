import { type Files, type Guidance, type Move, workingDirectory } from "../../protocol/protocol.ts";
import { numberOf } from "./board-names.ts";
import { reportDraft } from "./finding-text.ts";
import {
  agentOf,
  awaitedAgents,
  type BoardState,
  deadlineOf,
  findingNames,
  isAllReady,
  neededAgents,
  readyCount,
} from "./state.ts";

/** What an agent can do on a board now. There are no turns: it is always "yours". */
export function nextAction(state: BoardState, participant: string, files: Files): Guidance {
  const names = files.get(`findings/${participant}`)?.names ?? [];
  const written = names.filter((name) => numberOf(name) !== undefined).length;
  return {
    turn: "yours",
    standing: statusLines(state, participant, written),
    received: [],
    receivedEarlier: 0,
    obligations: [],
    advice: adviceFor(state, participant),
    moves: movesFor(state, participant, written),
    documents: [],
  };
}

/** The expected move first; `written` is how many findings the agent has. */
function movesFor(state: BoardState, participant: string, written: number): Move[] {
  const agent = agentOf(state, participant);
  const post = { ...postReport, draft: written + 1 };
  if (agent === undefined) return [register, readAll];
  if (agent.ready) return [isAllReady(state) ? readAll : wait, post];
  return written > 0 ? [getReady, post, readAll] : [post, getReady, readAll];
}

function statusLines(state: BoardState, participant: string, written: number): string[] {
  const { settings } = state;
  const agent = agentOf(state, participant);
  const notReady = awaitedAgents(state).map(({ name }) => name);
  const missing = neededAgents(state) - state.agents.length;
  const waiting = [...notReady, ...(missing > 0 ? [`${missing} who have not registered`] : [])];
  const deadline = deadlineOf(state);
  const you =
    agent === undefined
      ? "not registered"
      : `${written} reports, ${agent.ready ? "ready" : "not ready yet"}`;
  return [
    `board${settings.about === "" ? "" : ` about ${settings.about}`}: ` +
      `${readyCount(state)} ready, ${findingNames(state).length} findings`,
    `you: ${you}`,
    ...(waiting.length > 0 ? [`waiting for: ${waiting.join(", ")}`] : []),
    ...(deadline === "" ? [] : [`deadline: ${deadline}`]),
  ];
}

function adviceFor(state: BoardState, participant: string): string[] {
  const agent = agentOf(state, participant);
  if (agent === undefined) return ["Register before you post; you can read without."];
  if (agent.ready && isAllReady(state)) {
    return [
      "Everybody is ready: read what the others found, check what concerns you, go back to work.",
    ];
  }
  if (agent.ready) return ["When the deadline has passed, read what is there."];
  return ["One report for each thing you found out; then mark yourself ready."];
}

const register: Move = {
  purpose: "register",
  options: {},
  script: { name: "register", words: [] },
};

const postReport: Move = {
  purpose: "post a report; each file that you changed or read in place of none, as - `path` -- why",
  options: { file: "-" },
  script: { name: "post", words: ["<topic, in a few words>"] },
  input: reportDraft(workingDirectory).join("\n"),
};

const getReady: Move = {
  purpose: "mark yourself ready, when all your reports are there",
  options: {},
  script: { name: "ready", words: ["--strict"] },
};

const wait: Move = {
  purpose:
    "wait for the others (exit 0 all ready, 1 run the printed command, 2 the deadline has passed)",
  options: { timeout: "240" },
  script: { name: "poll", words: ["--wait"] },
};

const readAll: Move = {
  purpose: "read what the others found",
  options: {},
  script: { name: "read-all", words: [] },
};
