import { sectionsIn } from "../../base/markdown.ts";

/**
 * Whether the decisions of schema 2 are numbered one by one and point to what was delivered. The
 * original looks for a reference anywhere below a decision's heading, so this does as well.
 */
export function decisionsFaults(text: string, references: readonly string[]): string[] {
  const seen = new Set<string>();
  const decisions = sectionsIn(text, 3).filter(({ heading }) => heading !== "");
  return decisions.flatMap(({ heading, lines }, index) => {
    const expected = `D${index + 1}`;
    const id = /^(D\d+)\.\s./u.exec(heading)?.[1];
    const faults: string[] = [];
    if (id === undefined) faults.push("accepted decision headings must use D<number>");
    else if (seen.has(id)) faults.push(`duplicate accepted decision id ${id}`);
    if (id !== undefined && id !== expected) {
      faults.push("accepted decision ids must be sequential");
    }
    if (id !== undefined) seen.add(id);
    return [...faults, ...bodyFaults(id ?? expected, lines.join("\n"), references)];
  });
}

function bodyFaults(id: string, body: string, references: readonly string[]): string[] {
  const faults: string[] = [];
  if (!body.includes("- Decision:")) faults.push(`accepted decision ${id} requires Decision`);
  if (!body.includes("- Reflected in:")) {
    faults.push(`accepted decision ${id} requires Reflected in`);
  } else if (!references.some((reference) => body.includes(reference))) {
    faults.push(`accepted decision ${id} Reflected in must point to declared deliverable`);
  }
  return faults;
}
