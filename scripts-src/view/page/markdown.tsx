import type { ComponentChildren } from "preact";
import type { ShownWord, Words } from "./model.ts";

/** Words of a participant: what they were read as is all that can be shown. */
export function Markdown({ words }: { words: Words }) {
  return <div class="words">{words.map(shown)}</div>;
}

function shown(word: ShownWord): ComponentChildren {
  if (typeof word === "string") return word;
  const inner = word.of.map(shown);
  switch (word.as) {
    case "heading":
      return <p class="heading">{inner}</p>;
    case "raw":
      return <pre class="raw">{inner}</pre>;
    case "pre":
      return <pre tabIndex={0}>{inner}</pre>;
    case "a":
      return <Link href={String(word.of[0])} />;
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

function Link({ href }: { href: string }) {
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {href}
    </a>
  );
}
