import { isPlainLine } from "../../base/escape-untrusted-text.ts";
import { isInstructions } from "../../base/instruction-files.ts";
import { type JsonObject, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { plural } from "../../base/plural.ts";
import { parseCheckSpec } from "../../protocol/check-spec.ts";
import { type Opening, protocolFor, tidyOpening } from "./build-protocol-json.ts";
import { hasPlaceholder } from "./conclusion-document.ts";
import { isHidden } from "./declared-paths.ts";
import { deliverableTypeNames, isDeliverableType } from "./deliverable-sections.ts";
import { pathInDeliverables, stepsUp } from "./deliverables.ts";
import { staysBelow } from "./deliverables-faults.ts";
import { fault } from "./faults.ts";
import { forbiddenFiles, forbiddenIn } from "./protocol-faults.ts";
import { isName } from "./settings.ts";

export type { Opening } from "./build-protocol-json.ts";

/** The object for `protocol.json`, or every reason why the input makes none. */
export type OpeningCheck =
  | { readonly ok: true; readonly raw: JsonObject }
  | { readonly ok: false; readonly reasons: string[] };

/**
 * Checks what `init` was given. Blank entries and repeated participants are dropped, as in the
 * original; what would make a folder that nobody could complete is refused.
 */
export function checkOpening(given: Opening): OpeningCheck {
  const opening = tidyOpening(given);
  const reasons = [
    ...(opening.objective === "" ? ["--objective must not be blank"] : []),
    ...participantFaults(opening),
    ...gatesFaults(opening.gates),
    ...gateChecksFaults(opening),
    ...(opening.primary === undefined ? strayFaults(given) : deliverableFaults(opening)),
  ];
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, raw: protocolFor(opening) };
}

function participantFaults({ participants, primary }: Opening): string[] {
  const faults: string[] = [];
  if (primary !== undefined && participants.length < 2) {
    faults.push("at least two non-blank --participant values are required");
  } else if (participants.length === 0) {
    faults.push("at least one non-blank --participant is required");
  }
  if (participants.length > limits.collaborationParticipants) {
    faults.push(
      `${participants.length} participants were named, at most ` +
        `${limits.collaborationParticipants} can take part; split the group`,
    );
  }
  const unfit = participants.filter((name) => !isName(name));
  return [
    ...faults,
    ...unfit.map(
      (name) =>
        `--participant ${quote(name)} must be 1 to ${limits.collaborationNameCharacters} ` +
        "characters on one line, without control characters",
    ),
  ];
}

function gatesFaults(gates: readonly string[]): string[] {
  if (gates.length === 0) return ["at least one non-blank --completion is required"];
  const tooMany = gates.length > limits.listItems;
  return [
    ...(tooMany ? [`${gates.length} gates were given, at most ${limits.listItems} can be`] : []),
    ...gates.flatMap((gate) => [
      ...forbiddenIn(gate).map((name) => {
        return (
          `${fault("obsolete file", name).text}: ${quote(gate)}; ` +
          "name what must be true, not a file that the protocol forbids"
        );
      }),
      ...(isOneLine(gate) ? [] : [`--completion ${quote(gate)} must be one line of text`]),
    ]),
  ];
}

function gateChecksFaults({ gates, gateChecks = [] }: Opening): string[] {
  if (gateChecks.length > gates.length) {
    return [
      `${gateChecks.length} --gate-check for ${plural(gates.length, "gate")}: the first belongs to the ` +
        'first --completion, and so on; give "" for a gate that a person judges',
    ];
  }
  return gateChecks.flatMap((check) => {
    if (check === "") return [];
    const spec = parseCheckSpec(check);
    return "fault" in spec ? [`--gate-check ${quote(check)}: ${spec.fault}`] : [];
  });
}

/** The options about gates: a collaboration of schema 1 takes no others. */
export const gateOptions: ReadonlySet<string> = new Set(["--completion", "--gate-check"]);

/** Options of schema 2 without what makes a collaboration one. */
function strayFaults({ mode, dir, repoRoot }: Opening): string[] {
  const given = {
    "--deliverables-mode": mode,
    "--deliverables-dir": dir,
    "--repo-root": repoRoot,
  };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `${option} needs --primary-deliverable-type`);
}

