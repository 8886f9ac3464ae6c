import { relative, sep } from "node:path";
import { realpathSync } from "../files/disk.ts";
import { safeJoin } from "../files/safe-path.ts";
import { absoluteFrom } from "./find-root.ts";

/** The folder below which a reader looks at what others' reports name. */
export class Scope {
  readonly #folder: string;
  readonly #real: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#real = realOf(folder);
  }

  /** Whether a path lies in it, not through a link either; the path need not exist. */
  has(path: string): boolean {
    const absolute = absoluteFrom(path, undefined);
    const real = this.#real;
    if (absolute === undefined || real === undefined) return false;
    return [this.#folder, real].some((folder) => isReached(real, relative(folder, absolute)));
  }
}

function isReached(real: string, way: string): boolean {
  try {
    // What leads out begins with "..", or with a drive: neither is a name that may be joined.
    safeJoin(real, ...way.split(sep).filter((name) => name !== ""));
    return true;
  } catch {
    return false;
  }
}

function realOf(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
