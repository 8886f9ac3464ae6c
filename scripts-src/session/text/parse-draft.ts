import { ConsultaError } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson } from "../../base/json.ts";
import { parseStrictYaml } from "../../base/strict-yaml.ts";

/**
 * Reads a message that somebody wrote as JSON, or as YAML where it does not begin like JSON.
 * @throws ConsultaError REFUSED when it is neither.
 */
export async function parseDraftText(text: string): Promise<JsonValue> {
  if (text.trim() === "") {
    throw new ConsultaError(
      "REFUSED",
      "the message is empty; pipe in the draft that next-action prints, filled in",
    );
  }
  if (text.startsWith("```")) {
    throw new ConsultaError(
      "REFUSED",
      "the message begins with a code fence; send bare JSON or YAML",
    );
  }
  if (/^\s*[{[]/.test(text)) return parseStrictJson(text, "the message");
  return parseStrictYaml(text, "the message");
}
