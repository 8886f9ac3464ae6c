import type { ComponentChildren } from "preact";
import { oneLine } from "../../base/visible-text.ts";
import { phaseText, type Shown } from "./display-format.ts";
import type { ParticipantModel, PersonModel, SessionModel } from "./model.ts";
import { Lasting, When, Who } from "./who.tsx";

/** A part of a page under its heading; nothing where it has nothing to show. */
export function PageSection({
  title,
  children,
  className = "",
}: {
  title: string;
  children: ComponentChildren;
  className?: string;
}) {
  return (
    <section class={className}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What the session is and where it stands: the first thing that one sees. */
export function SessionHead({ model, shown }: { model: SessionModel; shown: Shown }) {
  const { topic, kind, id, project, ended, isOurs, isUnproven } = model;
  return (
    <header class="head">
      <p class="kicker">
        {phaseText(kind)} <span aria-hidden="true">·</span> <bdi>{oneLine(id)}</bdi>{" "}
        <span aria-hidden="true">·</span> {oneLine(project)}
      </p>
      <h1>{oneLine(topic) || oneLine(id)}</h1>
      <p class={`state ${toneOf(model)}`}>
        <strong>{stateText(model)}</strong>{" "}
        <When at={model.lastAt} shown={shown} before={ended ? "" : "last event"} />
      </p>
      {isOurs ? null : (
        <p class="warning">
          This session was not begun here: it may have come with the project, and nothing shows who
          wrote it.
        </p>
      )}
      {isUnproven ? (
        <p class="warning">
          Several machines share this session, and nothing proves who wrote what, as the user or as
          anybody.
        </p>
      ) : null}
    </header>
  );
}

function stateText({ ended, verdict, phase, person }: SessionModel): string {
  if (ended) return verdict || phaseText(phase);
  return person.pause === undefined ? phaseText(phase) : `paused by you, ${phaseText(phase)}`;
}

/** Phases in which a session has ended with what it was for. */
const goodEnds: readonly string[] = ["consensus", "completed", "all_ready"];

function toneOf({ ended, phase, person }: SessionModel): string {
  if (person.wanted !== undefined) return "waits";
  return ended && goodEnds.includes(phase) ? "good" : "";
}

export function Participants({
  participants,
  wanted,
  shown,
}: {
  participants: readonly ParticipantModel[];
  /** What waits for the person, who then comes before all. */
  wanted?: PersonModel["wanted"];
  shown: Shown;
}) {
  return (
    <ul class="participants">
      {wanted === undefined ? null : (
        <li class="awaited you">
          <b>You</b> <span>{wantedTexts[wanted.wants]}</span>{" "}
          <Lasting at={wanted.since} shown={shown} />
        </li>
      )}
      {participants.map((it) => (
        <li class={it.isAwaited ? "awaited" : ""}>
          <Who name={it.name} shown={shown} /> <span>{it.state}</span>{" "}
          {it.turnAt === "" ? (
            <When at={it.actedAt} shown={shown} before="last act" />
          ) : (
            <Lasting at={it.turnAt} shown={shown} />
          )}
          {it.sign === "" ? null : <span class="sign">{`; ${it.sign}`}</span>}
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
export function Obligations({
  title,
  model: { ended, obligations },
  shown,
}: {
  title: string;
  model: Pick<SessionModel, "ended" | "obligations">;
  shown: Shown;
}) {
  if (ended || obligations === undefined) return null;
  return (
    <PageSection title={title}>
      {obligations.length === 0 ? (
        <p class="quiet">Nobody is required to do anything.</p>
      ) : (
        <ul class="duties">
          {obligations.map(({ by, text }) => (
            <li>
              <Who name={by} shown={shown} /> <span>{oneLine(text)}</span>
            </li>
          ))}
        </ul>
      )}
    </PageSection>
  );
}

export function Marks({ marks }: { marks: readonly string[] }) {
  return marks.length === 0 ? null : (
    <PageSection title="What a script noticed" className="marks">
      <ul>
        {marks.map((text) => (
          <li>{oneLine(text)}</li>
        ))}
      </ul>
    </PageSection>
  );
}

/** What went wrong; nothing where nothing did. */
export function FaultText({ text }: { text: string }) {
  return text === "" ? null : (
    <p class="fault" role="alert">
      {oneLine(text)}
    </p>
  );
}
