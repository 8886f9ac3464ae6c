import { type Change, type Disk, type Fate, hashOf, type Tree } from "./disk.ts";

/** What a power cut may have left. */
export interface Cut {
  readonly kind: string;
  readonly tree: Tree;
}

/** Every state that one moment's cut may leave, of the kinds that find nearly all faults. */
export function* cutsOf(disk: Disk): Generator<Cut> {
  const pending = disk.pending();
  for (const [kind, fate] of Object.entries(whole)) {
    yield { kind, tree: disk.tree(fate) };
  }
  for (const change of pending.filter(({ isRecent }) => isRecent)) {
    const isIt = ({ id, index }: Change) => id === change.id && index === change.index;
    const without = (fate: Fate) => disk.tree((it) => (isIt(it) ? fate : "written"));
    yield { kind: "one change missing", tree: without("missing") };
    if (change.isData) {
      yield { kind: "one write zeroed", tree: without("zeros") };
      yield { kind: "one write torn", tree: without("half") };
    }
    yield {
      kind: "one change alone",
      tree: disk.tree((it) => (isIt(it) ? "written" : "missing")),
    };
  }
}

const whole: Record<string, (change: Change) => Fate> = {
  "nothing unsynced": () => "missing",
  "all written": () => "written",
  "names without data": ({ isData }) => (isData ? "missing" : "written"),
  "names with zeros": ({ isData }) => (isData ? "zeros" : "written"),
  "names with half the data": ({ isData }) => (isData ? "half" : "written"),
  "data without names": ({ isData }) => (isData ? "written" : "missing"),
};

/** Gives only what was not given before. */
export class Distinct {
  readonly #seen = new Set<string>();

  isNew(tree: Tree, step: number): boolean {
    const key = `${step} ${hashOf(tree)}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
