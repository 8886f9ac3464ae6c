import type { Protocol } from "../protocol.ts";
import { audit } from "./audit.ts";
import { conclusions } from "./conclusions.ts";
import { decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { filesWanted } from "./files-wanted.ts";
import { inspect } from "./inspect.ts";
import { readMeta } from "./meta-file.ts";
import { nextAction } from "./next-action.ts";
import { notice } from "./notice.ts";
import { report } from "./report.ts";
import { isNewTo, standing } from "./standing.ts";
import { type BoardState, initialState } from "./state.ts";

/** Agents pool what they found, without turns (seed 004). */
export const findings: Protocol<BoardState> = {
  kind: "findings",
  stateVersion: 3,
  sharedLog: false,
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
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspect,
  views: () => [],
  report,
};
