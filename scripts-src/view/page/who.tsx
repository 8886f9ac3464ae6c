import { oneLine } from "../../base/visible-text.ts";
import { colourOf, type Shown, since, timeText } from "./words.ts";

/** A participant: its colour, and its name in words. */
export function Who({ name, shown }: { name: string; shown: Shown }) {
  return (
    <span class={`who ${colourOf(name, shown.names)}`}>
      <span class="dot" aria-hidden="true" />
      <bdi>{oneLine(name)}</bdi>
    </span>
  );
}

export function When({ at, shown }: { at: string; shown: Shown }) {
  const text = since(at, shown);
  return text === "" ? null : (
    <time class="when" dateTime={at} title={`${timeText(at)} UTC`}>
      {text}
    </time>
  );
}
