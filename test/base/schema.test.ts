import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../scripts-src/base/limits.ts";
import {
  type FieldReader,
  flag,
  integerBetween,
  list,
  numberBetween,
  oneOf,
  record,
  text,
  utcTime,
  words,
} from "../../scripts-src/base/schema.ts";

function read<T>(reader: FieldReader<T>, value: unknown, strict = true) {
  const faults = { found: [], strict };
  return { value: reader(value, "it.field", faults), faults: faults.found };
}

const accepted: [name: string, reader: FieldReader<unknown>, values: unknown[]][] = [
  ["text", text(5), ["", "a\n\tb", "ünï", "👍a"]],
  ["words", words(5), ["a", " a "]],
  ["a time", utcTime(), ["2026-04-22T14:35:00Z", "2026-04-22T14:35:00.123456789Z"]],
  ["a number", numberBetween(0, 1), [0, 1, 0.5, -0]],
  ["a whole number", integerBetween(1, 3), [1, 3]],
  ["a flag", flag(), [true, false]],
  ["a choice", oneOf(["a", "b"]), ["a", "b"]],
  ["a list", list(words(5), 2), [[], ["a", "b"]]],
];

for (const [name, reader, values] of accepted) {
  it(`reads ${name}`, () => {
    for (const value of values) {
      assert.deepEqual(read(reader, value), { value, faults: [] });
    }
  });
}

const refused: [name: string, reader: FieldReader<unknown>, value: unknown, fault: RegExp][] = [
  ["a number as text", text(), 1, /^it\.field is 1, expected a string$/],
  ["null as text", text(), null, /is null, expected a string/],
  ["text above the limit", text(3), "abcd", /expected at most 3 characters \(4 came\)/],
  ["text with a bell", text(), "a\u0007", /expected text without control characters/],
  ["text with an escape", text(), "\u001b[31m", /expected text without control characters/],
  ["text with DEL", text(), "\u007f", /expected text without control characters/],
  ["half a character", text(), "\ud800", /expected whole Unicode characters/],
  ["blanks as words", words(), " \n\t", /expected some text/],
  ["a time without zone", utcTime(), "2026-04-22T14:35:00", /a time such as 2026-/],
  ["a time of another zone", utcTime(), "2026-04-22T14:35:00+02:00", /a time such as/],
  ["NaN", numberBetween(0, 1), Number.NaN, /expected a number from 0 to 1/],
  ["infinity", numberBetween(0, 1), Number.POSITIVE_INFINITY, /a number from 0 to 1/],
  ["a numeral", numberBetween(0, 1), "0.5", /is "0\.5", expected a number from 0 to 1/],
  ["a fraction", integerBetween(1, 3), 1.5, /expected a whole number from 1 to 3/],
  ["zero below one", integerBetween(1, 3), 0, /is 0, expected a whole number/],
  ["yes as a flag", flag(), "yes", /expected true or false/],
  ["another choice", oneOf(["a", "b"]), "A", /is "A", expected one of a, b/],
  ["an object as a list", list(words()), {}, /expected a list/],
  ["too long a list", list(words(), 1), ["a", "b"], /has 2 entries, expected at most 1/],
  ["a list as an object", record({}), [], /is \[\], expected an object/],
];

for (const [name, reader, value, fault] of refused) {
  it(`refuses ${name} and says what came and what was expected`, () => {
    const result = read(reader, value);
    assert.equal(result.value, undefined);
    assert.match(result.faults.join(), fault);
  });
}

it("refuses a list beyond the limit without looking at its entries", () => {
  let looked = 0;
  const entry: FieldReader<number> = () => {
    looked += 1;
    return looked;
  };
  const { faults } = read(list(entry), new Array(limits.listItems + 1).fill(0));
  assert.equal(faults.length, 1);
  assert.equal(looked, 0);
});

describe("a record", () => {
  const person = record({ name: words(), tags: list(words()), home: record({ city: words() }) }, [
    "name",
  ]);

  it("collects every fault with its path", () => {
    const given = { tags: ["a", 1, " "], home: { city: 2 } };
    assert.deepEqual(read(person, given).faults, [
      "it.field.name is missing",
      "it.field.tags[1] is 1, expected a string",
      'it.field.tags[2] is " ", expected some text',
      "it.field.home.city is 2, expected a string",
    ]);
  });

  it("takes only own fields, never what it inherits", () => {
    const { value, faults } = read(person, Object.create({ name: "ana" }));
    assert.equal(value, undefined);
    assert.deepEqual(faults, ["it.field.name is missing"]);
  });

  it("takes an explicit undefined for a missing field", () => {
    assert.match(read(person, { name: undefined }).faults.join(), /name is missing/);
  });

  it("refuses unknown fields when strict, with a hint", () => {
    const { faults } = read(person, { name: "ana", nmae: 1, homes: 1, zzz: 1 });
    assert.match(faults.join("\n"), /homes is not a field \(did you mean home\?\)/);
    assert.match(faults.join("\n"), /zzz is not a field \(known are name, tags, home\)/);
    assert.equal(faults.length, 3);
  });

  it("ignores unknown fields when not strict, also inside", () => {
    const given = { name: "ana", home: { city: "Ulm", zip: 1 }, __proto_: 1 };
    const { value, faults } = read(person, given, false);
    assert.deepEqual(faults, []);
    assert.deepEqual(value, { name: "ana", home: { city: "Ulm" } });
  });
});
