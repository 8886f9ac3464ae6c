/** Something that a scripted reviewer looks for in a proposal, and how the owner puts it in. */
export interface Aspect {
  /** The section of proposal.md that deals with it. */
  readonly section: string;
  readonly concern: string;
  readonly lines: readonly string[];
}

/** Each reviewer has one of them, by its seat. */
export const aspects: readonly [Aspect, ...Aspect[]] = [
  {
    section: "Way Back",
    concern: "Nothing says how the first step is taken back when it turns out wrong.",
    lines: [
      "- The first step lies behind one interface; taking it back means to switch that interface.",
      "- The old way stays in place until the first step has passed its measure.",
    ],
  },
  {
    section: "Failure and Recovery",
    concern: "A crash in the middle of the change is not spoken of.",
    lines: [
      "- A step is done whole or not at all; what was half done is done again at the next start.",
      "- Every failure is told in one line with the way out.",
    ],
  },
  {
    section: "Measure of Success",
    concern: "Nobody could tell later whether it has worked.",
    lines: [
      "- Before the first step its present cost is measured and written down.",
      "- Two weeks of real use are compared with that number; worse means: take it back.",
    ],
  },
  {
    section: "Limits",
    concern: "How much it must carry is left open.",
    lines: [
      "- Every size, count and wait gets a named limit; whatever exceeds one is refused with its name.",
    ],
  },
];

export function aspectOf(seat: number): Aspect {
  return aspects[Math.max(0, seat) % aspects.length] ?? aspects[0];
}

/** The change as a review requires it: so concrete that the owner can make it. */
export function requiredChange({ section }: Aspect): string {
  return `Add a section "## ${section}" to proposal.md that says how this is dealt with.`;
}

/** The aspect that a required change is about; undefined when no script knows it. */
export function aspectRequired(change: string): Aspect | undefined {
  return aspects.find((aspect) => requiredChange(aspect) === change);
}
