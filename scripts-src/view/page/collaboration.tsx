import { plural } from "../../base/plural.ts";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import { phaseText, type Shown } from "./display-format.ts";
import { Items } from "./items.tsx";
import { Markdown } from "./markdown.tsx";
import type { CollaborationPart, DocumentModel, RevisionModel, SessionModel } from "./model.ts";
import { Marks, Obligations, PageSection, Participants } from "./session-parts.tsx";
import { Who } from "./who.tsx";

interface Props {
  readonly model: SessionModel;
  readonly part: CollaborationPart;
  readonly shown: Shown;
  readonly isUnfolded?: boolean | undefined;
}

/** A collaboration: the road with the place where it stands, duties, gates, and how the proposal changed. */
export function Collaboration({ model, part, shown, isUnfolded = false }: Props) {
  return (
    <div class="columns">
      <div class="main">
        <PageSection title="Where it stands" className="road">
          <Road part={part} />
        </PageSection>
        {part.revisions.map((it) => (
          <Revision revision={it} shown={shown} isOpen={isUnfolded || it.version > 1} />
        ))}
        <Documents documents={part.documents} isUnfolded={isUnfolded} />
        <PageSection title="What happened" className="said">
          <Items items={model.items} shown={shown} isOpen={() => false} />
        </PageSection>
      </div>
      <aside class="beside" aria-label="Duties and gates">
        <PageSection title="Participants">
          <Participants participants={model.participants} shown={shown} />
        </PageSection>
        <Obligations title="Whose duty is what" model={model} shown={shown} />
        <Gates part={part} />
        <Marks marks={model.marks} />
      </aside>
    </div>
  );
}

/** The states in their order, and what leads on from the present one. */
function Road({ part }: { part: CollaborationPart }) {
  return (
    <>
      <ol class="phases">
        {part.phases.map(({ name, state }) => (
          <li class={state} aria-current={state === "now" ? "step" : undefined}>
            <span class="phase">{phaseText(name)}</span>
            <span class="unseen">
              {state === "done" ? " (done)" : state === "now" ? " (now)" : " (ahead)"}
            </span>
          </li>
        ))}
      </ol>
      {part.blocked === "" ? null : (
        <p class="warning">
          <strong>Blocked</strong> by {oneLine(part.blocked)}
        </p>
      )}
      {part.next.length === 0 ? null : (
        <ul class="next">
          {part.next.map(({ event, who, to }) => (
            <li>
              <code>{event}</code> by {oneLine(who)} <span aria-hidden="true">→</span>
              <span class="unseen">leads to</span> {phaseText(to)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Revision({
  revision,
  shown,
  isOpen,
}: {
  revision: RevisionModel;
  shown: Shown;
  isOpen: boolean;
}) {
  const { name, version, seq, lines, reviews } = revision;
  if (version === 1) return null;
  const count = (as: string) => lines.filter((it) => it.as === as).length;
  return (
    <PageSection title={`${name}: version ${version - 1} to ${version}`} className="revision">
      <details open={isOpen}>
        <summary>{`${plural(count("added"), "line")} added, ${count("removed")} removed, with event ${seq}`}</summary>
        <div class="beside-each-other">
          <Diff revision={revision} />
          <div class="reviews">
            {reviews.length === 0 ? <p class="quiet">No review came in between.</p> : null}
            {reviews.map((it) => (
              <article class="review">
                <p>
                  <Who name={it.by} shown={shown} />{" "}
                  <span class="seq">{`reviewed, #${it.seq}`}</span>
                </p>
                <Markdown words={it.text} />
              </article>
            ))}
          </div>
        </div>
      </details>
    </PageSection>
  );
}

const signs = { same: " ", added: "+", removed: "−", "left out": "⋯" } as const;

function Diff({ revision }: { revision: RevisionModel }) {
  return (
    <div class="diff" role="group" tabIndex={0} aria-label={`What changed in ${revision.name}`}>
      {revision.lines.map(({ as, text }) => (
        <div class={as.replace(" ", "-")}>
          <span class="sign">{signs[as]}</span>
          {as === "added" || as === "removed" ? <span class="unseen">{`${as}: `}</span> : null}
          {visibleText(text)}
        </div>
      ))}
    </div>
  );
}

function Documents({
  documents,
  isUnfolded,
}: {
  documents: readonly DocumentModel[];
  isUnfolded: boolean;
}) {
  return documents.length === 0 ? null : (
    <PageSection title="Documents" className="documents">
      {documents.map(({ name, text, bytes, fault }) => (
        <details open={isUnfolded}>
          <summary>
            <code>{oneLine(name)}</code> <span class="quiet">{fault || plural(bytes, "byte")}</span>
          </summary>
          <Markdown words={text} />
        </details>
      ))}
    </PageSection>
  );
}

function Gates({ part }: { part: CollaborationPart }) {
  return part.gates.length === 0 ? null : (
    <PageSection title="Gates">
      <ul class="gates">
        {part.gates.map(({ met, line: text }) => (
          <li class={met ? "met" : "unmet"}>
            <span class="mark" aria-hidden="true">
              {met ? "✓" : "○"}
            </span>
            <span>{oneLine(text)}</span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
