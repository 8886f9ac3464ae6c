import type { FileWanted, Kind, Purpose } from "../../protocol/protocol.ts";
import { pathOf } from "./board-names.ts";
import { decide, filesWithHash } from "./decide.ts";
import { documentRight, notice } from "./foreign-changes.ts";
import { eventFaults, inspect, intakeFault } from "./inspect.ts";
import { readMeta } from "./meta-and-agents.ts";
import { nextAction } from "./next-action.ts";
import { conclusions, report } from "./report.ts";
import {
  agentOf,
  type BoardState,
  evolve,
  findingNames,
  initialState,
  isNewTo,
  standing,
} from "./state.ts";

/** Agents pool what they found, without turns (seed 004). */
export const findings: Kind<BoardState> = {
  name: "findings",
  traits: {
    called: "a board of findings",
    validatedAs: "board",
    turnsMax: (_maxRounds, agents) => agents,
    // Others made boards before there was a log: its files alone make one.
    damagedLog:
      "move events.jsonl and .checkpoint.json out of the folder: the next command begins a new log from the " +
      "board's files, which hold every report; what the reports cited before is not known any more",
  },
  stateVersion: 5,
  sharedLog: false,
  takesPersonSteps: true,
  isOpen: true,
  settings: {
    file: "meta.md",
    read: readMeta,
    fault: ({ fault }) => (fault === "" ? undefined : String(fault)),
  },
  notice,
  initialState,
  decide,
  evolve,
  eventFaults,
  intakeFault,
  documentRight,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspect,
  views: () => [],
  report,
};

/** The files that a rule of the board looks at. */
function filesWanted(state: BoardState, purpose: Purpose): FileWanted[] {
  const agentsFile = { path: "agents.md", as: "text" } as const;
  const folderOf = (agent: string) => ({ path: `findings/${agent}`, as: "names" }) as const;
  const findings = () =>
    findingNames(state).map((finding) => ({ path: pathOf(finding), as: "text" }) as const);
  switch (purpose.for) {
    case "decision": {
      const { participant, fields } = purpose;
      // A report that is there already has its name.
      if (typeof fields["file"] === "string")
        return [{ path: pathOf(`${participant}/${fields["file"]}`), as: "file" }];
      // Of the mark only whether it is there counts; it goes with the event to those who share the board.
      const mark = { path: `findings/${participant}/.ready`, as: "file" } as const;
      const agent = agentOf(state, participant);
      const same = (agent ? filesWithHash(agent, fields["content"]) : []).map(
        (file) => ({ path: pathOf(`${participant}/${file}`), as: "text" }) as const,
      );
      return [agentsFile, folderOf(participant), mark, ...same];
    }
    case "guidance":
      return [folderOf(purpose.participant)];
    case "notice":
      return [agentsFile, ...state.agents.map(({ name }) => folderOf(name))];
    case "conclusion":
      return findings().slice(0, findingsToldMax);
    case "inspection":
      return [agentsFile, ...findings()];
  }
}

/** More find no room in what a board leaves. */
const findingsToldMax = 64;
