import { ConsultaError } from "../scripts-src/base/errors.ts";
import { phases, type Settings } from "../scripts-src/collaboration/rules/settings.ts";
import {
  type Condition,
  type Transition,
  transitions,
  type WaitingRule,
} from "../scripts-src/collaboration/rules/transitions.ts";

/** The machine of a schema as Markdown: a Mermaid diagram and the table of all transitions. */
export function diagram(schema: Settings["schema"]): string {
  const own = transitions.filter((it) => schema === 2 || it.schema === undefined);
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...stateLines(own),
    ...edgeLines(own),
    "```",
    "",
    "| in | event | from | needs | leads to | then waited for |",
    "| --- | --- | --- | --- | --- | --- |",
    ...own.map((transition) => tableRow(transition, schema)),
    "",
  ].join("\n");
}

/**
 * A document with the generated parts as the code has them now: whatever stands between the
 * markers of a schema is replaced.
 */
export function withDiagrams(document: string): string {
  return schemas.reduce((text, schema) => {
    const [begin, end] = [`<!-- schema ${schema}: generated -->`, `<!-- schema ${schema}: end -->`];
    const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
    if (start === -1 || stop < start) {
      throw new ConsultaError("REFUSED", `the lines ${begin} and ${end} are missing; add them`);
    }
    return `${text.slice(0, start + begin.length)}\n\n${diagram(schema)}\n${text.slice(stop)}`;
  }, document);
}

const schemas = [1, 2] as const;

/** Events that are possible everywhere get one node, or every phase would be tied to every other. */
const anyPhase = "any_phase";
const phaseBefore = "phase_before";

function stateLines(own: readonly Transition[]): string[] {
  const ends = own.flatMap(edgesOf).flatMap(({ from, to }) => [from, to]);
  return [
    ...(ends.includes(anyPhase) ? [`  state "any phase" as ${anyPhase}`] : []),
    ...(ends.includes(phaseBefore) ? [`  state "the phase before" as ${phaseBefore}`] : []),
  ];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

function edgeLines(own: readonly Transition[]): string[] {
  const labels = new Map<string, string[]>();
  for (const { from, to, label } of own.flatMap(edgesOf)) {
    const ends = `${from} --> ${to}`;
    labels.set(ends, [...(labels.get(ends) ?? []), label]);
  }
  const lines = [...labels].map(([ends, named]) => `  ${ends}: ${named.join("<br/>")}`);
  return [...lines, "  completed --> [*]"];
}

function edgesOf(transition: Transition): Edge[] {
  const { from, to, last } = transition;
  const label = labelOf(transition);
  const starts = isEverywhere(transition) ? [anyPhase] : from.map(nodeOf);
  return starts.flatMap((start) => {
    const edge = { from: start, to: to === "same" ? start : nodeOf(to), label };
    return last === undefined
      ? [edge]
      : [edge, { from: start, to: nodeOf(last.to), label: `${label}, the last` }];
  });
}

function nodeOf(phase: Transition["from"][number] | Transition["to"]): string {
  if (phase === "new") return "[*]";
  return phase === "before" ? phaseBefore : phase;
}

function isEverywhere({ from }: Transition): boolean {
  return phases.every((phase) => from.includes(phase));
}

function labelOf({ event, role }: Transition): string {
  return role === "supporting" ? `${event} (supporting)` : event;
}

function tableRow(transition: Transition, schema: Settings["schema"]): string {
  const { from, who, needs, to, waitingFor, last } = transition;
  const where = isEverywhere(transition) ? "any phase" : from.join(", ");
  const asked = needs.filter((need) => schema === 2 || !onlySchema2.includes(need));
  const leads = to === "before" ? "the phase before" : to === "same" ? "the same" : to;
  const cells = [
    where,
    labelOf(transition),
    who,
    asked.join(", ") || "-",
    last === undefined ? leads : `${leads}; after the last: ${last.to}`,
    last === undefined
      ? waitedFor[waitingFor]
      : `${waitedFor[waitingFor]}; after the last: ${waitedFor[last.waitingFor]}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Conditions that hold by themselves where there is no deliverable. */
const onlySchema2: readonly Condition[] = ["drafted", "frozen"];

const waitedFor: Record<WaitingRule, string> = {
  owner: "the owner",
  others: "all but the owner",
  everyone: "everyone",
  "the rest": "those still missing",
  nobody: "nobody",
  "as before": "as before",
  "as before the block": "as before the block",
};
