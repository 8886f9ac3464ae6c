import { relative } from "node:path";
import type { ReadReport } from "../app/read-report.ts";
import { escapeControls } from "../core/json.ts";

/** A report as Markdown; what participants wrote cannot forge a heading of it. */
export function reportText({ id, logPath, events, report }: ReadReport): string {
  const lines = [
    `# ${escapeControls(report.title)}`,
    "",
    `**${escapeControls(report.verdict)}**`,
    "",
    ...report.facts.map((fact) => `- ${escapeControls(fact)}`),
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
    `- replay every rule over it: validate --session ${id}`,
    "",
  ];
  return lines.join("\n");
}

function asBody(text: string): string {
  return escapeControls(text).replace(/^(#{1,6}\s|={3,}$|-{3,}$)/gm, "\\$1");
}
