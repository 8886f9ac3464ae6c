import type { JsonObject, JsonValue } from "../../base/json.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { cut, withoutInjected } from "./injected-text.ts";
import { brainLimits } from "./limits.ts";

/** What a snapshot says to the session that goes on from it, in the order of what matters most. */
const fields = [
  ["summary", "Summary"],
  ["prompt", "The user said last"],
  ["answer", "The model said last"],
] as const;

/**
 * What a session's hooks told, ready to be kept: without what was injected into it, and without
 * credentials: the next session may be another vendor's.
 */
export function snapshotContent(context: JsonObject): JsonObject {
  const kept = fields.flatMap(([name]) => {
    const said = withoutSecrets(plain(context[name]));
    return said === "" ? [] : [[name, shortened(said, brainLimits.snapshotFieldCharacters)]];
  });
  return Object.fromEntries(kept);
}

/** A snapshot as text; undefined when it says nothing. The end of what is long says most. */
export function snapshotText(content: JsonObject): string | undefined {
  const parts = fields.flatMap(([name, title]) => {
    const said = plain(content[name]);
    return said === "" ? [] : [`${title}: ${shortened(said, brainLimits.restoreFieldCharacters)}`];
  });
  return parts.length === 0 ? undefined : parts.join("\n");
}

function plain(value: JsonValue | undefined): string {
  return typeof value === "string" ? withoutInjected(value) : "";
}

/** The beginning says what it is about, the end where it got to. */
function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor((charactersMax - gap.length) / 2);
  return `${cut(text, half)}${gap}${text.slice(-half).replace(/^[\udc00-\udfff]/, "")}`;
}

const gap = "\n(...)\n";
