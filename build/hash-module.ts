/**
 * The WebAssembly module that hashes at every start of a script; `scripts-src/base/hash-module.ts` holds
 * its bytes. A few kB of SHA-256 and SipHash take JavaScript that is still cold 10 million instructions,
 * and this a third of that. It has no memory, only globals: where a shell limits the address space
 * (`ulimit -v`), V8 cannot reserve one. It is short and calls itself much, for each byte of code costs
 * each start what a hundred bytes of input cost.
 */

type Code = readonly number[];
type Type = "i32" | "i64";

interface Routine {
  /** Exported under this name; others call it by its index. */
  readonly name?: string;
  readonly takes?: readonly Type[];
  readonly gives?: readonly Type[];
  readonly locals?: readonly Type[];
  readonly body: Code;
}

/** What `scripts-src/base/hash-module.ts` holds. */
export function hashModuleSource(): string {
  const text = Buffer.from(hashModule()).toString("base64");
  const about =
    "/** A module of WebAssembly, in base64; `build/hash-module.ts` makes it at each build. */";
  return `${about}\nexport const hashModuleBytes =\n  "${text}";\n`;
}

/** The module's bytes, as https://webassembly.github.io/spec/core/binary/modules.html says. */
function hashModule(): Uint8Array {
  const types = routines.map(({ takes = [], gives = [] }) => [
    0x60,
    ...listOf(takes.map(typeCode)),
    ...listOf(gives.map(typeCode)),
  ]);
  const zeros = Array.from({ length: globalsCount }, (_, index) => {
    const type = index < shaAt ? "i64" : "i32";
    return [...typeCode(type), 1, ...constant(type, 0n), end];
  });
  const exported = routines.flatMap(({ name }, index) =>
    name === undefined ? [] : [[...listOf([...Buffer.from(name)].map((it) => [it])), 0, index]],
  );
  const bodies = routines.map(({ locals = [], body }) => {
    const code = [...listOf(locals.map((type) => [1, ...typeCode(type)])), ...body, end];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(3, Array.from(routines.keys(), unsigned)),
    ...section(6, zeros),
    ...section(7, exported),
    ...section(10, bodies),
  ]);
}

const end = 0x0b;

function section(id: number, parts: readonly Code[]): Code {
  const content = listOf(parts);
  return [id, ...unsigned(content.length), ...content];
}

function listOf(parts: readonly Code[]): Code {
  return [...unsigned(parts.length), ...parts.flat()];
}

function typeCode(type: Type): Code {
  return [type === "i32" ? 0x7f : 0x7e];
}

/** LEB128, as `signed` is. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): Code {
  const [low, rest] = [Number(value & 0x7fn), value >> 7n];
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}

function constant(type: Type, value: bigint): Code {
  return type === "i32"
    ? [0x41, ...signed(BigInt.asIntN(32, value))]
    : [0x42, ...signed(BigInt.asIntN(64, value))];
}

const local = (index: number): Code => [0x20, index];
const setLocal = (index: number, value: Code): Code => [...value, 0x21, index];
const global = (index: number): Code => [0x23, index];
const setGlobal = (index: number, value: Code): Code => [...value, 0x24, index];
const call = (index: number): Code => [0x10, index];

/** A sum, say, of all parts. */
function folded(operation: number, [first = [], ...others]: readonly Code[]): Code {
  return [...first, ...others.flatMap((it) => [...it, operation])];
}

const add = (...parts: Code[]) => folded(0x6a, parts);
const and = (...parts: Code[]) => folded(0x71, parts);
const xor = (...parts: Code[]) => folded(0x73, parts);
const shiftedRight = (value: Code, bits: number) => [
  ...value,
  ...constant("i32", BigInt(bits)),
  0x76,
];
const turnedRight = (value: Code, bits: number) => [
  ...value,
  ...constant("i32", BigInt(bits)),
  0x78,
];
const turned = (value: Code, bits: readonly number[]) =>
  xor(...bits.map((it) => turnedRight(value, it)));

