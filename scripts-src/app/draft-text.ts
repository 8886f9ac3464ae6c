import { type JsonValue, parseStrictJson } from "../core/json.ts";

/**
 * Reads a message that somebody wrote as JSON, or as YAML where it does not begin like JSON.
 * @throws ConsultaError REFUSED when it is neither.
 */
export async function parseDraftText(text: string): Promise<JsonValue> {
  if (/^\s*[{[]/.test(text)) return parseStrictJson(text, "the message");
  const { parseStrictYaml } = await import("./strict-yaml.ts");
  return parseStrictYaml(text, "the message");
}
