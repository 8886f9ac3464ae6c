import type { ComponentChildren } from "preact";
import { oneLine } from "../../base/visible-text.ts";
import type { ParticipantModel, SessionModel } from "./model.ts";
import { When, Who } from "./who.tsx";
import { phaseText, type Shown } from "./words.ts";

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
  const { topic, kind, id, project, ended, verdict, phase, isOurs, isDryRun } = model;
  return (
    <header class="head">
      <p class="kicker">
        {phaseText(kind)} <span aria-hidden="true">·</span> <bdi>{oneLine(id)}</bdi>{" "}
        <span aria-hidden="true">·</span> {oneLine(project)}
      </p>
      <h1>{oneLine(topic) || oneLine(id)}</h1>
      <p class={`state ${model.person.wanted !== undefined ? "waits" : ended ? "ended" : "open"}`}>
        <strong>{ended ? verdict || phaseText(phase) : phaseText(phase)}</strong>{" "}
        <When at={model.lastAt} shown={shown} />
      </p>
      {isOurs ? null : (
        <p class="warning">
          This session was not begun here: it may have come with the project, and nothing shows who
          wrote it.
        </p>
      )}
      {isDryRun ? (
        <p class="warning">DRY RUN: scripts went through the steps. Nothing was judged.</p>
      ) : null}
    </header>
  );
}

export function Participants({
  participants,
  shown,
}: {
  participants: readonly ParticipantModel[];
  shown: Shown;
}) {
  return (
    <ul class="participants">
      {participants.map((it) => (
        <li class={it.isAwaited ? "awaited" : ""}>
          <Who name={it.name} shown={shown} /> <span>{it.state}</span>{" "}
          {it.since === "" ? null : <When at={it.since} shown={shown} />}
        </li>
      ))}
    </ul>
  );
}

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