const addWide = (...parts: Code[]) => folded(0x7c, parts);
const xorWide = (...parts: Code[]) => folded(0x85, parts);
const shiftedRightWide = (value: Code, bits: number) => [
  ...[...value, ...constant("i64", BigInt(bits)), 0x88],
];
const shiftedLeftWide = (value: Code, bits: number) => [
  ...[...value, ...constant("i64", BigInt(bits)), 0x86],
];
const orWide = (...parts: Code[]) => folded(0x84, parts);
/** V8's first compiler calls a function for the operation that turns 64 bits. */
const turnedLeftWide = (value: Code, bits: number) =>
  orWide(shiftedLeftWide(value, bits), shiftedRightWide(value, 64 - bits));
const lowerHalf = (value: Code) => [...value, 0xa7];

/** Two words as one of 64 bits. */
function wide(low: Code, high: Code): Code {
  const extended = (word: Code) => [...word, 0xad];
  return orWide(extended(low), shiftedLeftWide(extended(high), 32));
}

const indexes = (count: number) => [...Array(count).keys()];
const many = (count: number, type: Type) => indexes(count).map(() => type);

// The globals: the state of SipHash; that of SHA-256 before a block and in it; the words to come.
const shaAt = 4;
const workAt = shaAt + 8;
const wordsAt = workAt + 8;
const globalsCount = wordsAt + 16;

const [sipRoundAt, sip1At, shaRoundAt] = [0, 2, 6];

/** One SipRound (Aumasson and Bernstein, 2.2). */
const sipRound: Routine = {
  body: [
    ...[...plus(0, 1), ...turnedXor(1, 13, 0), ...setGlobal(0, turnedLeftWide(global(0), 32))],
    ...[...plus(2, 3), ...turnedXor(3, 16, 2)],
    ...[...plus(0, 3), ...turnedXor(3, 21, 0)],
    ...[...plus(2, 1), ...turnedXor(1, 17, 2), ...setGlobal(2, turnedLeftWide(global(2), 32))],
  ],
};

function plus(to: number, from: number): Code {
  return setGlobal(to, addWide(global(to), global(from)));
}

function turnedXor(to: number, bits: number, from: number): Code {
  return setGlobal(to, xorWide(turnedLeftWide(global(to), bits), global(from)));
}

function flipped(index: number, bits: Code): Code {
  return setGlobal(index, xorWide(global(index), bits));
}

/** "somepseudorandomlygeneratedbytes"; 0xee asks for a result of 128 bits. */
const sipLetters = [
  0x736f6d6570736575n,
  0x646f72616e646f6dn ^ 0xeen,
  0x6c7967656e657261n,
  0x7465646279746573n,
];

/** `sipStart` takes the key in four words. */
const sipStart: Routine = {
  name: "sipStart",
  takes: many(4, "i32"),
  body: sipLetters.flatMap((letters, index) => {
    const key = 2 * (index % 2);
    const half = wide(local(key), local(key + 1));
    return setGlobal(index, xorWide(half, constant("i64", letters)));
  }),
};

/** `sip1` takes in a block of two words, the lower one first, */
const sip1: Routine = {
  name: "sip1",
  takes: many(2, "i32"),
  locals: ["i64"],
  body: [
    ...setLocal(2, wide(local(0), local(1))),
    ...flipped(3, local(2)),
    ...[...call(sipRoundAt), ...call(sipRoundAt)],
    ...flipped(0, local(2)),
  ],
};

/** and `sip2` two of them. */
const sip2: Routine = {
  name: "sip2",
  takes: many(4, "i32"),
  body: indexes(2).flatMap((it) => [...local(2 * it), ...local(2 * it + 1), ...call(sip1At)]),
};

/** `sipEnd` makes the result, */
const sipEnd: Routine = {
  name: "sipEnd",
  locals: ["i64"],
  body: [
    ...flipped(2, constant("i64", 0xeen)),
    ...sipFinal(),
    ...setLocal(0, sipSum()),
    ...flipped(1, constant("i64", 0xddn)),
    ...sipFinal(),
    ...setGlobal(1, sipSum()),
    ...setGlobal(0, local(0)),
  ],
};

