import { rmSync } from "node:fs";
import { join } from "node:path";
import { spread } from "../crash/spread.ts";
import type { Cut } from "./cuts.ts";
import { writeTree } from "./disk.ts";

const atOnce = 2;
/** All states of a story take half an hour and more: whoever waits is told how far it is. */
const toldEvery = 100;

/** How many states of each story a bounded run tries; without it all are. */
const wanted = Number(process.env["CONSULTA_POWER_STATES"] ?? Number.POSITIVE_INFINITY);

/** Some of every kind and of every step, evenly spread. */
export function sampleOf<State extends Cut & { readonly step: number }>(
  states: readonly State[],
): State[] {
  const keyOf = ({ kind, step }: State) => `${kind} ${String(step).padStart(3)}`;
  return spread(
    states.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    wanted,
  );
}

export interface Failure<State> {
  readonly state: State;
  readonly cause: string;
}

/** Puts each state on a disk and checks it there; those that failed. */
export async function tryStates<State extends Cut>(
  scratch: string,
  states: readonly State[],
  check: (project: string, state: State) => Promise<void>,
): Promise<Failure<State>[]> {
  const queue = [...states.entries()];
  const failures: Failure<State>[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, state] = next;
      if (index % toldEvery === 0) process.stderr.write(`${index} of ${states.length} states\n`);
      const project = join(scratch, `state-${index}`);
      writeTree(state.tree, project);
      try {
        await check(project, state);
      } catch (cause) {
        failures.push({ state, cause: cause instanceof Error ? cause.message : String(cause) });
      }
      rmSync(project, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failures;
}

/** What was tried, in all and of each kind. */
export function countsOf(
  states: readonly Cut[],
  tried: readonly Cut[],
  failures: readonly Failure<Cut>[],
): string[] {
  const whole = `${states.length} different states, ${tried.length} tried`;
  const kinds = [...new Set(tried.map(({ kind }) => kind))].sort();
  const lines = kinds.map((kind) => {
    const count = tried.filter((it) => it.kind === kind).length;
    const failed = failures.filter(({ state }) => state.kind === kind).length;
    return `${kind}: ${failed} of ${count} failed`;
  });
  return [`${whole}, ${failures.length} failed`, ...lines];
}

export function filesOf({ tree }: Cut): string {
  const files = [...tree].flatMap(([path, content]) =>
    content === null ? [] : `${path} (${content.length})`,
  );
  return files.join(", ");
}
