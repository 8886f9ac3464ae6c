import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { oneLine } from "../../base/visible-text.ts";
import type { Flip } from "../../dialogue/state.ts";
import { lasting, since, timeText } from "./display-format.ts";
import type { SessionModel, ShownClaim, ShownWord, Words } from "./model.ts";

/** Where and when the components are shown. */
export interface Shown {
  /** Milliseconds since 1970; undefined in a file, which is read at any time. */
  readonly now?: number | undefined;
  /** The participants in their order: each has its colour by it. */
  readonly names?: readonly string[];
  /** The events that the page holds: only to these it leads. */
  readonly seqs?: ReadonlySet<number>;
}

export const ShownIn = createContext<Shown>({});

/** The colour of a participant: one of six, by its place. */
export function useColour(): (name: string) => string {
  const { names = [] } = useContext(ShownIn);
  return (name) => (names.includes(name) ? `who-${names.indexOf(name) % 6}` : "");
}

/** A participant: its colour, and its name in words. */
export function Who({ name }: { name: string }) {
  return <bdi class={`who ${useColour()(name)}`}>{oneLine(name)}</bdi>;
}

/** When something was, with a word before it where one helps. */
export function When({ at, before = "" }: { at: string; before?: string }) {
  const text = since(at, useContext(ShownIn).now);
  return <Time at={at} text={text === "" ? "" : `${before} ${text}`.trim()} />;
}

/** For how long something is so. */
export function Lasting({ at }: { at: string }) {
  return <Time at={at} text={lasting(at, useContext(ShownIn).now)} />;
}

function Time({ at, text }: { at: string; text: string }) {
  return text === "" ? null : (
    <time dateTime={at} title={`${timeText(at)} UTC`}>
      {text}
    </time>
  );
}

/** An event by its name, which leads to it where the page holds it. */
export function Ref({ seq, name }: { seq: number; name: string }) {
  const isHere = useContext(ShownIn).seqs?.has(seq);
  return isHere ? <a href={`#seq-${seq}`}>{name}</a> : <span>{name}</span>;
}

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly className?: string;
}

