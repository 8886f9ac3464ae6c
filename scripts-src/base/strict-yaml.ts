import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  type Node,
  parseDocument,
  visit,
  YAMLError,
} from "yaml";
import { refused } from "./errors.ts";
import { type JsonValue, parseStrictJson, quote } from "./json.ts";
import { limits } from "./limits.ts";

/**
 * Parses YAML that came from outside: plain data only, no aliases, anchors, tags or merge keys.
 * The limits are held before the parser sees the text.
 * @throws ConsultaError REFUSED with the reason, which begins with `what`.
 */
export function parseStrictYaml(text: string, what: string): JsonValue {
  const excess = excessIn(text);
  if (excess !== undefined) throw refused(`${what} ${excess}`);
  const document = parse(text, what);
  visit(document, (_key, node) => {
    const fault = isNode(node) ? faultOf(node) : undefined;
    if (fault !== undefined) throw refused(`${what} ${fault}`);
  });
  // As JSON text it passes the parser of JSON, whose limits of depth and keys hold for both notations.
  return parseStrictJson(JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? "null", what);
}

/** Why a part of the document is not plain data; undefined when it is. */
function faultOf(node: Node): string | undefined {
  if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) {
    return `has ${quote(node.source)}, which is no number`;
  }
  const isAnchored = "anchor" in node && node.anchor !== undefined;
  if (isAlias(node) || isAnchored || node.tag !== undefined) {
    return "uses YAML aliases, anchors or tags; write plain values";
  }
  const repeated = repeatedKey(node);
  return repeated === undefined
    ? undefined
    : `has the key ${quote(repeated)} twice in one object; keep one`;
}

/** Why the text is too much for the parser, which is slow on deep or rich structure. */
function excessIn(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.messageBytes) {
    return `has ${bytes} bytes; the limit is ${limits.messageBytes}: make it shorter`;
  }
  if (indicatorsInRow.test(text)) return tooDeep;
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

/** Each of `- ? :` opens a level: this many in a row overflow the stack of the lexer. */
const indicatorsInRow = new RegExp(`(?:[-?:][ \\t]+){${limits.yamlSignsInRow}}`);

const tooDeep = `is nested deeper than ${limits.depthLevels} levels; flatten it`;

/** The first key that a map has twice. The library's own check compares each key with all others. */
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
    throw refused(`${what} ${tooDeep}`, { cause: problem });
  }
  const [line = ""] = (problem instanceof Error ? problem.message : String(problem)).split("\n");
  throw refused(`${what} is neither JSON nor YAML: ${line}${at(problem, text)}`, {
    cause: problem,
  });
}

/** Where the parser found a problem: ` at line 3, column 5`, or nothing. */
function at(problem: unknown, text: string): string {
  if (!(problem instanceof YAMLError)) return "";
  const before = text.slice(0, problem.pos[0]).split("\n");
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
