/**
 * Code points that no output may hold, written down apart from the table of the product: what one
 * forgot the other is to find. Samples of long ranges, their ends always.
 */
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xfffe, 0xffff],
  [0x1fffe, 0x1ffff],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
  [0x10fffe, 0x10ffff],
];

export const forbidden: readonly number[] = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index),
);

const known = new Set(forbidden);

/** A sign that makes a visible one with what is beside it: pictures, letters that join. */
const needed =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?(?:\ufe0e|\ufe0f)?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?(?:\ufe0e|\ufe0f)?)*|[0-9#*]\ufe0f\u20e3|(?<=[\p{scx=Arabic}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Malayalam}\p{scx=Sinhala}])(?:\u200c|\u200d)/gu;

/** The forbidden code points that a text holds, in hex. */
export function forbiddenIn(text: string): string[] {
  const found = [...text.replace(needed, "")].map((character) => character.codePointAt(0) ?? 0);
  const bad = found.filter((code) => known.has(code) || (code >= 0xd800 && code <= 0xdfff));
  return [...new Set(bad)].map((code) => code.toString(16));
}
