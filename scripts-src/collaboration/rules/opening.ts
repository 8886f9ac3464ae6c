import { type JsonObject, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { isInstructions } from "../../base/names.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { isPlainLine } from "../../base/quote-text.ts";
import { hasPlaceholder } from "./conclusion.ts";
import {
  deliverableTypeNames,
  isHidden,
  isOwnFile,
  primaryReference,
  readDeliverables,
} from "./deliverables.ts";
import { type Fault, type FaultCode, hasFault } from "./faults.ts";
import { keysFault, protocolFaults } from "./settings.ts";

/** What `init` is given; with a primary deliverable it opens a collaboration of schema 2. */
export interface Opening {
  objective: string;
  /** The first one initializes and owns the proposal. */
  participants: readonly string[];
  gates: readonly string[];
  /** ISO-8601 time in UTC, whole seconds. */
  createdAt: string;
  /** `checks`: the sections of a custom deliverable. */
  primary?: { type: string; file?: string | undefined; checks: readonly string[] } | undefined;
  mode?: string | undefined;
  dir?: string | undefined;
  repoRoot?: string | undefined;
}

/** The object for `protocol.json`, or every reason why the input makes none. */
export type OpeningCheck =
  | { readonly ok: true; readonly raw: JsonObject }
  | { readonly ok: false; readonly reasons: string[] };

/**
 * Checks what `init` was given. Blank entries and repeated participants are dropped, as in the
 * original; what would make a folder that nobody could complete is refused.
 */
export function checkOpening(given: Opening): OpeningCheck {
  const opening = tidied(given);
  if (opening.primary?.type === "") {
    return { ok: false, reasons: ["deliverables need --primary-deliverable-type"] };
  }
  const raw = protocolFor(given);
  const isAlone = opening.primary !== undefined && opening.participants.length < 2;
  const faults = protocolFaults(raw).filter(({ code }) => code !== "no participants" || !isAlone);
  const unusable = keysFault(raw);
  const isTold = unusable?.code !== undefined && (isAlone || hasFault(faults, unusable.code));
  const reasons = [
    ...faults.map((it) => reasonFor(it, opening)),
    ...(isAlone ? ["at least two non-blank --participant values are required"] : []),
    ...(unusable === undefined || isTold
      ? []
      : [unusable.text.replace(/^invalid protocol\.json: /, "")]),
    ...lineFaults(opening),
    ...(faults.length > 0 || unusable !== undefined ? [] : pathFaults(raw)),
  ];
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, raw };
}

/** A fault of `protocol.json` by the option that brought it. */
function reasonFor({ code, text }: Fault, { primary }: Opening): string {
  const { type = "", file = "" } = primary ?? {};
  const reasons: Partial<Record<FaultCode, string>> = {
    "no objective": "--objective must not be blank",
    "no participants": "at least one non-blank --participant is required",
    "no gates": "at least one non-blank --completion is required",
    "root given": "--repo-root is only allowed when --deliverables-mode external",
    "unknown mode": "--deliverables-mode must be internal or external",
    "no root": "--repo-root is required when --deliverables-mode external",
    "absolute root": "--repo-root must be relative to the collaboration folder",
    "not inside root": "--repo-root must lead straight up to the repository, such as ../..",
    "no dir": "--deliverables-dir must not be blank",
    "unknown type": `${text}: ${quote(type)}; ${nameHint(type, deliverableTypeNames, "choose one of")}`,
    "not Markdown":
      file === ""
        ? "custom deliverables require --primary-deliverable-file"
        : "primary deliverable file must end with .md",
    "no checklist": "custom deliverables require at least one --primary-deliverable-check",
  };
  return reasons[code] ?? text;
}

