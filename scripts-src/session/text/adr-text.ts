import { linesOf } from "../../base/markdown.ts";
import { asLine, oneLine } from "../../base/visible-text.ts";
import type { DecisionRecord } from "../../protocol/protocol.ts";

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