/** A part of a page under its heading. */
export function Section({ title, children, className = "" }: SectionProps) {
  return (
    <section class={className}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Lines under a heading; nothing where there are none. */
export function Lines({
  title,
  texts,
  className = "",
}: {
  title: string;
  texts: readonly string[];
  className?: string;
}) {
  return texts.length === 0 ? null : (
    <Section title={title} className={className}>
      <ul>
        {texts.map((text) => (
          <li>{oneLine(text)}</li>
        ))}
      </ul>
    </Section>
  );
}

/** The main column of a session, and what stands beside it. */
export function Columns({
  children,
  beside,
}: {
  children: ComponentChildren;
  beside: ComponentChildren;
}) {
  return (
    <div class="columns">
      <div>{children}</div>
      <aside aria-label="How it goes">{beside}</aside>
    </div>
  );
}

/** Who takes part, the person before all where something waits for them. */
export function Participants({ model }: { model: SessionModel }) {
  const { status, participants } = model;
  const wanted = status.needsPerson;
  return (
    <ul class="participants">
      {wanted === undefined ? null : (
        <li>
          <b>You</b> {wantedTexts[wanted.wants]} <Lasting at={wanted.since} />
        </li>
      )}
      {participants.map(({ name, isAwaited, state, turnAt, actedAt, sign }) => (
        <li>
          <Who name={name} /> <span class={isAwaited ? "" : "quiet"}>{state}</span>{" "}
          {turnAt === "" ? <When at={actedAt} before="last act" /> : <Lasting at={turnAt} />}
          {sign === "" ? null : <span class="quiet">{`; ${sign}`}</span>}
        </li>
      ))}
    </ul>
  );
}

const wantedTexts = {
  answer: "are asked",
  decision: "are to decide",
  "way out": "are to clear what blocks it",
} as const;

/** What each participant has to do before anything else counts: the lines of next-action. */
export function Obligations({ title, model }: { title: string; model: SessionModel }) {
  const { status, obligations } = model;
  if (status.ended || obligations === undefined) return null;
  return (
    <Section title={title} className="duties">
      {obligations.length === 0 ? <p class="quiet">Nobody is required to do anything.</p> : null}
      <ul>
        {obligations.map(({ by, text }) => (
          <li>
            <Who name={by} /> <div>{oneLine(text)}</div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Marks({ model }: { model: SessionModel }) {
  return <Lines title="What a script noticed" texts={model.marks} className="quiet" />;
}

/** What went wrong; nothing where nothing did. */
export function FaultText({ text }: { text: string }) {
  return text === "" ? null : (
    <p class="warning bad" role="alert">
      {oneLine(text)}
    </p>
  );
}

/** What changed a mind: what was looked at, each by its name, or judgement alone. */
export function Because({ flip: { evidence, judgement } }: { flip: Flip }) {
  if (evidence.length === 0)
    return (
      <>{judgement === "" ? "by a synthesis of both" : `on judgement: ${oneLine(judgement)}`}</>
    );
  return (
    <>
      because of{" "}
      {evidence.map((name, index) => (
        <>
          {index === 0 ? "" : ", "}
          <Ref seq={Number(name.slice(1))} name={oneLine(name)} />
        </>
      ))}
    </>
  );
}

const statuses = {
  seen: "both looked, and it holds",
  fell: "did not hold, or was taken back",
} as const;

const marks = { seen: "✓", assumed: "○", fell: "✕" } as const;
const tones = { seen: "good", assumed: "quiet", fell: "bad" } as const;

/** Whether something holds, at a glance, before what is said of it. */
export function Marked({
  status,
  children,
}: {
  status: keyof typeof marks;
  children: ComponentChildren;
}) {
  return (
    <li class={status}>
      <span class={tones[status]} aria-hidden="true">
        {marks[status]}
      </span>
      <div>{children}</div>
    </li>
  );
}

/** Claims with their checks, and by whose script each was looked at. */
export function Claims({ claims }: { claims: readonly ShownClaim[] }) {
  return claims.length === 0 ? null : (
    <ul class="claims">
      {claims.map(({ id, text, spec: check, status, standing, records, audit }) => (
        <Marked status={status}>
          <b>{id}</b> {oneLine(text)}
          <p class="quiet">
            {status === "assumed" ? standing : statuses[status]}. Check:{" "}
            <code>{oneLine(check)}</code>
            {records.map(({ by, seq, met }) => (
              <>
                {"; "}
                <Who name={by} /> {met ? "found it" : "did not find it"} (
                <Ref seq={seq} name={`E${seq}`} />)
              </>
            ))}
          </p>
          {audit.map((line) => (
            <p class="quiet">{line}</p>
          ))}
        </Marked>
      ))}
    </ul>
  );
}

/** Words of a participant: what they were read as is all that can be shown. */
export function Markdown({ words }: { words: Words }) {
  return <div class="words">{words.map(shownWord)}</div>;
}

function shownWord(word: ShownWord): ComponentChildren {
  if (typeof word === "string") return word;
  const inner = word.of.map(shownWord);
  switch (word.as) {
    case "heading":
      return (
        <p>
          <strong>{inner}</strong>
        </p>
      );
    case "raw":
      return <pre class="wrapped">{inner}</pre>;
    case "pre":
      return <pre tabIndex={0}>{inner}</pre>;
    case "a":
      return (
        <a href={String(word.of[0])} rel="noreferrer noopener nofollow" target="_blank">
          {inner}
        </a>
      );
    case "ol":
      return <ol start={word.start}>{inner}</ol>;
    case "th":
      return <th scope="col">{inner}</th>;
    case "table":
      return (
        <div class="wide" tabIndex={0} role="group" aria-label="table">
          <table>
            <tbody>{inner}</tbody>
          </table>
        </div>
      );
    default: {
      const Tag = word.as;
      return <Tag>{inner}</Tag>;
    }
  }
}