/** What goes into lists of Markdown has to be one line. */
function lineFaults({ gates, primary }: Opening): string[] {
  const isOneLine = (text: string) => text.length <= limits.itemCharacters && isPlainLine(text);
  const given = [
    ...gates.map((text) => ["--completion", text] as const),
    ...(primary?.checks ?? []).map((text) => ["--primary-deliverable-check", text] as const),
  ];
  const tooMany = gates.length > limits.listItems;
  return [
    ...(tooMany ? [`${gates.length} gates were given, at most ${limits.listItems} can be`] : []),
    ...given
      .filter(([, text]) => !isOneLine(text))
      .map(([option, text]) => `${option} ${quote(text)} must be one line of text`),
  ];
}

/** Of the paths that the validator lets pass those that some file system or document of ours would stumble over. */
function pathFaults(raw: JsonObject): string[] {
  const deliverables = readDeliverables(raw) ?? null;
  if (deliverables === null) return [];
  const { path } = deliverables.primary;
  const names = path.split("/");
  const reference = primaryReference({ deliverables });
  const broken: readonly (readonly [boolean, string])[] = [
    [/[:*?"<>|`]/.test(path), "must be made of plain names with slashes between them"],
    [names.some(isHidden), "must not be hidden, where programs keep their own files"],
    [names.some(isInstructions), "must not be what AI CLIs take for instructions"],
    [isOwnFile(names[0] ?? ""), "must not be a file that the protocol writes itself"],
    // conclusion.md must name the file and must not hold such a word: no file could do both.
    [hasPlaceholder(reference), "must not have TBD, TODO or unresolved as a word"],
  ];
  const found = broken.find(([isBroken]) => isBroken);
  return found === undefined ? [] : [`primary deliverable file ${found[1]}: ${quote(path)}`];
}

/**
 * Without blanks around, blank entries and participants who were named before; defaults filled in.
 * Gates, sections and paths stay as they were given: the original keeps them so.
 */
function tidied(given: Opening): Opening {
  const { primary } = given;
  const common = {
    ...given,
    objective: given.objective.trim(),
    participants: [...new Set(withoutBlanks(given.participants))],
    gates: withoutBlanks(given.gates),
  };
  if (primary === undefined) return common;
  const { type, checks, file = "" } = primary;
  const fallback = type === "custom" ? "" : `${type}.md`;
  return {
    ...common,
    primary: { type, file: file.trim() || fallback, checks: withoutBlanks(checks) },
    mode: given.mode ?? "internal",
    dir: (given.dir ?? "deliverables").trim(),
  };
}

function withoutBlanks(items: readonly string[]): string[] {
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

/** The object that `init` writes into `protocol.json`. */
export function protocolFor(given: Opening): JsonObject {
  const opening = tidied(given);
  const { objective, participants, gates, createdAt, primary } = opening;
  const owner = participants[0] ?? "";
  const common = {
    objective,
    participants: participants.map((id) => ({ id })),
    currentPhase: "drafting",
    proposalOwner: owner,
    waitingFor: [owner],
    createdAt,
    updatedAt: createdAt,
  };
  if (primary === undefined) return { ...common, completionGates: [...gates] };
  const { mode = "", dir = "", repoRoot } = opening;
  const { type, file = "", checks } = primary;
  const declared = {
    deliverables: {
      ...{ mode, dir, owner, coAuthors: [] },
      ...{ primary: { type, file, checklist: [...checks] }, supporting: [], attachments: [] },
    },
    ...(repoRoot === undefined ? {} : { repoRoot }),
  };
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

function generatedGates(declared: JsonObject): string[] {
  const deliverables = readDeliverables(declared) ?? null;
  if (deliverables === null) return [];
  return [
    `Primary deliverable exists: \`${primaryReference({ deliverables })}\``,
    `Primary deliverable has required \`${deliverables.primary.type}\` sections`,
    "Every accepted decision has `Reflected in`",
    "Every accepted decision is reflected in the primary deliverable",
    "Primary deliverable status is `Frozen`",
    "Primary deliverable SHA-256 snapshot recorded",
  ];
}
