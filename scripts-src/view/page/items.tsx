import { plural } from "../../base/plural.ts";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import { timeText } from "./display-format.ts";
import type {
  EvidenceItem,
  Item,
  MessageItem,
  PersonItem,
  Reached,
  SessionModel,
  StepItem,
} from "./model.ts";
import { Because, Claims, Markdown, useColour, When, Who } from "./parts.tsx";

interface Props {
  readonly model: SessionModel;
  readonly isUnfolded?: boolean;
}

/** What happened, in order: each kind of thing looks like itself, and like no other. The newest message is open. */
export function Items({ model, isUnfolded = false }: Props) {
  const { items, isUnproven } = model;
  const newest = items.findLast(({ as }) => as === "message");
  return (
    <ol class="items">
      {items.map((item) => (
        <li key={item.seq} id={`seq-${item.seq}`} tabIndex={-1}>
          <Shown item={item} isOpen={isUnfolded || item === newest} isUnproven={isUnproven} />
        </li>
      ))}
    </ol>
  );
}

function Shown({ item, isOpen, isUnproven }: { item: Item; isOpen: boolean; isUnproven: boolean }) {
  switch (item.as) {
    case "message":
      return <Message item={item} isOpen={isOpen} />;
    case "evidence":
      return <Evidence item={item} />;
    case "person":
      return <Person item={item} name={isUnproven ? "As the user" : "You"} />;
    case "step":
      return <Step item={item} />;
  }
}

/** What a message of a type does, as a verb of its sender. */
const deeds: Readonly<Record<string, string>> = {
  REQUEST: "asks",
  RESPONSE: "answers",
  EVALUATE: "evaluates",
  COUNTER_PROPOSE: "proposes otherwise",
  CLARIFY: "asks back",
  AGREE: "agrees",
  CONSENSUS: "closes with",
  ESCALATE: "escalates",
  TASK_ASSIGN: "gives a task",
  TASK_RESULT: "brings a result",
};

/** Words of a participant: who, how sure, what in one line, and the rest unfolds. */
function Message({ item, isOpen }: { item: MessageItem; isOpen: boolean }) {
  const { by, seq, at, message, flip, more, reached } = item;
  const { type, confidence, to } = message;
  return (
    <article class={`message ${useColour()(by)}`} aria-label={`Message ${seq} from ${oneLine(by)}`}>
      <header>
        <Who name={by} /> {deeds[type] ?? oneLine(type)}
        {confidence === undefined ? null : (
          <span class="quiet" title="how sure it says that it is">{`sure ${confidence}`}</span>
        )}
        <span class="place">
          <When at={at} /> {`#${seq}`}
        </span>
      </header>
      <details open={isOpen}>
        <summary>{oneLine(item.summary) || "(no text)"}</summary>
        <Markdown words={item.body} />
        {more > 0 ? (
          <p class="quiet">{`${plural(more, "more character")} are in the log, event ${seq}.`}</p>
        ) : null}
      </details>
      {flip === undefined ? null : (
        <p class="flip">
          <strong>Changed its position</strong> from “{oneLine(flip.from)}” to “{oneLine(flip.to)}”,{" "}
          <Because flip={flip} />
        </p>
      )}
      <Points item={item} />
      <Claims claims={item.claims} />
      {reached === undefined ? null : <Delivery reached={reached} to={to} />}
    </article>
  );
}

/** What a message says under its own fields. */
function Points({ item: { message, questions, seq } }: { item: MessageItem }) {
  const rows = Object.entries({
    "Asks you": message.needs_user,
    "Agrees with": message.acknowledged,
    Objects: message.objections?.map(reasonText),
    Settles: message.resolved?.map(reasonText),
    Answers: message.answers?.map(({ question = "", answer }) =>
      /^Q\d+\.\d+$/.test(question) ? `${question}: ${answer}` : `“${question}” ${answer}`,
    ),
    Asks: questions.map((text, index) => `Q${seq}.${index + 1}: ${text}`),
    Reports: message.checks?.map(({ claim, outcome = "", evidence, reason }) =>
      [`${claim} ${outcome.replace("_", " ")}`, evidence ?? reason].filter(Boolean).join(": "),
    ),
    Synthesis: message.synthesis,
    Reserves: message.reservations,
  });
  return (
    <dl>
      {rows.map(([what, said = []]) =>
        [said].flat().map((text, index) => (
          <>
            <dt class={what}>{index === 0 ? what : ""}</dt>
            <dd>{oneLine(text)}</dd>
          </>
        )),
      )}
    </dl>
  );
}

