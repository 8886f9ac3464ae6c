import type { JsonObject } from "../../base/json.ts";
import { readDeliverables, referenceOf } from "./deliverables.ts";

/** What `init` is given; with a primary deliverable it opens a collaboration of schema 2. */
export interface Opening {
  objective: string;
  /** The first one initializes and owns the proposal. */
  participants: readonly string[];
  gates: readonly string[];
  /** What shows that a gate is met, in the gates' order; "" for one that a person judges. */
  gateChecks?: readonly string[];
  /** ISO-8601 time in UTC, whole seconds. */
  createdAt: string;
  primary?: PrimaryGiven | undefined;
  mode?: string | undefined;
  dir?: string | undefined;
  repoRoot?: string | undefined;
}

interface PrimaryGiven {
  type: string;
  file?: string | undefined;
  /** The sections of a custom deliverable. */
  checks: readonly string[];
}

/**
 * Without blanks around, blank entries and participants who were named before; defaults filled in.
 * Gates, sections and paths stay as they were given: the original keeps them so.
 */
export function tidyOpening(given: Opening): Opening {
  const { primary } = given;
  return {
    ...given,
    objective: given.objective.trim(),
    participants: [...new Set(tidyList(given.participants))],
    gates: tidyList(given.gates),
    gateChecks: (given.gateChecks ?? []).map((check) => check.trim()),
    ...(primary === undefined
      ? {}
      : {
          primary: { type: primary.type, file: fileOf(primary), checks: tidyList(primary.checks) },
          mode: given.mode ?? "internal",
          dir: (given.dir ?? "deliverables").trim(),
        }),
  };
}

/** The object that `init` writes into `protocol.json`, for an opening that passed its check. */
export function protocolFor(given: Opening): JsonObject {
  const opening = tidyOpening(given);
  const { objective, participants, gates, createdAt } = opening;
  const owner = participants[0] ?? "";
  const common = {
    objective,
    participants: participants.map((id) => ({ id })),
    currentPhase: "drafting",
    proposalOwner: owner,
    waitingFor: [owner],
    createdAt,
    updatedAt: createdAt,
    ...checksFor(opening),
  };
  if (opening.primary === undefined) return { ...common, completionGates: [...gates] };
  const declared = declaredBy(opening, opening.primary, owner);
  return {
    ...common,
    ...declared,
    protocol: "acp",
    schemaVersion: 2,
    objectiveGates: [...gates],
    completionGates: [
      ...gates.map((text) => ({ source: "objective", text })),
      ...generatedGates(declared).map((text) => ({ source: "generated", text })),
    ],
  };
}

/** A key of ours beside the gates, whose form both schemas fix. */
function checksFor({ gates, gateChecks = [] }: Opening): JsonObject {
  const checks = gates.flatMap((gate, index) => {
    const check = gateChecks[index] ?? "";
    return check === "" ? [] : [{ gate, check }];
  });
  return checks.length === 0 ? {} : { gateChecks: checks };
}

/** The keys of `protocol.json` that say what is to be delivered and where. */
function declaredBy(opening: Opening, primary: PrimaryGiven, owner: string): JsonObject {
  const { mode = "", dir = "", repoRoot } = opening;
  const { type, file = "", checks } = primary;
  return {
    deliverables: {
      mode,
      dir,
      owner,
      coAuthors: [],
      primary: { type, file, checklist: [...checks] },
      supporting: [],
      attachments: [],
    },
    ...(mode === "external" ? { repoRoot: repoRoot ?? "" } : {}),
  };
}

function generatedGates(declared: JsonObject): string[] {
  const deliverables = readDeliverables(declared);
  if (deliverables === undefined) return [];
  const { primary } = deliverables;
  return [
    `Primary deliverable exists: \`${referenceOf(deliverables, primary)}\``,
    `Primary deliverable has required \`${primary.type}\` sections`,
    "Every accepted decision has `Reflected in`",
    "Every accepted decision is reflected in the primary deliverable",
    "Primary deliverable status is `Frozen`",
    "Primary deliverable SHA-256 snapshot recorded",
  ];
}

function fileOf({ type, file = "" }: PrimaryGiven): string {
  if (file.trim() !== "") return file.trim();
  return type === "custom" ? "" : `${type}.md`;
}

function tidyList(items: readonly string[]): string[] {
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
