/** What becomes of Markdown that a participant wrote: parts of a closed set, and text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Words } from "../../scripts-src/view/page/model.ts";
import { readMarkdown } from "../../scripts-src/view/read-markdown.ts";

const p = (...of: Words) => [{ as: "p", of }];

const cases: [what: string, text: string, words: unknown][] = [
  ["emphasis", "a **b** *c*", p("a ", { as: "strong", of: ["b"] }, " ", { as: "em", of: ["c"] })],
  ["HTML, as text", "<b onclick=x>hi</b>", p("<b onclick=x>", "hi", "</b>")],
  ["a block of HTML, as text", "<script>x</script>", p("<script>x</script>")],
  ["a link to a script, as text", "[a](javascript:x)", p("[a](javascript:x)")],
  ["a link to data, as text", "[a](data:text/html,x)", p("[a](data:text/html,x)")],
  ["a picture, as words", "![a](https://x.y/z.png)", p("[picture: a] (https://x.y/z.png)")],
  [
    "a link, with where it leads",
    "[a](https://x.y)",
    p("a", " ", { as: "a", of: ["https://x.y"] }),
  ],
  ["controls and directions, shown", "a\u202eb\u001bc", p("a\\u202eb\\u001bc")],
];

describe("readMarkdown", () => {
  for (const [what, text, words] of cases)
    it(`reads ${what}`, () => assert.deepEqual(readMarkdown(text), words));

  it("shows what is nested too deep, or is very long, as it stands", () => {
    const deep = `${"> ".repeat(20_000)}x`;
    assert.deepEqual(readMarkdown(deep), [{ as: "raw", of: [deep] }]);
    const long = "**a** ".repeat(20_000);
    assert.deepEqual(readMarkdown(long), [{ as: "raw", of: [long] }]);
  });
});
