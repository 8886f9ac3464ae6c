import { type Document, isAlias, isNode, isScalar, parseDocument, visit } from "yaml";
import { ConsultaError } from "../core/errors.ts";
import { type JsonValue, parseStrictJson, quote } from "../core/json.ts";

/**
 * Parses YAML that came from outside: plain data only, no aliases, anchors, tags or merge keys.
 * @throws ConsultaError REFUSED with the reason, which begins with `what`.
 */
export function parseStrictYaml(text: string, what: string): JsonValue {
  const document = parse(text, what);
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) {
      throw new ConsultaError("REFUSED", `${what} has ${quote(node.source)}, which is no number`);
    }
    const anchored = "anchor" in node && node.anchor !== undefined;
    if (isAlias(node) || anchored || node.tag !== undefined) {
      throw new ConsultaError(
        "REFUSED",
        `${what} uses YAML aliases, anchors or tags; write plain values`,
      );
    }
  });
  // Through JSON text once more: the same limits of depth and keys hold for both notations.
  return parseStrictJson(JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? "null", what);
}

function parse(text: string, what: string): Document {
  let problem: unknown;
  try {
    const options = { merge: false, uniqueKeys: true, schema: "core", stringKeys: true } as const;
    const document = parseDocument(text, options);
    problem = document.errors[0] ?? document.warnings[0];
    if (problem === undefined) return document;
  } catch (cause) {
    // The parser's own stack overflows on absurd nesting.
    problem = cause;
  }
  const [line = ""] = (problem instanceof Error ? problem.message : String(problem)).split("\n");
  throw new ConsultaError("REFUSED", `${what} is neither JSON nor YAML: ${line}`, {
    cause: problem,
  });
}
