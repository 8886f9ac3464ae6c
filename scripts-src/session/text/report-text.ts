import { relative } from "node:path";
import { plural } from "../../base/plural.ts";
import { asLine, oneLine } from "../../base/visible-text.ts";
import type { ReportSection } from "../../protocol/protocol.ts";
import type { ReadReport } from "../make-report.ts";
import { withProof } from "../saved-report.ts";

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