function deliverableFaults(opening: Opening): string[] {
  const { type = "", file = "", checks = [] } = opening.primary ?? {};
  const faults: string[] = [];
  if (!isDeliverableType(type)) {
    const hint = nameHint(type, deliverableTypeNames, "choose one of");
    faults.push(`${fault("unknown type", "primary").text}: ${quote(type)}; ${hint}`);
  }
  if (type === "custom" && file === "") {
    faults.push("custom deliverables require --primary-deliverable-file");
  }
  if (type === "custom" && checks.length === 0) {
    faults.push("custom deliverables require at least one --primary-deliverable-check");
  }
  for (const check of checks.filter((text) => !isOneLine(text))) {
    faults.push(`--primary-deliverable-check ${quote(check)} must be one line of text`);
  }
  return [
    ...faults,
    ...(file === "" ? [] : fileFaults(file, opening)),
    ...dirFaults(opening.dir ?? ""),
    ...modeFaults(opening),
  ];
}

function fileFaults(file: string, { mode, dir = "" }: Opening): string[] {
  if (!file.endsWith(".md")) return ["primary deliverable file must end with .md"];
  if (!staysBelow(file)) return [fault("leads out", "primary deliverable file").text];
  if (!isPortable(file)) return [`primary deliverable file ${unportable}: ${quote(file)}`];
  if (file.split("/").some(isHidden))
    return [`primary deliverable file ${notHidden}: ${quote(file)}`];
  if (file.split("/").some(isInstructions))
    return [
      `primary deliverable file must not be what AI CLIs take for instructions: ${quote(file)}`,
    ];
  if (ownFiles.has(pathInDeliverables({ dir }, file).toLowerCase())) {
    return [`primary deliverable file must not be ${file}, which the protocol writes itself`];
  }
  // conclusion.md must name the file and must not hold such a word: no file could do both.
  if (!hasPlaceholder(mode === "external" ? file : `${dir}/${file}`)) return [];
  return [
    `primary deliverable file must not have TBD, TODO or unresolved as a word: ${quote(file)}; ` +
      "conclusion.md must name it and must not contain these words",
  ];
}

function dirFaults(dir: string): string[] {
  if (dir === "") return ["--deliverables-dir must not be blank"];
  if (!staysBelow(dir)) return [fault("leads out", "--deliverables-dir").text];
  if (!isPortable(dir)) return [`--deliverables-dir ${unportable}: ${quote(dir)}`];
  const names = dir.split("/");
  if (names.some(isHidden)) return [`--deliverables-dir ${notHidden}: ${quote(dir)}`];
  const own = names.find((name) => ownFiles.has(name.toLowerCase()));
  return own === undefined ? [] : [`--deliverables-dir must not be ${own}, a file of the protocol`];
}

function modeFaults({ mode, repoRoot }: Opening): string[] {
  if (mode === "internal") {
    if (repoRoot === undefined) return [];
    return ["--repo-root is only allowed when --deliverables-mode external"];
  }
  if (mode !== "external") return ["--deliverables-mode must be internal or external"];
  if (repoRoot === undefined || repoRoot.trim() === "") {
    return ["--repo-root is required when --deliverables-mode external"];
  }
  if (repoRoot.startsWith("/")) {
    return ["--repo-root must be relative to the collaboration folder"];
  }
  if (stepsUp(repoRoot) !== undefined) return [];
  return [`--repo-root must lead straight up to the repository, such as ../..: ${quote(repoRoot)}`];
}

const ownFiles = new Set<string>(
  [
    ...["protocol.json", "events.jsonl", "README.md", "proposal.md", "review.md", "decisions.md"],
    ...["readiness.md", "conclusion.md", ...forbiddenFiles],
  ].map((name) => name.toLowerCase()),
);

const notHidden = "must not be hidden, where programs keep their own files";
const unportable = "must be made of plain names with slashes between them";

/** No character that some file system or a Markdown line of ours would stumble over. */
function isPortable(path: string): boolean {
  return isPlainLine(path) && !/[\\:*?"<>|`]/.test(path);
}

function isOneLine(text: string): boolean {
  return text.length <= limits.itemCharacters && isPlainLine(text);
}
