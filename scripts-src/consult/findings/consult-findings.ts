import type { ConsultKind } from "../consult-kind.ts";
import { beginFindings } from "./begin-findings.ts";
import { findingsTurns } from "./findings-turns.ts";
import { resumeFindings } from "./resume-findings.ts";

/** A board of findings, as `consult` runs it. */
export const consultFindings: ConsultKind = {
  begin: beginFindings,
  resume: resumeFindings,
  turns: findingsTurns,
};
