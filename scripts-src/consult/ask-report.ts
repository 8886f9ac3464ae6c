import type { Turn } from "./driver.ts";
import type { PersonForm } from "./person.ts";

/** Asks a person for reports to a board, part by part; gives them as fenced Markdown blocks. */
export async function askReports(form: PersonForm, { project }: Turn): Promise<string> {
  const blocks: string[] = [];
  for (let number = 1; ; number += 1) {
    blocks.push(`\`\`\`\`markdown\n${await askReport(form, number, project)}\n\`\`\`\``);
    const more = await form.choice(`another report after ${number}`, ["no", "yes"], "no");
    if (more === "no") return blocks.join("\n\n");
  }
}

async function askReport(form: PersonForm, number: number, project: string): Promise<string> {
  const label = (part: string) => `report ${number}, ${part}`;
  const title = await form.line(label("title: what you found, in one sentence"), "");
  const directories = await form.line(label("folder that you looked at"), project);
  const modified = await form.paragraph(label("files that you changed, one a line"));
  const investigated = await form.paragraph(label("files that you looked at, one a line"));
  const summary = await form.text(label("summary, with path:line of what you saw"));
  return [
    `# ${title}`,
    "",
    "## Working Directories",
    listOf(directories),
    "",
    "## Files Modified",
    listOf(modified),
    "",
    "## Files Investigated (not modified)",
    listOf(investigated),
    "",
    "## Summary",
    summary,
  ].join("\n");
}

function listOf(text: string): string {
  const items = text.split("\n").filter((line) => line.trim() !== "");
  return items.length === 0 ? "- none" : items.map((item) => `- ${item}`).join("\n");
}
