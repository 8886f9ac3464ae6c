/** How many states of each story a bounded run tries; without it all are. */
const wanted = Number(process.env["CONSULTA_POWER_STATES"] ?? Number.POSITIVE_INFINITY);
const seed = Number(process.env["CONSULTA_POWER_SEED"] ?? 1);

interface Drawn {
  readonly kind: string;
  readonly step: number;
}

/** The same draw for the same seed, spread over all kinds of states and all steps. */
export function sampleOf<State extends Drawn>(states: readonly State[]): State[] {
  if (states.length <= wanted) return [...states];
  const random = randomFrom(seed);
  const groups = grouped(states);
  const shuffled = [...groups.values()].map((group) =>
    group.map((it) => ({ it, at: random() })).sort((one, other) => one.at - other.at),
  );
  const drawn: State[] = [];
  for (let round = 0; drawn.length < wanted; round += 1) {
    for (const group of shuffled) {
      const next = group[round];
      if (next !== undefined && drawn.length < wanted) drawn.push(next.it);
    }
  }
  return drawn;
}

function grouped<State extends Drawn>(states: readonly State[]): Map<string, State[]> {
  const groups = new Map<string, State[]>();
  for (const state of states) {
    const key = `${state.kind} ${state.step}`;
    groups.set(key, [...(groups.get(key) ?? []), state]);
  }
  return groups;
}

/** mulberry32 */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
