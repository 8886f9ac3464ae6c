import { useContext } from "preact/hooks";
import { oneLine } from "../../base/visible-text.ts";
import type { Item } from "./model.ts";
import { ShownIn, useColour } from "./parts.tsx";

const [width, height, left, bottom] = [320, 120, 28, 18];

/** What a participant said of its own confidence, message by message. */
interface Trail {
  readonly name: string;
  readonly points: readonly { readonly seq: number; readonly value: number }[];
}

function trailsIn(items: readonly Item[], names: readonly string[]): Trail[] {
  const all = names.map((name) => ({
    name,
    points: items.flatMap((it) => {
      const value = it.as === "message" && it.by === name ? it.message.confidence : undefined;
      return value === undefined ? [] : { seq: it.seq, value };
    }),
  }));
  return all.filter(({ points }) => points.length > 0);
}

/** Confidence over messages: a line a participant, and the same as a table for who cannot see it. */
export function ConfidenceChart({
  items,
  threshold,
}: {
  items: readonly Item[];
  threshold: number;
}) {
  const { names = [] } = useContext(ShownIn);
  const colourOf = useColour();
  const trails = trailsIn(items, names);
  if (trails.length === 0) return <p class="quiet">Nobody has said how sure it is.</p>;
  const seqs = trails.flatMap(({ points }) => points.map(({ seq }) => seq));
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
  const x = (seq: number) =>
    left + ((seq - first) / Math.max(1, last - first)) * (width - left - 8);
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Confidence by message; the table below has the values"
      >
        <Grid threshold={threshold} />
        {trails.map(({ name, points }) => (
          <g class={colourOf(name)}>
            <polyline points={points.map((it) => `${x(it.seq)},${y(it.value)}`).join(" ")} />
            {points.map((it) => (
              <circle cx={x(it.seq)} cy={y(it.value)} r="3.2">
                <title>{`${oneLine(name)}, message ${it.seq}: ${it.value}`}</title>
              </circle>
            ))}
          </g>
        ))}
        <text x={left} y={height - 3}>{`message ${first}`}</text>
        {last === first ? null : (
          <text class="end" x={width - 8} y={height - 3}>
            {last}
          </text>
        )}
      </svg>
      <Legend trails={trails} threshold={threshold} />
      <Values trails={trails} seqs={seqs} />
    </figure>
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
          <line x1={left} x2={width - 8} y1={y(value)} y2={y(value)} />
          <text class="end" x={left - 6} y={y(value) + 3.5}>
            {value}
          </text>
        </>
      ))}
      <line class="needed" x1={left} x2={width - 8} y1={y(threshold)} y2={y(threshold)} />
    </>
  );
}

/** Whose line is which, with the newest value of each: colour alone tells no one apart. */
function Legend({ trails, threshold }: { trails: readonly Trail[]; threshold: number }) {
  const colourOf = useColour();
  return (
    <figcaption class="legend">
      {trails.map(({ name, points }) => (
        <span class={colourOf(name)}>
          <svg viewBox="0 0 22 10" aria-hidden="true">
            <polyline points="1,5 21,5" />
            <circle cx="11" cy="5" r="3.2" />
          </svg>
          <bdi>{oneLine(name)}</bdi> {points.at(-1)?.value}
        </span>
      ))}
      <span>
        <svg viewBox="0 0 22 10" aria-hidden="true">
          <line class="needed" x1="1" x2="21" y1="5" y2="5" />
        </svg>
        needed {threshold}
      </span>
    </figcaption>
  );
}

function Values({ trails, seqs }: { trails: readonly Trail[]; seqs: readonly number[] }) {
  const rows = [...new Set(seqs)].sort((one, other) => one - other);
  return (
    <details>
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
          {rows.map((seq) => (
            <tr>
              <th scope="row">{seq}</th>
              {trails.map(({ points }) => (
                <td>{points.find((it) => it.seq === seq)?.value ?? ""}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
