/**
 * The name of a closed set that somebody most likely meant: another case or separator, a beginning,
 * or a few letters wrong. Undefined where none is near.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    if (hasOtherNumbers(given, name)) continue;
    const distance = distanceOf(plain(given), plain(name));
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** The end of an error about an unknown name: `; did you mean NAME?`, or "" when no known name is near. */
export function meantHint(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** What an error says after an unknown name: `did you mean NAME?`, else `lead` and the known names. */
export function nameHint(
  given: string,
  known: readonly string[],
  lead = "expected one of",
): string {
  const nearest = nearestName(given, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  const shown = known.slice(0, namesShown).join(", ") || "none";
  const more = known.length - namesShown;
  return `${lead} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** So many names are listed in one line; the others are only counted. */
const namesShown = 40;

/** Another number means another thing: C9.1 is no slip for C3.1. */
function hasOtherNumbers(given: string, name: string): boolean {
  const [own, other] = [given, name].map((it) => it.replace(/\D+/g, " ").trim());
  return own !== "" && own !== other;
}

/** A name with more letters wrong is another name, no slip. */
const stepsMax = 3;

/** Longer ones are no slips of the hand, and would cost time. */
const charactersMax = 64;

function plain(name: string): string {
  const short = name.slice(0, charactersMax).toLowerCase();
  return short.replace(/[^\p{L}\p{N}]/gu, "") || short;
}

/** How far apart two names are; infinite where one is hardly a slip for the other. */
function distanceOf(one: string, other: string): number {
  const [short = "", long = ""] = [one, other].sort((a, b) => a.length - b.length);
  // Fewer than three letters begin too many names. A beginning is nearer than a name with one letter wrong.
  if (short.length >= 3 && long.startsWith(short)) return long.length === short.length ? 0 : 0.5;
  // Fewer than half of the shorter name's letters may be wrong.
  const steps = stepsBetween(short, long);
  return steps <= stepsMax && 2 * steps < short.length ? steps : Number.POSITIVE_INFINITY;
}

/** Letters to add, drop, change or swap with their neighbour. */
function stepsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = cell(rows, i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const least = Math.min(cell(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, changed);
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(isSwap ? Math.min(least, cell(rows, i - 2, j - 2) + 1) : least);
    }
    rows.push(row);
  }
  return cell(rows, one.length, other.length);
}

function cell(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
}
