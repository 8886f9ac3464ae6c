import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { personName } from "../../protocol/person-step.ts";
import { ConfidenceChart } from "./chart.tsx";
import { Because, Claims } from "./claims.tsx";
import type { Shown } from "./display-format.ts";
import { Items, isAmong } from "./items.tsx";
import { Markdown } from "./markdown.tsx";
import type { FetchBody } from "./message.tsx";
import type { DialoguePart, Item, SessionModel } from "./model.ts";
import { Marks, Obligations, PageSection, Participants } from "./session-parts.tsx";
import { Ref, Who } from "./who.tsx";

interface Props {
  readonly model: SessionModel;
  readonly part: DialoguePart;
  readonly shown: Shown;
  readonly fetchBody?: FetchBody | undefined;
  /** All messages are unfolded: for paper, and for a file. */
  readonly isUnfolded?: boolean | undefined;
}

/** A dialogue: question and decision, what was said, and beside it how it goes. */
export function Dialogue({ model, part, shown, fetchBody, isUnfolded }: Props) {
  const { wanted } = model.person;
  const isHere = isAmong(model.items);
  const newest = model.items.findLast((item) => item.as === "message")?.seq;
  const isOpen = (item: Item) => isUnfolded === true || item.seq === newest;
  return (
    <div class="columns">
      <div class="main">
        <Question part={part} />
        <Decision part={part} shown={shown} isOpen={wanted !== undefined} />
        <PageSection title="What was said" className="said">
          <Items items={model.items} shown={shown} isOpen={isOpen} fetchBody={fetchBody} />
        </PageSection>
      </div>
      <aside class="beside" aria-label="How it goes">
        <PageSection
          title={model.ended && wanted === undefined ? "Participants" : "Who has the turn"}
        >
          <Participants participants={model.participants} wanted={wanted} shown={shown} />
        </PageSection>
        {model.ended ? null : <Stall part={part} />}
        <PageSection title="Confidence">
          <ConfidenceChart trails={part.confidence} threshold={part.threshold} shown={shown} />
        </PageSection>
        <Obligations title="Required now" model={model} shown={shown} />
        <Minds part={part} shown={shown} isHere={isHere} />
        <Points title="Disputed" texts={part.disputed} />
        <Points title="Agreed" texts={part.agreed} />
        {part.claims.length === 0 ? null : (
          <PageSection title="What it rests on">
            <Claims claims={part.claims} shown={shown} isHere={isHere} />
          </PageSection>
        )}
        <Marks marks={model.marks} />
      </aside>
    </div>
  );
}

function Question({ part }: { part: DialoguePart }) {
  return (
    <PageSection title="Question" className="question">
      <Markdown words={part.question} />
    </PageSection>
  );
}

/** What they came to; as long as it waits for the person it is only what they recommend. */
function Decision({ part, shown, isOpen }: { part: DialoguePart; shown: Shown; isOpen: boolean }) {
  if (part.decision === undefined) return null;
  const { position, text, by } = part.decision;
  return (
    <PageSection
      title={isOpen ? "What they recommend" : "Decision"}
      className={isOpen ? "decision recommended" : "decision"}
    >
      {position === "" ? null : <p class="position">{oneLine(position)}</p>}
      {text.length === 0 ? null : <Markdown words={text} />}
      <p class="quiet">
        {by === personName ? (
          "Decided by you."
        ) : (
          <>
            Last put into words by <Who name={by} shown={shown} />.
          </>
        )}
      </p>
    </PageSection>
  );
}

/** Rounds without progress that are left before it is handed to the person. */
function Stall({ part }: { part: DialoguePart }) {
  const { left, of } = part.stall;
  return (
    <PageSection title="Stall limit">
      <p>
        <meter min={0} max={of} low={2} optimum={of} value={left}>{`${left} of ${of}`}</meter>{" "}
        {left === 0
          ? "no round without progress is left"
          : `${plural(left, "more round")} without progress, then it is yours`}
        {`; round ${part.round.now} of at most ${part.round.of}`}
      </p>
    </PageSection>
  );
}

/** What changed whose mind. */
function Minds({
  part,
  shown,
  isHere,
}: {
  part: DialoguePart;
  shown: Shown;
  isHere: (seq: number) => boolean;
}) {
  if (part.flips.length === 0) return null;
  return (
    <PageSection title="What changed whose mind">
      <ul class="minds">
        {part.flips.map((it) => (
          <li>
            <Who name={it.by} shown={shown} /> in{" "}
            <Ref seq={it.seq} name={`#${it.seq}`} isHere={isHere(it.seq)} />,{" "}
            <Because flip={it} isHere={isHere} />
            <span class="theirs">{`now “${oneLine(it.to)}”`}</span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Points({ title, texts }: { title: string; texts: readonly string[] }) {
  return texts.length === 0 ? null : (
    <PageSection title={title}>
      <ul class="plain">
        {texts.map((text) => (
          <li class="theirs">{oneLine(text)}</li>
        ))}
      </ul>
    </PageSection>
  );
}
