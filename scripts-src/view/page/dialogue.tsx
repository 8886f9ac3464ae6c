import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { personName } from "../../protocol/person-step.ts";
import { Confidence } from "./confidence.tsx";
import { Items } from "./items.tsx";
import type { DialoguePart, KindProps } from "./model.ts";
import {
  Because,
  Claims,
  Columns,
  Lines,
  Markdown,
  Marks,
  Obligations,
  Participants,
  Ref,
  Section,
  Who,
} from "./parts.tsx";

type Props = KindProps<DialoguePart>;

/** A dialogue: question and decision, what was said, and beside it how it goes. */
export function Dialogue({ model, part, isUnfolded }: Props) {
  return (
    <Columns beside={<Beside model={model} part={part} />}>
      <Section title="Question">
        <Markdown words={part.question} />
      </Section>
      <Decision model={model} part={part} />
      <Section title="What was said">
        <Items model={model} isUnfolded={isUnfolded} />
      </Section>
    </Columns>
  );
}

function Beside({ model, part }: Omit<Props, "isUnfolded">) {
  const { ended, needsPerson } = model.status;
  const isOver = ended && needsPerson === undefined;
  return (
    <>
      <Section title={isOver ? "Participants" : "Who has the turn"}>
        <Participants model={model} />
      </Section>
      {ended ? null : <Stall part={part} />}
      <Confidence model={model} threshold={part.threshold} />
      <Obligations title="Required now" model={model} />
      <Minds part={part} />
      <Lines title="Disputed" texts={part.disputed} className="theirs" />
      <Lines title="Agreed" texts={part.agreed} className="theirs" />
      {part.claims.length === 0 ? null : (
        <Section title="What it rests on">
          <Claims claims={part.claims} />
        </Section>
      )}
      <Marks model={model} />
    </>
  );
}

/** What they came to; as long as it waits for the person it is only what they recommend. */
function Decision({ model, part }: Omit<Props, "isUnfolded">) {
  if (part.decision === undefined) return null;
  const { position, text, by } = part.decision;
  const isOpen = model.status.needsPerson !== undefined;
  return (
    <Section
      title={isOpen ? "What they recommend" : "Decision"}
      className={isOpen ? "decision open" : "decision"}
    >
      {position === "" ? null : <h3 class="theirs">{oneLine(position)}</h3>}
      {text.length === 0 ? null : <Markdown words={text} />}
      <p class="quiet">
        {by === personName ? (
          "Decided by you."
        ) : (
          <>
            Last put into words by <Who name={by} />.
          </>
        )}
      </p>
    </Section>
  );
}

/** Rounds without progress that are left before it is handed to the person. */
function Stall({ part: { stall, round } }: { part: DialoguePart }) {
  const { left, of } = stall;
  return (
    <Section title="Stall limit">
      <meter min={0} max={of} low={2} optimum={of} value={left}>{`${left} of ${of}`}</meter>{" "}
      {left === 0
        ? "no round without progress is left"
        : `${plural(left, "more round")} without progress, then it is yours`}
      {`; round ${round.now} of at most ${round.of}`}
    </Section>
  );
}

/** What changed whose mind. */
function Minds({ part: { flips } }: { part: DialoguePart }) {
  return flips.length === 0 ? null : (
    <Section title="What changed whose mind" className="minds">
      <ul>
        {flips.map((flip) => (
          <li>
            <Who name={flip.by} /> in <Ref seq={flip.seq} name={`#${flip.seq}`} />,{" "}
            <Because flip={flip} />
            <div class="theirs">{`now “${oneLine(flip.to)}”`}</div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
