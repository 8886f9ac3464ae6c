import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { withDiagrams } from "../../docs/diagram.ts";
import { ConsultaError } from "../../scripts-src/base/errors.ts";

const path = new URL("../../docs/collaboration.md", import.meta.url);

describe("the diagrams in docs/collaboration.md", () => {
  const document = readFileSync(path, "utf8");

  it("are what the code generates, between their markers", () => {
    const hint = "docs/collaboration.md is old; run npx tsx docs/collaboration-diagram.ts";
    assert.equal(document, withDiagrams(document), hint);
    const old = document.replace(
      /(<!-- schema \d: generated -->)(?:.|\n)*?(<!-- schema)/g,
      "$1old$2",
    );
    assert.equal(withDiagrams(old), document);
  });

  it("need their markers", () => {
    assert.throws(() => withDiagrams("nothing"), ConsultaError);
  });
});
