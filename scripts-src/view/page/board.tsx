import { useContext } from "preact/hooks";
import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { timeText, until } from "./display-format.ts";
import { Items } from "./items.tsx";
import type { BoardPart, FindingModel, KindProps } from "./model.ts";
import {
  Columns,
  Lines,
  Markdown,
  Marks,
  Participants,
  Section,
  ShownIn,
  When,
  Who,
} from "./parts.tsx";

type Props = KindProps<BoardPart>;

/** A board: what each agent found, what became of it, and who is missing. */
export function Board({ model, part, isUnfolded }: Props) {
  return (
    <Columns beside={<Beside model={model} part={part} />}>
      {part.agents.map(({ name, ready, registered }) => {
        const own = part.reports.filter(({ agent }) => agent === name);
        const state = registered ? (ready ? "is ready" : "is not ready") : "has not registered";
        return (
          <section key={name}>
            <h2>
              <Who name={name} /> {state}
            </h2>
            {own.length === 0 ? <p class="quiet">Nothing was posted.</p> : null}
            {own.map((it) => (
              <Report key={it.file} report={it} isOpen={isUnfolded} />
            ))}
          </section>
        );
      })}
      <Section title="What happened">
        <Items model={model} />
      </Section>
    </Columns>
  );
}

function Beside({ model, part }: Omit<Props, "isUnfolded">) {
  const { missing, deadline, agents, conflicts, sharedLines } = part;
  const left = until(deadline, useContext(ShownIn).now);
  // Nobody has a turn on a board: what counts is who is ready.
  const ready = agents.filter((it) => it.ready).map(({ name }) => name);
  const participants = model.participants.map((it) =>
    ready.includes(it.name) ? { ...it, state: it.state.replace("waits", "is ready") } : it,
  );
  return (
    <>
      <Section title="Missing">
        {missing.length === 0
          ? "Nobody: all have shared what they know."
          : missing.map(oneLine).join(", ")}
        {deadline === "" ? null : (
          <p class="quiet">
            Deadline <time dateTime={deadline}>{`${timeText(deadline)} UTC`}</time>
            {left === "" ? "" : `, ${left}`}
          </p>
        )}
      </Section>
      <Section title="Agents">
        <Participants model={{ ...model, participants }} />
      </Section>
      <Lines title="Reports about the same file" texts={conflicts} />
      <Lines title="Reports about the same line" texts={sharedLines} />
      <Marks model={model} />
    </>
  );
}

function Report({ report, isOpen }: { report: FindingModel; isOpen: boolean }) {
  const { file, title, summary, text, at, notes, supersededBy } = report;
  return (
    <article class="card">
      <h3>{supersededBy.length > 0 ? <s>{oneLine(title)}</s> : oneLine(title)}</h3>
      <Labels report={report} />
      <p class="theirs">{oneLine(summary)}</p>
      {notes.map((it) => (
        <p class="warning">{oneLine(it)}</p>
      ))}
      <details open={isOpen}>
        <summary>
          <code>{oneLine(file)}</code> <When at={at} />
        </summary>
        <Markdown words={text} />
      </details>
    </article>
  );
}

function Labels({ report }: { report: FindingModel }) {
  const { confirmedBy, supersededBy, stale, missing } = report;
  const labels: [tone: string, text: string, why: readonly string[]][] = [
    ["good", `confirmed by ${confirmedBy.join(", ")}`, confirmedBy],
    ["quiet", `superseded by ${supersededBy.join(", ")}`, supersededBy],
    ["call", `stale: ${plural(stale.length, "citation")}`, stale],
    ["call", `never found: ${plural(missing.length, "citation")}`, missing],
  ];
  const filled = labels.filter(([, , why]) => why.length > 0);
  return filled.length === 0 ? null : (
    <ul class="chips">
      {filled.map(([tone, text, why]) => (
        <li class={tone} title={why.map(oneLine).join("\n")}>
          {oneLine(text)}
        </li>
      ))}
    </ul>
  );
}
