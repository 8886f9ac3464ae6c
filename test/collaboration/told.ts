/** The part of `next-action --json` that says what to do. */
export interface Told {
  readonly turn: string;
  readonly standing: string[];
  readonly obligations: string[];
  readonly advice: string[];
  readonly documents: string[];
  /** The options of each possible event, the expected one first. */
  readonly moves: Record<string, string>[];
  /** The text that `--review -` wants to read, of the first move. */
  readonly input: string;
  /** The command lines of the moves. */
  readonly lines: string[];
  readonly wait: string;
}

export function toldBy(json: string): Told {
  const { guidance, commands } = JSON.parse(json);
  const { turn, standing, obligations, advice, documents, moves } = guidance;
  return {
    ...{ turn, standing, obligations, advice, documents },
    moves: moves.map(({ options }: { options: Record<string, string> }) => options),
    input: moves[0]?.input ?? "",
    lines: commands.moves,
    wait: commands.wait,
  };
}
