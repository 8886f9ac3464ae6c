import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseJsonObject } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { nameIn } from "../files/safe-path.ts";

/** What the turns of one side took: seconds always, tokens where its CLI says so. */
export interface Effort {
  readonly turns: number;
  readonly seconds: number;
  readonly tokens: number;
  /** Turns that told no tokens. */
  readonly untold: number;
}

const fileName = ".effort.json";
const fileBytes = 65_536;
const sidesMax = 64;

/** Adds a turn that `consult` ran to what is known of its side. It is a count, and no evidence. */
export function addTurn(folder: string, by: string, seconds: number, tokens?: number): void {
  const known = effortIn(folder);
  const { turns, ...sum } = known[by] ?? { turns: 0, seconds: 0, tokens: 0, untold: 0 };
  const next: Effort = {
    turns: turns + 1,
    seconds: Math.round((sum.seconds + seconds) * 10) / 10,
    tokens: sum.tokens + (tokens ?? 0),
    untold: sum.untold + (tokens === undefined ? 1 : 0),
  };
  const text = `${JSON.stringify({ ...known, [by]: next })}\n`;
  try {
    writeFileAtomically(nameIn(folder, fileName), text, { sync: "nothing" });
  } catch (cause) {
    // No turn fails because a disk refuses a count.
    if (!(cause instanceof ConsultaError)) throw cause;
  }
}

/** What each side's turns took; empty where nothing is known. */
export function effortIn(folder: string): Record<string, Effort> {
  const text = textIfSound(nameIn(folder, fileName), fileBytes);
  const sides = Object.entries(parseJsonObject(text ?? "") ?? {}).slice(0, sidesMax);
  return Object.fromEntries(
    sides.flatMap(([name, it]) => {
      const effort = isSafeName(name) ? readEffort(it) : undefined;
      return effort === undefined ? [] : [[name, effort]];
    }),
  );
}

function readEffort(value: unknown): Effort | undefined {
  if (!isRecord(value)) return undefined;
  const { turns, seconds, tokens, untold } = value;
  if (!isCount(turns) || !isCount(seconds) || !isCount(tokens) || !isCount(untold))
    return undefined;
  return { turns, seconds, tokens, untold };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
