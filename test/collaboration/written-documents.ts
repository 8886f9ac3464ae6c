import { createHash } from "node:crypto";
import { conclusionSections } from "../../scripts-src/collaboration/rules/conclusion.ts";
import { sectionsOf } from "../../scripts-src/collaboration/rules/deliverables.ts";
import type { FileFact } from "../../scripts-src/protocol/protocol.ts";

// Documents as a diligent participant writes them: with these every gate opens.

/** The primary deliverable of schema 2. */
export const deliverable = "deliverables/adr.md";

export function readiness(gates: readonly string[], items = ["[resolved] Which store? Files."]) {
  const checked = [...gates, "Ready to implement"].map((gate) => `- [x] ${gate}`);
  return `# Readiness\n\n${[...items.map((item) => `- ${item}`), ...checked].join("\n")}\n`;
}

export function conclusion(schema: 1 | 2, outcome = "[proceed] it is cheap"): string {
  const sections = conclusionSections(schema).map((section) =>
    section === "Decision Outcome"
      ? `## ${section}\n\n- ${outcome}\n`
      : `## ${section}\n\nAs agreed on ${deliverable}.\n`,
  );
  return `# Conclusion\n\n${sections.join("\n")}`;
}

export function adr(status: string, type = "adr"): string {
  const sections = sectionsOf({ type, checklist: [] }).map((it) => `## ${it}\n\nWritten.\n`);
  return `# ADR\n\nType: adr\nStatus: ${status}\n\n${sections.join("\n")}`;
}

export function factOf(text: string): FileFact {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { bytes: text.length, text, sha256 };
}
