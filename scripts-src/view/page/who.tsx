import { oneLine } from "../../base/visible-text.ts";
import { colourOf, lasting, type Shown, since, timeText } from "./display-format.ts";

/** A participant: its colour, and its name in words. */
export function Who({ name, shown }: { name: string; shown: Shown }) {
  return (
    <span class={`who ${colourOf(name, shown.names)}`}>
      <span class="dot" aria-hidden="true" />
      <bdi>{oneLine(name)}</bdi>
    </span>
  );
}

/** When something was, with a word before it where one helps. */
export function When({ at, shown, before = "" }: { at: string; shown: Shown; before?: string }) {
  return <Time at={at} text={since(at, shown)} before={before} />;
}

/** For how long something is so. */
export function Lasting({ at, shown }: { at: string; shown: Shown }) {
  return <Time at={at} text={lasting(at, shown)} before="" />;
}

function Time({ at, text, before }: { at: string; text: string; before: string }) {
  return text === "" ? null : (
    <time class="when" dateTime={at} title={`${timeText(at)} UTC`}>
      {before === "" ? text : `${before} ${text}`}
    </time>
  );
}

/** An event by its name, which leads to it where the page holds it. */
export function Ref({ seq, name, isHere }: { seq: number; name: string; isHere: boolean }) {
  return isHere ? (
    <a class="ref" href={`#seq-${seq}`}>
      {name}
    </a>
  ) : (
    <span>{name}</span>
  );
}
