import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../../../scripts-src/base/json.ts";
import {
  type Fitting,
  faultsOf,
  type Schema,
} from "../../../scripts-src/brain/rules/json-schema.ts";
import type { ParamsOf, ResultOf } from "../../../scripts-src/brain/rules/open-rpc.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 5 },
    kind: { type: "string", enum: ["a", "b"] },
    ages: { type: "array", items: { type: "integer", minimum: 0, maximum: 150 }, maxItems: 2 },
    isThere: { type: "boolean" },
    rest: { "x-maxBytes": 8 },
  },
  required: ["name"],
  additionalProperties: false,
} as const satisfies Schema;

const cases: [name: string, value: JsonValue, faults: string[]][] = [
  ["the least", { name: "a" }, []],
  ["everything", { name: "abcde", kind: "b", ages: [0, 150], isThere: false, rest: null }, []],
  ["nothing", {}, ["name is missing"]],
  ["no object", [], ["it is [], expected an object"]],
  [
    "all at once",
    { name: "", kind: "c", ages: [1.5, 151], isThere: 1 },
    [
      'name is "", expected some text',
      'kind is "c", expected one of a, b',
      "ages[0] is 1.5, expected a whole number from 0 to 150",
      "ages[1] is 151, expected a whole number from 0 to 150",
      "isThere is 1, expected true or false",
    ],
  ],
  ["too many", { name: "a", ages: [1, 2, 3] }, ["ages has 3 entries, expected at most 2"]],
  ["too long", { name: "abcdef" }, ['name is "abcdef", expected at most 5 characters (6 came)']],
  [
    "too large",
    { name: "a", rest: "123456789" },
    ['rest is "123456789", expected at most 8 bytes (9 came)'],
  ],
  [
    "too large as JSON",
    { name: "a", rest: [1, 2, 3, 4] },
    ["rest is [1,2,3,4], expected at most 8 bytes (9 came)"],
  ],
  ["a near name", { name: "a", Kind: "a" }, ["Kind is not a field (did you mean kind?)"]],
  [
    "names of every object",
    JSON.parse('{"name":"a","__proto__":1,"constructor":1}'),
    [
      "__proto__ is not a field (known are name, kind, ages, isThere, rest)",
      "constructor is not a field",
    ],
  ],
];

describe("a schema", () => {
  for (const [name, value, faults] of cases) {
    it(`tells all that is wrong with ${name}`, () =>
      assert.deepEqual(faultsOf(person, value, ""), faults));
  }

  it("gives the type of what fits it; the compiler checks this test", () => {
    const fitting: Fitting<typeof person> = {
      name: "a",
      kind: "b",
      ages: [1],
      rest: { any: ["JSON"] },
    };
    // @ts-expect-error: the name is required.
    const nameless: Fitting<typeof person> = { kind: "a" };
    // @ts-expect-error: there is no kind c.
    const unkind: Fitting<typeof person> = { name: "a", kind: "c" };
    const stored: ParamsOf<"memory.store"> = { key: "k", value: [1], if_version: 0 };
    // @ts-expect-error: a key is text.
    const keyless: ParamsOf<"memory.store"> = { key: 1, value: 1 };
    const result: ResultOf<"memory.delete"> = { deleted: true };
    const none: ResultOf<"state.update"> = undefined;
    assert(fitting && nameless && unkind && stored && keyless && result && none === undefined);
  });
});
