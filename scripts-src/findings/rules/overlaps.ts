import { authorOf } from "./board-names.ts";
/** A file that reports list: `key` is the same for all that mean the same file. */
export interface SharedFile {
  readonly key: string;
  readonly shown: string;
}

export interface OverlapInput {
  /** `agent/NN-topic.md`. */
  readonly finding: string;
  readonly modified: readonly SharedFile[];
  readonly investigated: readonly SharedFile[];
}

/** One file that agents should talk about. */
export interface Overlap {
  /** As the first report names it. */
  readonly shown: string;
  /** Findings, in the order in which they came. */
  readonly modifiedBy: readonly string[];
  /** Findings that only looked at what another agent modified. */
  readonly investigatedBy: readonly string[];
}

interface Mentions {
  readonly shown: string;
  readonly modifiedBy: Set<string>;
  readonly investigatedBy: Set<string>;
}

/**
 * The files that reports of different agents are about and that at least one of them modified:
 * first those that several agents modified, each group in the order of first mention.
 */
export function overlapsAmong(findings: readonly OverlapInput[]): Overlap[] {
  const files = new Map<string, Mentions>();
  for (const { finding, modified, investigated } of findings) {
    for (const file of modified) mentionsOf(files, file).modifiedBy.add(finding);
    for (const file of investigated) mentionsOf(files, file).investigatedBy.add(finding);
  }
  const all = [...files.values()].map(overlapOf);
  const contested = all.filter(({ modifiedBy }) => agentsOf(modifiedBy).size > 1);
  const watched = all.filter(
    ({ modifiedBy, investigatedBy }) =>
      agentsOf(modifiedBy).size === 1 && investigatedBy.length > 0,
  );
  return [...contested, ...watched];
}

function mentionsOf(files: Map<string, Mentions>, { key, shown }: SharedFile): Mentions {
  const known = files.get(key);
  if (known !== undefined) return known;
  const fresh = { shown, modifiedBy: new Set<string>(), investigatedBy: new Set<string>() };
  files.set(key, fresh);
  return fresh;
}

function overlapOf({ shown, modifiedBy, investigatedBy }: Mentions): Overlap {
  const modifiers = agentsOf(modifiedBy);
  const others = [...investigatedBy].filter(
    (finding) =>
      !modifiedBy.has(finding) && (modifiers.size > 1 || !modifiers.has(authorOf(finding))),
  );
  return { shown, modifiedBy: [...modifiedBy], investigatedBy: others };
}

function agentsOf(findings: Iterable<string>): Set<string> {
  return new Set([...findings].map(authorOf));
}
