import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { visibleText } from "../base/visible-text.ts";
import type { ShownWord, WordPart, Words } from "./page/model.ts";

/** What the page holds of a text at most. */
export const charactersMax = 60_000;

/** A session that goes on is told again and again, and most of it is as it was. */
const read = new Map<string, Words>();
const readMax = 1_000;

/**
 * Markdown of others as words in a closed set of parts: what is not in it stays text. HTML is text, a
 * picture is its words, a link leads to the web and shows where, or is text. Hidden signs are shown.
 */
export function readMarkdown(text: string): Words {
  const shown = visibleText(text);
  const words = read.get(text) ?? tokensOf(shown)?.flatMap(block) ?? [part("raw", [shown])];
  if (read.size >= readMax) read.clear();
  read.set(text, words);
  return words;
}

/** More quotations or lists in each other than any reader follows; reading them costs time. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){30}/m;

function tokensOf(text: string): Token[] | undefined {
  if (text.length > charactersMax || tooDeep.test(text)) return undefined;
  try {
    return lexer(text);
  } catch {
    // Nested too deep for a reader of any kind.
    return undefined;
  }
}

/** Others come from extensions of the lexer. */
function isKnown(token: Token): token is MarkedToken {
  return !("extension" in token);
}

function part(as: WordPart["as"], of: Words): WordPart {
  return { as, of };
}

function block(token: Token): ShownWord[] {
  if (!isKnown(token)) return [part("p", [token.raw])];
  if (token.type === "heading") return [part("heading", spans(token.tokens))];
  if (token.type === "paragraph") return [part("p", spans(token.tokens))];
  if (token.type === "blockquote") return [part("blockquote", token.tokens.flatMap(block))];
  if (token.type === "code") return [part("pre", [token.text])];
  if (token.type === "list") return [list(token)];
  if (token.type === "table") return [table(token)];
  if (token.type === "text") return token.tokens === undefined ? [token.text] : spans(token.tokens);
  if (token.type === "hr") return [part("hr", [])];
  if (token.type === "space") return [];
  return [part("p", [token.raw])];
}

function list({ ordered, start, items }: Tokens.List): WordPart {
  const entries = items.map(({ task, checked, tokens }) => {
    const box = task ? [`[${checked === true ? "x" : " "}] `] : [];
    const rest = tokens.filter(({ type }) => type !== "checkbox");
    return part("li", [...box, ...rest.flatMap(block)]);
  });
  return ordered ? { as: "ol", of: entries, start: start === "" ? 1 : start } : part("ul", entries);
}

function table({ header, rows }: Tokens.Table): WordPart {
  const row = (cells: readonly Tokens.TableCell[], as: "th" | "td") =>
    part(
      "tr",
      cells.map(({ tokens }) => part(as, spans(tokens))),
    );
  return part("table", [row(header, "th"), ...rows.map((cells) => row(cells, "td"))]);
}

function spans(tokens: readonly Token[] = []): ShownWord[] {
  return tokens.flatMap(span);
}

function span(token: Token): ShownWord[] {
  if (!isKnown(token)) return [token.raw];
  if (token.type === "strong") return [part("strong", spans(token.tokens))];
  if (token.type === "em") return [part("em", spans(token.tokens))];
  if (token.type === "del") return [part("del", spans(token.tokens))];
  if (token.type === "codespan") return [part("code", [token.text])];
  if (token.type === "escape") return [token.text];
  if (token.type === "link") return link(token);
  if (token.type === "image") return [`[picture: ${token.text}] (${token.href})`];
  if (token.type === "text") return token.tokens === undefined ? [token.text] : spans(token.tokens);
  if (token.type === "br") return [part("br", [])];
  return [token.raw];
}

/** Where a link leads is always in sight. */
function link({ href, text, raw, tokens }: Tokens.Link): ShownWord[] {
  if (!/^https?:\/\/[^\s]+$/i.test(href)) return [raw];
  const address = part("a", [href]);
  return text === href ? [address] : [...spans(tokens), " ", address];
}
