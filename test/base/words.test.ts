import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { partsOf, wordsInNames } from "../../scripts-src/base/words.ts";
import { cpuMs } from "../cpu-time.ts";

describe("the words in a compound name", () => {
  const names: [name: string, parts: string[]][] = [
    ["parseHTTPHeader", ["parse", "HTTP", "Header"]],
    ["getURL", ["get", "URL"]],
    ["iPhone15Pro", ["i", "Phone15", "Pro"]],
    ["plain", ["plain"]],
  ];
  for (const [name, parts] of names) {
    it(`takes ${name} apart`, () => assert.deepEqual(partsOf(name), parts));
  }

  it("names only the words of compound names, in linear time", () => {
    assert.deepEqual(wordsInNames("use withTenant() and app_tenant, HTTP"), ["with", "Tenant"]);
    const withDigits = ["S", "3", "Client", "utf8", "Decoder"];
    assert.deepEqual(wordsInNames("S3Client, utf8Decoder, 3D, V8"), withDigits);
    const from = cpuMs();
    for (const word of ["a", "A", "\u0436", "aA", "Aa0"]) wordsInNames(word.repeat(65_536));
    assert(cpuMs() - from < 2_000, "it takes longer than its length");
  });
});