function sipFinal(): Code {
  return indexes(4).flatMap(() => call(sipRoundAt));
}

function sipSum(): Code {
  return xorWide(...indexes(4).map(global));
}

/** and `sipWord` gives its next word, the lowest first. */
const sipWord: Routine = {
  name: "sipWord",
  gives: ["i32"],
  body: [
    ...lowerHalf(global(0)),
    ...setGlobal(0, orWide(shiftedRightWide(global(0), 32), shiftedLeftWide(global(1), 32))),
    ...setGlobal(1, shiftedRightWide(global(1), 32)),
  ],
};

/** One round of SHA-256 with its constant (FIPS 180-4, 6.2.2); the schedule moves on by a word. */
const shaRound: Routine = { takes: ["i32"], locals: many(2, "i32"), body: shaRoundCode() };

function shaRoundCode(): Code {
  const part = (name: string) => global(workAt + "abcdefgh".indexOf(name));
  const [a, b, c, e, f, g] = [..."abcefg"].map(part) as [Code, Code, Code, Code, Code, Code];
  const word = (index: number) => global(wordsAt + index);
  const choice = xor(g, and(e, xor(f, g)));
  const majority = xor(and(a, b), and(c, xor(a, b)));
  const [sum, next] = [1, 2];
  const mixed = (from: Code, turns: readonly number[], shift: number) =>
    xor(turned(from, turns), shiftedRight(from, shift));
  return [
    ...setLocal(sum, add(part("h"), turned(e, [6, 11, 25]), choice, local(0), word(0))),
    ...setLocal(next, add(local(sum), turned(a, [2, 13, 22]), majority)),
    ...indexes(7).flatMap((it) => setGlobal(workAt + 7 - it, global(workAt + 6 - it))),
    ...setGlobal(workAt, local(next)),
    ...setGlobal(workAt + 4, add(e, local(sum))),
    ...setLocal(
      next,
      add(word(0), mixed(word(1), [7, 18], 3), word(9), mixed(word(14), [17, 19], 10)),
    ),
    ...movedDown(wordsAt, 16, local(next)),
  ];
}

/** Each global takes the next one's value, and the last a new one. */
function movedDown(first: number, count: number, last: Code): Code {
  const moves = indexes(count - 1).flatMap((it) => setGlobal(first + it, global(first + it + 1)));
  return [...moves, ...setGlobal(first + count - 1, last)];
}

const shaStart: Routine = {
  name: "shaStart",
  body: primes(8).flatMap((prime, index) =>
    setGlobal(shaAt + index, constant("i32", fraction(Math.sqrt(prime)))),
  ),
};

/** `shaBlock` takes a block in words, their highest byte first; */
const shaBlock: Routine = {
  name: "shaBlock",
  takes: many(16, "i32"),
  body: [
    ...indexes(8).flatMap((it) => setGlobal(workAt + it, global(shaAt + it))),
    ...indexes(16).flatMap((it) => setGlobal(wordsAt + it, local(it))),
    ...primes(64).flatMap((prime) => [
      ...constant("i32", fraction(Math.cbrt(prime))),
      ...call(shaRoundAt),
    ]),
    ...indexes(8).flatMap((it) =>
      setGlobal(shaAt + it, add(global(shaAt + it), global(workAt + it))),
    ),
  ],
};

/** `shaWord` gives the result's next word, the highest first. */
const shaWord: Routine = {
  name: "shaWord",
  gives: ["i32"],
  locals: ["i32"],
  body: [...setLocal(0, global(shaAt)), ...movedDown(shaAt, 8, local(0)), ...local(0)],
};

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1)
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  return found;
}

/** The first 32 bits after the point. */
function fraction(value: number): bigint {
  return BigInt(Math.floor((value % 1) * 2 ** 32));
}

const routines: readonly Routine[] = [
  ...[sipRound, sipStart, sip1, sip2, sipEnd, sipWord],
  ...[shaRound, shaStart, shaBlock, shaWord],
];
