import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  parseDocument,
  visit,
  YAMLError,
} from "yaml";
import { ConsultaError } from "./errors.ts";
import { type JsonValue, parseStrictJson, quote } from "./json.ts";
import { limits } from "./limits.ts";

/**
 * Parses YAML that came from outside: plain data only, no aliases, anchors, tags or merge keys.
 * The limits are held before the parser sees the text.
 * @throws ConsultaError REFUSED with the reason, which begins with `what`.
 */
export function parseStrictYaml(text: string, what: string): JsonValue {
  const excess = excessIn(text);
  if (excess !== undefined) throw new ConsultaError("REFUSED", `${what} ${excess}`);
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
    const repeated = repeatedKey(node);
    if (repeated === undefined) return;
    const reason = `has the key ${quote(repeated)} twice in one object; keep one`;
    throw new ConsultaError("REFUSED", `${what} ${reason}`);
  });
  // Through JSON text once more: the same limits of depth and keys hold for both notations.
  return parseStrictJson(JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? "null", what);
}

/** Why the text is more than the parser should be given: it is slow where there is much structure. */
function excessIn(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.messageBytes) {
    return `has ${bytes} bytes; the limit is ${limits.messageBytes}: make it shorter`;
  }
  if (signsInRow.test(text)) return tooDeep;
  let tokens = 0;
  let open = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > limits.yamlTokens) {
      return `has more than ${limits.yamlTokens} pieces of YAML; make it smaller, or write it as JSON`;
    }
    if (token === "[" || token === "{") open += 1;
    else if (token === "]" || token === "}") open -= 1;
    if (open > limits.depthLevels) return tooDeep;
  }
  return undefined;
}

/** Each sign opens a level, and so many would end the lexer by a stack overflow. */
const signsInRow = new RegExp(`(?:[-?:][ \\t]+){${limits.yamlSignsInRow}}`);

const tooDeep = `is nested deeper than ${limits.depthLevels} levels; flatten it`;

/** The library's own look for repeated keys compares each with all others. */
function repeatedKey(node: unknown): string | undefined {
  if (!isMap(node)) return undefined;
  const keys = new Set<string>();
  for (const { key } of node.items) {
    const name = String(isScalar(key) ? key.value : key);
    if (keys.has(name)) return name;
    keys.add(name);
  }
  return undefined;
}

function parse(text: string, what: string): Document {
  let problem: unknown;
  try {
    const options = {
      merge: false,
      uniqueKeys: false,
      schema: "core",
      stringKeys: true,
      // A pretty error quotes the whole line, for each of very many errors in it.
      prettyErrors: false,
    } as const;
    const document = parseDocument(text, options);
    problem = document.errors[0] ?? document.warnings[0];
    if (problem === undefined) return document;
  } catch (cause) {
    problem = cause;
  }
  // The parser's own stack overflows on absurd nesting.
  const { code } = problem instanceof YAMLError ? problem : { code: undefined };
  if (code === "RESOURCE_EXHAUSTION" || problem instanceof RangeError) {
    throw new ConsultaError("REFUSED", `${what} ${tooDeep}`, { cause: problem });
  }
  const [line = ""] = (problem instanceof Error ? problem.message : String(problem)).split("\n");
  throw new ConsultaError(
    "REFUSED",
    `${what} is neither JSON nor YAML: ${line}${at(problem, text)}`,
    {
      cause: problem,
    },
  );
}

/** Where the parser found a problem. */
function at(problem: unknown, text: string): string {
  if (!(problem instanceof YAMLError)) return "";
  const before = text.slice(0, problem.pos[0]).split("\n");
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
