import type { Kind } from "../../protocol/protocol.ts";
import { conclusions } from "./conclusion.ts";
import { closing, decide } from "./decide.ts";
import { documentRight, filesWanted } from "./files.ts";
import { inspect, isNeededToInspect } from "./inspect.ts";
import { eventFaults, evolve, intakeFault } from "./machine.ts";
import { nextAction } from "./next-action.ts";
import { views } from "./protocol-file.ts";
import { report } from "./report.ts";
import { isPass } from "./seed-rules.ts";
import { isNewTo, standing } from "./session-status.ts";
import { parseSettings, settingsFault, statedFault } from "./settings.ts";
import { type CollaborationState, initialState } from "./state.ts";

/** Participants take a proposal through review, decision and readiness to a conclusion (seed 002). */
export const collaboration: Kind<CollaborationState> = {
  name: "collaboration",
  traits: {
    called: "a collaboration",
    validatedAs: "ACP",
    // Everybody has the turn once in a round; the owner's turns between the rounds come on top.
    turnsMax: (maxRounds, participants) => participants * maxRounds + 10,
    wayOut: "append blocked",
    whenSilent:
      "who may have vanished: ask the user to restart its CLI with its prompt, or to run it headless with " +
      "consult; when it cannot come back, append blocked, which any other participant can",
  },
  stateVersion: 1,
  sharedLog: true,
  settings: {
    file: "protocol.json",
    read: parseSettings,
    fault: settingsFault,
    stated: statedFault,
  },
  initialState,
  decide,
  closing,
  evolve,
  eventFaults,
  intakeFault,
  documentRight,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  isNeededToInspect,
  inspect,
  onlyWhenValid: isPass,
  views,
  report,
};
