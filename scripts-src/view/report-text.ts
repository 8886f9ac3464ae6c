import { relative } from "node:path";
import type { ReadReport } from "../app/read-report.ts";
import { counted } from "../core/counted.ts";
import { asLine, oneLine } from "../core/visible-text.ts";

/**
 * A report as Markdown; what participants wrote cannot forge a heading of it. `validate` is the line
 * that checks the session.
 */
export function reportText(
  { logPath, events, mark, report }: ReadReport,
  validate: string,
): string {
  const lines = [
    `# ${oneLine(report.title)}`,
    "",
    `**${oneLine(report.verdict)}**`,
    "",
    ...report.facts.map((fact) => `- ${oneLine(fact)}`),
    ...report.sections.flatMap(({ heading, lines }) => [
      "",
      `## ${oneLine(heading)}`,
      "",
      ...lines.map(asBody),
    ]),
    "",
    "## Check it",
    "",
    `- the log, ${counted(events, "event")} to ${mark}: ${relative(process.cwd(), logPath)}`,
    `- replay every rule over it: ${validate}`,
    "",
  ];
  return lines.join("\n");
}

/** A line of a participant cannot open a heading, an underline of one, or a block of HTML. */
function asBody(line: string): string {
  return asLine(line).replace(/^((?:> ?)? {0,3})(#{1,6}(?=\s|$)|=+[ \t]*$|-+[ \t]*$|<)/, "$1\\$2");
}
