import { oneLine, visibleText } from "../../base/visible-text.ts";
import type { Shown } from "./display-format.ts";
import type { BrainModel, BrainSessionModel, GivenModel, MemoryModel } from "./model.ts";
import { PageSection } from "./session-parts.tsx";
import { When } from "./who.tsx";

/** What the CLIs of a project remember together. */
export function BrainPage({
  model,
  shown,
  onSearch,
}: {
  model: BrainModel;
  shown: Shown;
  onSearch: (query: string) => void;
}) {
  return (
    <main class="brain">
      <header class="head">
        <p class="kicker">brain · {oneLine(model.project)}</p>
        <h1>What is remembered</h1>
      </header>
      {model.fault === "" ? null : (
        <p class="warning">
          {oneLine(model.fault)}
          {model.command === "" ? null : (
            <>
              . Run <code>{model.command}</code> to know more.
            </>
          )}
        </p>
      )}
      <div class="columns">
        <div class="main">
          <Search query={model.query} onSearch={onSearch} />
          <Memories model={model} shown={shown} />
        </div>
        <aside class="beside" aria-label="Sessions and health">
          <Given title="Alerts" rows={model.alerts} shown={shown} />
          <Given title="Put before sessions" rows={model.given} shown={shown} />
          <Sessions sessions={model.sessions} shown={shown} />
          {model.head.length === 0 ? null : (
            <PageSection title="Health">
              <dl class="facts">
                {model.head.map(({ name, value }) => (
                  <div>
                    <dt>{name}</dt>
                    <dd>{oneLine(value)}</dd>
                  </div>
                ))}
              </dl>
            </PageSection>
          )}
        </aside>
      </div>
    </main>
  );
}

function Search({ query, onSearch }: { query: string; onSearch: (query: string) => void }) {
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("query");
          onSearch(field !== null && "value" in field ? String(field.value) : "");
        }}
      >
        <label for="query">Search memories</label>
        <input id="query" name="query" type="search" defaultValue={query} />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function Memories({ model, shown }: { model: BrainModel; shown: Shown }) {
  if (model.fault !== "") return null;
  const none = model.query === "" ? "Nothing is kept yet." : "Nothing fits.";
  return (
    <PageSection title={model.query === "" ? "Memories" : "What fits, best first"}>
      {model.memories.length === 0 ? <p class="quiet">{none}</p> : null}
      {model.memories.map((it) => (
        <Memory key={it.key} memory={it} shown={shown} />
      ))}
      {model.more ? <p class="quiet">There are more: search for them.</p> : null}
    </PageSection>
  );
}

function Memory({ memory, shown }: { memory: MemoryModel; shown: Shown }) {
  const { key, text, source, at, tags, link } = memory;
  return (
    <article class="memory">
      <h3>
        <code>{oneLine(key)}</code>
      </h3>
      <p class="words plain-words">{visibleText(text)}</p>
      <p class="quiet">
        {`from ${oneLine(source)}`} <When at={at} shown={shown} />
        {link === "" ? "" : `, of session ${oneLine(link)}`}
        {tags.length === 0 ? null : (
          <span class="tags">{`tags: ${tags.map(oneLine).join(", ")}`}</span>
        )}
      </p>
    </article>
  );
}

function Given({
  title,
  rows,
  shown,
}: {
  title: string;
  rows: readonly GivenModel[];
  shown: Shown;
}) {
  return rows.length === 0 ? null : (
    <PageSection title={title}>
      <ul class="given">
        {rows.map(({ session, what, why, at }) => (
          <li>
            {oneLine(what)}
            <span class="quiet">
              {why === "" ? "" : `${oneLine(why)}; `}
              {`session ${oneLine(session).slice(0, 12)}`} <When at={at} shown={shown} />
            </span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Sessions({ sessions, shown }: { sessions: readonly BrainSessionModel[]; shown: Shown }) {
  return sessions.length === 0 ? null : (
    <PageSection title="Sessions of CLIs">
      <ul class="given">
        {sessions.map(({ session, cli, at, percent, tokens, isWarned }) => (
          <li>
            {`${oneLine(cli) || "some CLI"} ${oneLine(session).slice(0, 12)}`}{" "}
            {isWarned ? <span class="warned">warned</span> : null}
            <span class="quiet">
              {percent === undefined ? "usage unknown" : `${percent.toFixed(0)} % of its context`}
              {tokens === undefined ? "" : `, ${tokens.toLocaleString("en")} tokens`}{" "}
              <When at={at} shown={shown} />
            </span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
