import { plural } from "../../base/plural.ts";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import { phaseText } from "./display-format.ts";
import { Items } from "./items.tsx";
import type { CollaborationPart, KindProps, RevisionModel } from "./model.ts";
import {
  Columns,
  Markdown,
  Marked,
  Marks,
  Obligations,
  Participants,
  Section,
  Who,
} from "./parts.tsx";

type Props = KindProps<CollaborationPart>;

/** A collaboration: the road with the place where it stands, duties, gates, and how the proposal changed. */
export function Collaboration({ model, part, isUnfolded }: Props) {
  return (
    <Columns beside={<Beside model={model} part={part} />}>
      <Section title="Where it stands">
        <Road part={part} />
      </Section>
      {part.revisions.map((it) => (
        <Revision key={it.seq} revision={it} />
      ))}
      {part.documents.length === 0 ? null : (
        <Section title="Documents" className="documents">
          {part.documents.map(({ name, text, bytes, fault }) => (
            <details key={name} open={isUnfolded}>
              <summary>
                <code>{oneLine(name)}</code>{" "}
                <span class="quiet">{fault || plural(bytes, "byte")}</span>
              </summary>
              <Markdown words={text} />
            </details>
          ))}
        </Section>
      )}
      <Section title="What happened">
        <Items model={model} />
      </Section>
    </Columns>
  );
}

function Beside({ model, part }: Omit<Props, "isUnfolded">) {
  return (
    <>
      <Section title="Participants">
        <Participants model={model} />
      </Section>
      <Obligations title="Whose duty is what" model={model} />
      {part.gates.length === 0 ? null : (
        <Section title="Gates">
          <ul class="claims">
            {part.gates.map(({ met, line }) => (
              <Marked status={met ? "seen" : "assumed"}>{oneLine(line)}</Marked>
            ))}
          </ul>
        </Section>
      )}
      <Marks model={model} />
    </>
  );
}

/** The states in their order, and what leads on from the present one. */
function Road({ part: { phases, blocked, next } }: { part: CollaborationPart }) {
  return (
    <>
      <ol class="phases">
        {phases.map(({ name, state }) => (
          <li class={state} aria-current={state === "now" ? "step" : undefined}>
            {phaseText(name)} <span class="unseen">({state})</span>
          </li>
        ))}
      </ol>
      {blocked === "" ? null : (
        <p class="warning">
          <strong>Blocked</strong> by {oneLine(blocked)}
        </p>
      )}
      <ul class="quiet">
        {next.map(({ event, who, to }) => (
          <li>
            <code>{event}</code> by {oneLine(who)} <span aria-hidden="true">→</span>
            <span class="unseen">leads to</span> {phaseText(to)}
          </li>
        ))}
      </ul>
    </>
  );
}

const tags: Readonly<Record<string, "ins" | "del">> = { "+": "ins", "-": "del" };

function Revision({ revision }: { revision: RevisionModel }) {
  const { version, seq, lines, reviews } = revision;
  const count = (sign: string) => lines.filter((it) => it.startsWith(sign)).length;
  return (
    <Section title={`proposal.md: version ${version - 1} to ${version}`} className="revision">
      <details open>
        <summary>{`${plural(count("+"), "line")} added, ${count("-")} removed, with event ${seq}`}</summary>
        <div class="pair">
          <div class="diff" role="group" tabIndex={0} aria-label="What changed in the proposal">
            {lines.map((line) => {
              const Line = tags[line.charAt(0)] ?? "div";
              return <Line>{visibleText(line)}</Line>;
            })}
          </div>
          <div>
            {reviews.length === 0 ? <p class="quiet">No review came in between.</p> : null}
            {reviews.map((it) => (
              <article key={it.seq} class="review">
                <Who name={it.by} /> <span class="quiet">{`reviewed, #${it.seq}`}</span>
                <Markdown words={it.text} />
              </article>
            ))}
          </div>
        </div>
      </details>
    </Section>
  );
}
