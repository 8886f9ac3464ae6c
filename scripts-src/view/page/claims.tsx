import { oneLine } from "../../base/visible-text.ts";
import type { Shown } from "./display-format.ts";
import type { ClaimModel, FlipModel } from "./model.ts";
import { Ref, Who } from "./who.tsx";

/** What changed a mind: what was looked at, each by its name, or judgement alone. */
export function Because({
  flip: { evidence, judgement },
  isHere,
}: {
  flip: FlipModel;
  isHere: (seq: number) => boolean;
}) {
  if (evidence.length === 0)
    return (
      <>{judgement === "" ? "by a synthesis of both" : `on judgement: ${oneLine(judgement)}`}</>
    );
  return (
    <>
      because of{" "}
      {evidence.map((name, index) => {
        const seq = Number(/^E(\d+)$/.exec(name)?.[1]);
        return (
          <>
            {index === 0 ? "" : ", "}
            <Ref seq={seq} name={oneLine(name)} isHere={isHere(seq)} />
          </>
        );
      })}
    </>
  );
}

const statuses: Readonly<Record<ClaimModel["status"], string>> = {
  seen: "both looked, and it holds",
  assumed: "not seen by both",
  fell: "did not hold, or was taken back",
};

/** Claims with their checks, and by whose script each was looked at. */
export function Claims({
  claims,
  shown,
  isHere,
}: {
  claims: readonly ClaimModel[];
  shown: Shown;
  isHere: (seq: number) => boolean;
}) {
  if (claims.length === 0) return null;
  return (
    <ul class="claims">
      {claims.map(({ id, text, check, status, ranBy }) => (
        <li class={status}>
          <span class="mark" aria-hidden="true">
            {status === "seen" ? "✓" : status === "fell" ? "✕" : "○"}
          </span>
          <div>
            <p>
              <b>{id}</b> {oneLine(text)}
            </p>
            <p class="quiet">
              {statuses[status]}. Check: <code>{oneLine(check)}</code>
              {ranBy.map((it) => (
                <>
                  {"; "}
                  <Who name={it.by} shown={shown} /> {it.met ? "found it" : "did not find it"} (
                  <Ref seq={it.seq} name={`E${it.seq}`} isHere={isHere(it.seq)} />)
                </>
              ))}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
