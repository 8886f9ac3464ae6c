import { oneLine } from "../../base/visible-text.ts";
import { colourOf, type Shown } from "./display-format.ts";
import type { Trail } from "./model.ts";

const width = 320;
const height = 120;
const left = 28;
const bottom = 18;

/** Confidence over messages: a line a participant, and the same as a table for who cannot see it. */
export function ConfidenceChart({
  trails,
  threshold,
  shown,
}: {
  trails: readonly Trail[];
  threshold: number;
  shown: Shown;
}) {
  const filled = trails.filter(({ points }) => points.length > 0);
  if (filled.length === 0) return <p class="quiet">Nobody has said how sure it is.</p>;
  const seqs = filled.flatMap(({ points }) => points.map(({ seq }) => seq));
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
  const x = (seq: number) =>
    left + ((seq - first) / Math.max(1, last - first)) * (width - left - 8);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Confidence by message; the table below has the values"
      >
        <Grid threshold={threshold} />
        {filled.map(({ name, points }) => (
          <g class={`${colourOf(name, shown.names)} ${lineOf(name, shown)}`}>
            <polyline
              class="trail"
              points={points.map((it) => `${x(it.seq)},${y(it.value)}`).join(" ")}
            />
            {points.slice(0, shown.drawnMax).map((it) => (
              <circle class="knot" cx={x(it.seq)} cy={y(it.value)} r="3.2">
                <title>{`${oneLine(name)}, message ${it.seq}: ${it.value}`}</title>
              </circle>
            ))}
          </g>
        ))}
        <text class="axis" x={left} y={height - 3}>{`message ${first}`}</text>
        {last === first ? null : (
          <text class="axis end" x={width - 8} y={height - 3}>{`${last}`}</text>
        )}
      </svg>
      <Legend trails={filled} threshold={threshold} shown={shown} />
      <ConfidenceTable trails={filled} shown={shown} />
    </figure>
  );
}

/** Every other line has hollow knots: colour alone tells no one apart. */
function lineOf(name: string, { names }: Shown): string {
  return names.indexOf(name) % 2 === 1 ? "hollow" : "";
}

/** Whose line is which, with the newest value of each. */
function Legend({
  trails,
  threshold,
  shown,
}: {
  trails: readonly Trail[];
  threshold: number;
  shown: Shown;
}) {
  return (
    <figcaption class="legend">
      {trails.map(({ name, points }) => (
        <span class={`${colourOf(name, shown.names)} ${lineOf(name, shown)}`}>
          <svg viewBox="0 0 22 10" aria-hidden="true">
            <line class="trail" x1="1" x2="21" y1="5" y2="5" />
            <circle class="knot" cx="11" cy="5" r="3.2" />
          </svg>
          <bdi class="who">{oneLine(name)}</bdi> {points.at(-1)?.value}
        </span>
      ))}
      <span>
        <svg viewBox="0 0 22 10" aria-hidden="true">
          <line class="threshold" x1="1" x2="21" y1="5" y2="5" />
        </svg>
        needed {threshold}
      </span>
    </figcaption>
  );
}

function y(value: number): number {
  return 8 + (1 - Math.min(1, Math.max(0, value))) * (height - bottom - 12);
}

function Grid({ threshold }: { threshold: number }) {
  return (
    <>
      {[0, 0.5, 1].map((value) => (
        <>
          <line class="grid" x1={left} x2={width - 8} y1={y(value)} y2={y(value)} />
          <text class="axis end" x={left - 6} y={y(value) + 3.5}>
            {value}
          </text>
        </>
      ))}
      <line class="threshold" x1={left} x2={width - 8} y1={y(threshold)} y2={y(threshold)}>
        <title>{`needed for consensus: ${threshold}`}</title>
      </line>
    </>
  );
}

function ConfidenceTable({ trails, shown }: { trails: readonly Trail[]; shown: Shown }) {
  const columns = trails.map(({ points }) => new Map(points.map((it) => [it.seq, it.value])));
  const seqs = [...new Set(columns.flatMap((it) => [...it.keys()]))].sort(
    (one, other) => one - other,
  );
  return (
    <details class="values">
      <summary>Values</summary>
      <table>
        <caption class="unseen">Confidence by message, in the participants' own word</caption>
        <thead>
          <tr>
            <th scope="col">message</th>
            {trails.map(({ name }) => (
              <th scope="col">{oneLine(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {seqs.slice(0, shown.drawnMax).map((seq) => (
            <tr>
              <th scope="row">{seq}</th>
              {columns.map((values) => (
                <td>{values.get(seq) ?? ""}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** The newest values of all, small, for a row of a list. */
export function Sparkline({ trails, shown }: { trails: readonly Trail[]; shown: Shown }) {
  const filled = trails.filter(({ points }) => points.length > 0);
  if (filled.length === 0) return null;
  const label = filled
    .map(({ name, points }) => `${oneLine(name)} ${points.map(({ value }) => value).join(", ")}`)
    .join("; ");
  const lowest = Math.min(0.5, ...filled.flatMap(({ points }) => points.map((it) => it.value)));
  return (
    <svg class="spark" viewBox="0 0 64 20" role="img" aria-label={`Confidence: ${label}`}>
      {filled.map(({ name, points }) => {
        const step = 58 / Math.max(1, points.length - 1);
        const left = points.length === 1 ? 61 : 3;
        const at = ({ value }: { value: number }, index: number) =>
          `${left + index * step},${sparkY(value, lowest)}`;
        const end = at(points.at(-1) ?? { value: 0 }, points.length - 1).split(",");
        return (
          <g class={`${colourOf(name, shown.names)} ${lineOf(name, shown)}`}>
            <polyline class="trail" points={points.map(at).join(" ")} />
            <circle class="knot" cx={end[0]} cy={end[1]} r="2" />
          </g>
        );
      })}
    </svg>
  );
}

/** Nearly all say more than a half: the lower half is shown only where somebody was there. */
function sparkY(value: number, lowest: number): number {
  const share = (Math.min(1, Math.max(0, value)) - Math.max(0, lowest)) / (1 - Math.max(0, lowest));
  return 3 + (1 - share) * 14;
}
