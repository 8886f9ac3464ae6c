import { relative } from "node:path";
import { linesOf } from "../../base/markdown.ts";
import { plural } from "../../base/plural.ts";
import { asLine, oneLine } from "../../base/visible-text.ts";
import type { DecisionRecord, ReportSection } from "../../protocol/protocol.ts";
import type { ReadReport } from "../make-report.ts";
import { withProof } from "../tampering.ts";

/** The commands that check a session. */
export interface CheckCommands {
  readonly validate: string;
  /** Looks again at all that the session rests on; where there is such. */
  readonly replay?: string | undefined;
}

/** A report as Markdown; what participants wrote cannot forge a heading of it. */
export function reportText(
  { logPath, events, hasEvidence, mark, changed, report }: ReadReport,
  { validate, replay }: CheckCommands,
): string {
  const { title, verdict, facts, sections, marks = [], appendix = [] } = report;
  const told = [...changed.map((line) => `CHANGED SINCE: ${line}`), ...facts];
  const lines = [
    `# ${oneLine(title)}`,
    "",
    `**${oneLine(verdict)}**`,
    ...(told.length === 0 ? [] : ["", ...told.map(bullet)]),
    ...sections.flatMap(sectionLines),
    ...(marks.length === 0 ? [] : sectionLines({ heading: "Marks", lines: marks.map(bullet) })),
    "",
    "## Check it",
    "",
    ...(replay === undefined || !hasEvidence
      ? []
      : [`- look again at all that it rests on: ${replay}`]),
    `- replay every rule over it: ${validate}`,
    `- the log, ${plural(events, "event")}, checksum of the last ${mark}: ${relative(process.cwd(), logPath)}`,
    ...appendix.flatMap(sectionLines),
    "",
  ];
  return withProof(lines.join("\n"));
}

function sectionLines({ heading, lines }: ReportSection): string[] {
  return ["", `## ${oneLine(heading)}`, "", ...lines.map(asBody)];
}

function bullet(line: string): string {
  return `- ${oneLine(line)}`;
}

/** A line of a participant cannot open a heading, an underline of one, or a block of HTML. */
function asBody(line: string): string {
  return asLine(line).replace(/^((?:> ?)? {0,3})(#{1,6}(?=\s|$)|=+[ \t]*$|-+[ \t]*$|<)/, "$1\\$2");
}

/**
 * A decision as Markdown of an architecture decision record, in the sections of MADR 4. `replay` is the
 * command that confirms it.
 */
export function adrText(title: string, record: DecisionRecord, replay: string): string {
  const { status, date, decisionMakers, consulted, chosen, because, consequences } = record;
  return [
    "---",
    `status: "${status}"`,
    `date: ${date}`,
    `decision-makers: ${listOf(decisionMakers)}`,
    `consulted: ${listOf(consulted)}`,
    "---",
    "",
    `# ${oneLine(title)}`,
    ...part("## Context and Problem Statement", quoted(record.question)),
    ...part(
      "## Considered Options",
      record.options.map(({ by, text }) => `- ${oneLine(text)} (${by})`),
    ),
    ...part("## Decision Outcome", outcomeLines(chosen, because)),
    ...part(
      "### Consequences",
      consequences.map((it) => `- ${oneLine(it)}`),
    ),
    ...part("### Confirmation", confirmationLines(record, replay)),
    ...part("## More Information", [oneLine(record.verdict)]),
    "",
  ].join("\n");
}

function listOf(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function part(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading, "", ...lines];
}

function quoted(text: string): string[] {
  return linesOf(text).map((line) => asLine(`> ${line}`.trimEnd()));
}

function outcomeLines(chosen: string, because: readonly string[]): string[] {
  if (chosen === "") return ["Nothing is chosen yet: the decision is the user's."];
  const reasons = because.map((it) => `- ${oneLine(it)}`);
  return [
    "Chosen option:",
    "",
    ...quoted(chosen),
    ...(reasons.length === 0 ? [] : ["", "because", "", ...reasons]),
  ];
}

function confirmationLines({ confirmation, commit }: DecisionRecord, replay: string): string[] {
  if (confirmation.length === 0)
    return ["Nothing was checked: no command can confirm this decision."];
  const at = commit === "" ? "" : ` (seen at commit ${commit})`;
  return [
    `Exit 0 while all of it is as it was${at}, 1 when something changed:`,
    "",
    "```bash",
    replay,
    "```",
    "",
    ...confirmation.map(({ claim, spec, expect }) => {
      const wanted = expect === "" ? "" : `, expected: ${JSON.stringify(expect)}`;
      return `- ${claim}: \`${oneLine(spec).replaceAll("`", "'")}\`${oneLine(wanted)}`;
    }),
  ];
}
