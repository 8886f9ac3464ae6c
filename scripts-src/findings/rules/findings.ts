import type { Protocol } from "../../protocol/protocol.ts";
import { decide } from "./decide.ts";
import { notice } from "./detect-foreign-changes.ts";
import { documentRight } from "./document-permissions.ts";
import { evolve } from "./evolve.ts";
import { filesWanted } from "./files-wanted.ts";
import { audit, inspect, intakeFault } from "./inspect.ts";
import { readMeta } from "./meta-file.ts";
import { nextAction } from "./next-action.ts";
import { conclusions, report } from "./report.ts";
import { type BoardState, initialState, isNewTo, standing } from "./state.ts";

/** Agents pool what they found, without turns (seed 004). */
export const findings: Protocol<BoardState> = {
  kind: "findings",
  traits: {
    called: "a board of findings",
    validatedAs: "board",
    turnsMax: (_maxRounds, agents) => agents,
    // Others made boards before there was a log: its files alone make one.
    damagedLog:
      "move events.jsonl and .checkpoint.json out of the folder: the next command begins a new log from the " +
      "board's files, which hold every report; what the reports cited before is not known any more",
  },
  stateVersion: 3,
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
  audit,
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
