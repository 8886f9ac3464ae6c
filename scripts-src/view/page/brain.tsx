import { oneLine, visibleText } from "../../base/visible-text.ts";
import type { BrainModel, MemoryModel } from "./model.ts";
import { Section, When } from "./parts.tsx";

interface Props {
  readonly model: BrainModel;
  readonly onSearch: (query: string) => void;
}

/** What the CLIs of a project remember together. */
export function BrainPage({ model, onSearch }: Props) {
  const { project, fault, command, query, status } = model;
  return (
    <main>
      <header>
        <p class="quiet">brain · {oneLine(project)}</p>
        <h1>What is remembered</h1>
      </header>
      {fault === "" ? null : (
        <p class="warning">
          {oneLine(fault)}
          {command === "" ? null : (
            <>
              . Run <code>{command}</code> to know more.
            </>
          )}
        </p>
      )}
      <Search query={query} onSearch={onSearch} />
      {fault === "" ? <Memories model={model} /> : null}
      {status === "" ? null : (
        <Section title="How it fares" className="health">
          <pre tabIndex={0}>{visibleText(status)}</pre>
        </Section>
      )}
    </main>
  );
}

function Search({ query, onSearch }: { query: string; onSearch: Props["onSearch"] }) {
  return (
    <search>
      <form
        class="buttons"
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

function Memories({ model: { query, memories, more } }: { model: BrainModel }) {
  const none = query === "" ? "Nothing is kept yet." : "Nothing fits.";
  return (
    <Section title={query === "" ? "Memories" : "What fits, best first"}>
      {memories.length === 0 ? <p class="quiet">{none}</p> : null}
      {memories.map((it) => (
        <Memory key={it.key} memory={it} />
      ))}
      {more ? <p class="quiet">There are more: search for them.</p> : null}
    </Section>
  );
}

function Memory({ memory: { key, text, source, at, tags, link } }: { memory: MemoryModel }) {
  return (
    <article class="card">
      <h3>
        <code>{oneLine(key)}</code>
      </h3>
      <p class="theirs wrapped">{visibleText(text)}</p>
      <p class="quiet">
        {`from ${oneLine(source)}`} <When at={at} />
        {link === "" ? "" : `, of session ${oneLine(link)}`}
        {tags.length === 0 ? "" : `; tags: ${tags.map(oneLine).join(", ")}`}
      </p>
    </article>
  );
}