function reasonText({ point, because }: Partial<Record<"point" | "because", unknown>>): string {
  return `${point}, because ${because}`;
}

const stages = ["stored", "notified", "seen", "answered"] as const;

/** How far a message has come to its reader. A stage that was passed over has no chip. */
function Delivery({ reached, to }: { reached: Reached; to: string }) {
  const last = stages.findLastIndex((stage) => reached[stage] !== "");
  const told = stages.filter((stage, index) => reached[stage] !== "" || index > last);
  return (
    <ul class="chips" aria-label={`How far it came to ${oneLine(to)}`}>
      {told.map((stage) => (
        <Chip key={stage} at={reached[stage]} done={stage} ahead={`not ${stage}`} />
      ))}
    </ul>
  );
}

function Chip({ at, done, ahead }: { at: string; done: string; ahead: string }) {
  return at === "" ? (
    <li>{ahead}</li>
  ) : (
    <li class="reached" title={`${timeText(at)} UTC`}>
      {done}
    </li>
  );
}

function Evidence({ item }: { item: EvidenceItem }) {
  const { by, seq, at, record } = item;
  const { claim = "", spec, met, exit, ms, expect = "", first, last } = record;
  const shown = last === "" ? first : `${first}\n…\n${last}`;
  return (
    <details class="line">
      <summary>
        <b class={met ? "good" : "bad"} aria-hidden="true">
          {met ? "✓" : "✕"}
        </b>{" "}
        A script of <Who name={by} /> looked{claim === "" ? "" : ` at ${claim}`}:{" "}
        <code>{oneLine(spec)}</code> {met ? "as expected" : "not as expected"}
        {exit === undefined ? "" : `, exit ${exit}`}
        {ms > 0 ? `, ${ms} ms` : ""}{" "}
        <span class="place">
          <When at={at} /> {`E${seq}`}
        </span>
      </summary>
      {expect === "" ? null : <p>expected: {oneLine(expect)}</p>}
      {shown === "" ? <p>nothing came out</p> : <pre tabIndex={0}>{visibleText(shown)}</pre>}
    </details>
  );
}

function Step({ item: { by, what, text, at, seq } }: { item: StepItem }) {
  return (
    <p class="line">
      <Who name={by} /> {oneLine(what)}
      {text === "" ? null : (
        <>
          {": "}
          <span class="theirs">{oneLine(text)}</span>
        </>
      )}{" "}
      <span class="place">
        <When at={at} /> {`#${seq}`}
      </span>
    </p>
  );
}

/** What the person did and said, and how far that came to each whom it is for. */
function Person({ item, name }: { item: PersonItem; name: string }) {
  const { seq, at, what, to, text, seenBy } = item;
  return (
    <article class="own" aria-label={`${name}, event ${seq}`}>
      <header>
        <b>{name}</b> {oneLine(what)}
        {to === "" ? null : <span>to {oneLine(to)}</span>}
        <span class="place">
          <When at={at} />
        </span>
      </header>
      {text === "" ? null : <p class="wrapped">{visibleText(text)}</p>}
      {seenBy.length === 0 ? null : (
        <ul class="chips" aria-label="How far your words came">
          {seenBy.map((it) => (
            <Chip
              key={it.name}
              at={it.at}
              done={`seen by ${oneLine(it.name)}`}
              ahead={`not yet seen by ${oneLine(it.name)}`}
            />
          ))}
        </ul>
      )}
    </article>
  );
}
