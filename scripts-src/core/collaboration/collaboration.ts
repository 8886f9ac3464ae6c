import type { Protocol } from "../protocol.ts";
import { audit } from "./audit.ts";
import { conclusions } from "./conclusions.ts";
import { closing, decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { filesWanted } from "./files-wanted.ts";
import { inspect, inspected } from "./inspect.ts";
import { nextAction } from "./next-action.ts";
import { views } from "./protocol-file.ts";
import { report } from "./report.ts";
import { readSettings, settingsFault } from "./settings.ts";
import { isNewTo, standing } from "./standing.ts";
import { type CollaborationState, initialState } from "./state.ts";
import { statedFault } from "./stated-fault.ts";
import { unkeptAdvice, unkeptFault } from "./unkept.ts";

/** Participants take a proposal through review, decision and readiness to a conclusion (seed 002). */
export const collaboration: Protocol<CollaborationState> = {
  kind: "collaboration",
  stateVersion: 1,
  sharedLog: true,
  settings: {
    file: "protocol.json",
    read: readSettings,
    fault: settingsFault,
    stated: statedFault,
  },
  initialState,
  decide,
  closing,
  evolve,
  audit,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspected,
  inspect,
  unkept: {
    isStrict: ({ settings }) => settings.raw["strict"] === true,
    advice: unkeptAdvice,
    fault: unkeptFault,
  },
  views,
  report,
};
