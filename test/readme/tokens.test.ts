import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { countTokens, type TokenCount, tokens, tokensPage } from "../../docs/tokens-page.ts";
import { textOf } from "./documents.ts";

describe("what the texts cost a model", () => {
  let counts: TokenCount[] = [];
  before(() => {
    counts = countTokens();
  });

  it("is within its targets", () => {
    const over = counts.filter(({ characters, tokensMax }) => tokens(characters) > tokensMax);
    assert.deepEqual(over, []);
  });

  it("is what docs/tokens.md says, within the digits of a message's number", () => {
    const plain = (page: string) => page.replace(/\| \d+ \| \d+ \|/g, "| n | n |");
    assert.equal(plain(textOf("docs/tokens.md")), plain(tokensPage(counts)));
    const told = [...textOf("docs/tokens.md").matchAll(/\| (\d+) \| \d+ \| \d+ \|$/gm)].map(
      charactersIn,
    );
    for (const [index, { what, characters }] of counts.entries())
      assert(
        Math.abs((told[index] ?? 0) - characters) <= 40,
        `${what}: run npx tsx docs/tokens.ts`,
      );
  });
});

function charactersIn([, digits = ""]: RegExpMatchArray): number {
  return Number(digits);
}
