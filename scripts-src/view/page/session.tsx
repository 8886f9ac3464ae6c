import { Board } from "./board.tsx";
import { Collaboration } from "./collaboration.tsx";
import { Dialogue } from "./dialogue.tsx";
import type { Shown } from "./display-format.ts";
import { Items } from "./items.tsx";
import { Markdown } from "./markdown.tsx";
import type { FetchBody } from "./message.tsx";
import type { SessionModel } from "./model.ts";
import { PageSection, Participants } from "./session-parts.tsx";

export interface SessionProps {
  readonly model: SessionModel;
  readonly shown: Shown;
  readonly fetchBody?: FetchBody | undefined;
  readonly isUnfolded?: boolean | undefined;
}

/** What a session of any kind shows below its head. */
export function SessionBody({ model, ...rest }: SessionProps) {
  const { part } = model;
  switch (part.of) {
    case "dialogue":
      return <Dialogue model={model} part={part} {...rest} />;
    case "collaboration":
      return <Collaboration model={model} part={part} {...rest} />;
    case "findings":
      return <Board model={model} part={part} {...rest} />;
    case "plain":
      return (
        <div class="columns">
          <div class="main">
            {part.sections.map(({ heading, text }) => (
              <PageSection title={heading}>
                <Markdown words={text} />
              </PageSection>
            ))}
            <PageSection title="What happened">
              <Items items={model.items} shown={rest.shown} isOpen={() => false} />
            </PageSection>
          </div>
          <aside class="beside" aria-label="Participants">
            <PageSection title="Participants">
              <Participants participants={model.participants} shown={rest.shown} />
            </PageSection>
          </aside>
        </div>
      );
  }
}
