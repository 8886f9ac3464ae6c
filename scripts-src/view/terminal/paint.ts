/** What a terminal can show. */
export interface TerminalTraits {
  readonly columns: number;
  readonly rows: number;
  readonly hasColors: boolean;
}

/** How parts of a text look; the plain one changes nothing. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  alert(text: string): string;
  /** A participant's name, by its place among them: each has its colour beside its word. */
  name(text: string, place: number): string;
}

const sgr = (open: number, close: number) => (text: string) =>
  text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`;

const nameColors = [36, 35, 33, 34, 32, 31];

const colored: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  good: sgr(32, 39),
  alert: sgr(33, 39),
  name: (text, place) => sgr(nameColors[place % nameColors.length] ?? 36, 39)(text),
};

const asIs = (text: string) => text;
const plain: Paint = { bold: asIs, dim: asIs, good: asIs, alert: asIs, name: asIs };

export function paintFor({ hasColors }: Pick<TerminalTraits, "hasColors">): Paint {
  return hasColors ? colored : plain;
}
