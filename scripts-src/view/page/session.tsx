import type { ComponentChildren } from "preact";
import { oneLine } from "../../base/visible-text.ts";
import { Board } from "./board.tsx";
import { Collaboration } from "./collaboration.tsx";
import { Dialogue } from "./dialogue.tsx";
import { phaseText } from "./display-format.ts";
import { Items } from "./items.tsx";
import type { SessionModel } from "./model.ts";
import { Columns, Participants, Section, ShownIn, When } from "./parts.tsx";

interface Props {
  readonly model: SessionModel;
  /** Milliseconds since 1970; undefined in a file. */
  readonly now?: number;
  /** All is unfolded: for paper, and for a file. */
  readonly isUnfolded?: boolean;
  /** What comes before the body. */
  readonly before?: ComponentChildren;
  /** Another state of the session is on its way. */
  readonly isLeaving?: boolean;
  readonly children?: ComponentChildren;
}

/** A session of any kind, in the live page and in a file. */
export function SessionPage({
  model,
  now,
  isUnfolded = false,
  isLeaving = false,
  before,
  children,
}: Props) {
  const names = model.participants.map(({ name }) => name);
  const seqs = new Set(model.items.map(({ seq }) => seq));
  return (
    <ShownIn.Provider value={{ now, names, seqs }}>
      <main class="session">
        <Head model={model} />
        {before}
        <div class={isLeaving ? "leaving" : ""} aria-busy={isLeaving}>
          <Body model={model} isUnfolded={isUnfolded} />
        </div>
        {children}
      </main>
    </ShownIn.Provider>
  );
}

/** What the session is and where it stands: the first thing that one sees. */
function Head({ model }: { model: SessionModel }) {
  const { status, project, isOurs, isUnproven } = model;
  const { kind, id, topic, ended, lastAt } = status;
  return (
    <header>
      <p class="quiet">
        {phaseText(kind)} · <bdi>{oneLine(id)}</bdi> · {oneLine(project)}
      </p>
      <h1>{oneLine(topic) || oneLine(id)}</h1>
      <p class={`state ${toneOf(model)}`}>
        <strong>{stateText(model)}</strong> <When at={lastAt} before={ended ? "" : "last event"} />
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

function stateText({ status: { ended, verdict = "", phase, paused } }: SessionModel): string {
  if (ended) return verdict || phaseText(phase);
  return paused === undefined ? phaseText(phase) : `paused by you, ${phaseText(phase)}`;
}

/** Phases in which a session has ended with what it was for. */
const goodEnds: readonly string[] = ["consensus", "completed", "all_ready"];

function toneOf({ status: { ended, phase, needsPerson } }: SessionModel): string {
  if (needsPerson !== undefined) return "call";
  return ended && goodEnds.includes(phase) ? "good" : "";
}

function Body({ model, isUnfolded }: { model: SessionModel; isUnfolded: boolean }) {
  const { part } = model;
  switch (part.of) {
    case "dialogue":
      return <Dialogue model={model} part={part} isUnfolded={isUnfolded} />;
    case "collaboration":
      return <Collaboration model={model} part={part} isUnfolded={isUnfolded} />;
    case "findings":
      return <Board model={model} part={part} isUnfolded={isUnfolded} />;
    case "plain":
      return (
        <Columns
          beside={
            <Section title="Participants">
              <Participants model={model} />
            </Section>
          }
        >
          <Section title="What happened">
            <Items model={model} />
          </Section>
        </Columns>
      );
  }
}
