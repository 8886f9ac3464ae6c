import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { type Shown, until } from "./display-format.ts";
import { Items } from "./items.tsx";
import { Markdown } from "./markdown.tsx";
import type { BoardPart, FindingModel, ParticipantModel, SessionModel } from "./model.ts";
import { Marks, PageSection, Participants } from "./session-parts.tsx";
import { When, Who } from "./who.tsx";

interface Props {
  readonly model: SessionModel;
  readonly part: BoardPart;
  readonly shown: Shown;
  readonly isUnfolded?: boolean | undefined;
}

/** A board: what each agent found, what became of it, and who is missing. */
export function Board({ model, part, shown, isUnfolded = false }: Props) {
  return (
    <div class="columns">
      <div class="main">
        {part.agents.map(({ name, ready, registered }) => {
          const own = part.reports.filter(({ agent }) => agent === name);
          return (
            <section class="agent">
              <h2>
                <Who name={name} shown={shown} />{" "}
                <span class="quiet">
                  {registered ? (ready ? "is ready" : "is not ready") : "has not registered"}
                </span>
              </h2>
              {own.length === 0 ? <p class="quiet">Nothing was posted.</p> : null}
              {own.map((it) => (
                <Report report={it} shown={shown} isOpen={isUnfolded} />
              ))}
            </section>
          );
        })}
        <PageSection title="What happened" className="said">
          <Items items={model.items} shown={shown} isOpen={() => false} />
        </PageSection>
      </div>
      <aside class="beside" aria-label="Who is missing">
        <Missing part={part} shown={shown} />
        <PageSection title="Agents">
          <Participants
            participants={model.participants.map((it) => asAgent(it, part))}
            shown={shown}
          />
        </PageSection>
        <Lines title="Reports about the same file" texts={part.conflicts} />
        <Lines title="Reports about the same line" texts={part.sharedLines} />
        <Marks marks={model.marks} />
      </aside>
    </div>
  );
}

/** Nobody has a turn on a board: what counts is who is ready. */
function asAgent(participant: ParticipantModel, { agents }: BoardPart): ParticipantModel {
  const isReady = agents.some(({ name, ready }) => ready && name === participant.name);
  return isReady
    ? { ...participant, state: participant.state.replace("waits", "is ready") }
    : participant;
}

function Missing({ part, shown }: { part: BoardPart; shown: Shown }) {
  return (
    <PageSection title="Missing">
      <p>
        {part.missing.length === 0
          ? "Nobody: all have shared what they know."
          : part.missing.map(oneLine).join(", ")}
      </p>
      {part.deadline === "" ? null : (
        <p class="quiet">
          Deadline{" "}
          <time
            dateTime={part.deadline}
          >{`${part.deadline.slice(0, 16).replace("T", " ")} UTC`}</time>
          {shown.now === undefined ? "" : `, ${until(part.deadline, shown)}`}
        </p>
      )}
    </PageSection>
  );
}

function Report({
  report,
  shown,
  isOpen,
}: {
  report: FindingModel;
  shown: Shown;
  isOpen: boolean;
}) {
  const { file, title, summary, text, at, faults, marks } = report;
  return (
    <article class={`report ${report.supersededBy.length > 0 ? "superseded" : ""}`}>
      <h3>{oneLine(title)}</h3>
      <Labels report={report} />
      <p class="theirs">{oneLine(summary)}</p>
      {[...faults, ...marks].map((it) => (
        <p class="note">{oneLine(it)}</p>
      ))}
      <details open={isOpen}>
        <summary>
          <code>{oneLine(file)}</code> <When at={at} shown={shown} />
        </summary>
        <Markdown words={text} />
      </details>
    </article>
  );
}

function Labels({ report }: { report: FindingModel }) {
  const { confirmedBy, supersededBy, stale, missing } = report;
  const labels: [name: string, text: string, why: readonly string[]][] = [
    ["confirmed", `confirmed by ${confirmedBy.join(", ")}`, confirmedBy],
    ["superseded", `superseded by ${supersededBy.join(", ")}`, supersededBy],
    ["stale", `stale: ${plural(stale.length, "citation")}`, stale],
    ["missing", `never found: ${plural(missing.length, "citation")}`, missing],
  ];
  const filled = labels.filter(([, , why]) => why.length > 0);
  return filled.length === 0 ? null : (
    <ul class="labels">
      {filled.map(([name, text, why]) => (
        <li class={name} title={why.map(oneLine).join("\n")}>
          {oneLine(text)}
        </li>
      ))}
    </ul>
  );
}

function Lines({ title, texts }: { title: string; texts: readonly string[] }) {
  return texts.length === 0 ? null : (
    <PageSection title={title}>
      <ul class="plain">
        {texts.map((text) => (
          <li>{oneLine(text)}</li>
        ))}
      </ul>
    </PageSection>
  );
}
