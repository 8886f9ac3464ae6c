import { atEnds, cutTo, padded, wrapped } from "./lay-out.ts";
import { type Paint, paintFor, type TerminalTraits } from "./paint.ts";

/** One participant, as a row shows it. */
export interface ParticipantRow {
  readonly name: string;
  readonly state: "at work" | "ends its turn" | "waits" | "paused" | "done";
  /** For how long, such as 1:02. */
  readonly since: string;
  readonly confidence: number | undefined;
}

/** All that the screen of `consult` shows; each text is one line that may be shown. */
export interface ConsultModel {
  readonly session: string;
  readonly question: string;
  readonly elapsed: string;
  readonly rows: readonly ParticipantRow[];
  readonly standing: string;
  /** What the last message says. */
  readonly last: string;
  /** The check that runs now; "" for none. */
  readonly check: string;
  /** What went wrong last, or waits for the person; "" for nothing. */
  readonly note: string;
  readonly hint: string;
}

const widthMax = 100;

/** The lines of the screen: the question first, then who is at work, then what was said. */
export function consultFrame(model: ConsultModel, terminal: TerminalTraits): string[] {
  const paint = paintFor(terminal);
  // A line of the full width would break on terminals that go to the next one at once.
  const width = Math.max(20, Math.min(widthMax, terminal.columns - 1));
  const rowsMax = Math.max(1, terminal.rows - 1);
  const blocks = blocksOf(model, paint, width, rowsMax);
  const airy = blocks.filter((block) => block.length > 0).flatMap((block) => ["", ...block]);
  if (airy.length <= rowsMax + 1) return airy.slice(1);
  return blocks.flat().slice(0, rowsMax);
}

function blocksOf(model: ConsultModel, paint: Paint, width: number, rowsMax: number): string[][] {
  const isLow = rowsMax < 20;
  const head = [
    atEnds(paint.dim(`consult ${model.session}`), paint.dim(model.elapsed), width),
    ...wrapped(model.question, width, isLow ? 2 : 3).map((line) => paint.bold(line)),
  ];
  // Of many participants those at work come first, and the rest is counted.
  const shown = rowsMax - head.length - (isLow ? 7 : 12);
  const facts = [
    ...labelled("last", model.last, paint, width, isLow ? 2 : 4),
    ...labelled("check", model.check, paint, width, 1),
    ...labelled("note", model.note, paint, width, isLow ? 2 : 3),
  ];
  return [
    head,
    participantLines(model.rows, paint, width, Math.max(2, shown)),
    wrapped(model.standing, width, isLow ? 1 : 2).map((line) => paint.dim(line)),
    facts,
    [paint.dim(cutTo(model.hint, width))],
  ];
}

function participantLines(
  rows: readonly ParticipantRow[],
  paint: Paint,
  width: number,
  linesMax: number,
): string[] {
  const isNarrow = width < 60;
  const nameWidth = Math.min(
    isNarrow ? 12 : 24,
    rows.reduce((most, { name }) => Math.max(most, name.length), 0),
  );
  const line = ({ name, state, since, confidence }: ParticipantRow, place: number) => {
    const word = confidence === undefined ? "" : confidence.toFixed(2);
    const sure = word === "" ? "" : `${isNarrow ? "" : "confidence "}${word}`;
    const cells = [
      paint.name(padded(name, nameWidth), place),
      stateColor(paint, state)(padded(state, 13)),
      padded(since, 7),
      sure,
    ];
    return cutTo(`  ${cells.join("  ")}`.trimEnd(), width);
  };
  if (rows.length <= linesMax) return rows.map(line);
  const placed = rows.map((row, place) => ({ row, place }));
  const busy = placed.filter(({ row }) => row.state === "at work");
  const idle = placed.filter(({ row }) => row.state !== "at work");
  const kept = [...busy, ...idle].slice(0, linesMax - 1);
  const more = `  and ${rows.length - kept.length} more`;
  return [...kept.map(({ row, place }) => line(row, place)), paint.dim(more)];
}

function stateColor(paint: Paint, state: ParticipantRow["state"]): (text: string) => string {
  if (state === "at work" || state === "ends its turn") return paint.good;
  return state === "paused" ? paint.alert : paint.dim;
}

const labelWidth = 7;

function labelled(
  label: string,
  text: string,
  paint: Paint,
  width: number,
  linesMax: number,
): string[] {
  if (text === "") return [];
  const lines = wrapped(text, width - labelWidth, linesMax);
  const head = label === "note" ? paint.alert : paint.dim;
  return lines.map((line, index) =>
    index === 0 ? `${head(label.padEnd(labelWidth))}${line}` : `${" ".repeat(labelWidth)}${line}`,
  );
}
