import { type JsonValue, parseStrictJson } from "./json.ts";

/** Places in a text that are tried as the beginning of an object. */
const searchedPlaces = 1_000;
/** How much text is read for that in all, as a multiple of the text. */
const searchedTimes = 8;

/** The last JSON object in a text that passes `test`, wherever it begins. */
export function lastObject(
  text: string,
  test: (value: JsonValue) => boolean,
): JsonValue | undefined {
  let from = text.length;
  let walked = 0;
  const walkedMax = searchedTimes * text.length;
  for (let places = 0; places < searchedPlaces && from > 0 && walked <= walkedMax; ) {
    from = text.lastIndexOf("{", from - 1);
    if (from < 0) return undefined;
    if (!/^\{\s*"/.test(text.slice(from, from + 64))) continue;
    places += 1;
    const end = endOfBraces(text, from);
    walked += end - from;
    const value = parseOrNothing(text.slice(from, end));
    if (value !== undefined && test(value)) return value;
  }
  return undefined;
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseStrictJson(text, "it");
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `from` ends: one walk over its tokens. */
function endOfBraces(text: string, from: number): number {
  // A string that does not end takes the rest, so that no other is looked for in it.
  const token = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}]/gs;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}
