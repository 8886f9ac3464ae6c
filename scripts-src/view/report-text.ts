import { relative } from "node:path";
import type { ReadReport } from "../app/read-report.ts";
import { escapeControls } from "../core/json.ts";

/** A report as Markdown; what participants wrote cannot forge a heading of it. */
export function reportText({ logPath, events, report, where }: ReadReport): string {
  const lines = [
    `# ${oneLine(report.title)}`,
    "",
    `**${oneLine(report.verdict)}**`,
    "",
    ...report.facts.map((fact) => `- ${oneLine(fact)}`),
    ...report.sections.flatMap(({ heading, lines }) => [
      "",
      `## ${heading}`,
      "",
      ...lines.map(asBody),
    ]),
    "",
    "## Check it",
    "",
    `- the log, ${events} events: ${relative(process.cwd(), logPath)}`,
    `- replay every rule over it: validate ${whereOf(where)}`,
    "",
  ];
  return lines.join("\n");
}

function whereOf(where: ReadReport["where"]): string {
  if ("session" in where) return `--session ${where.session}`;
  return `--folder ${escapeControls(relative(process.cwd(), where.folder) || ".")}`;
}

/** A participant's line cannot open a heading, an underline of one, or a block of HTML. */
function asBody(text: string): string {
  return escapeControls(text).replace(
    /^( {0,3})(#{1,6}(?=\s|$)|=+[ \t]*$|-+[ \t]*$|<)/gm,
    "$1\\$2",
  );
}

function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, " ").trim());
}
