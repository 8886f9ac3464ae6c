/**
 * Signs that nobody sees, or that move, hide or break what is around them. One table for all that is
 * shown: each range is first and last code point.
 */
const hiddenRanges: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08], // controls; tab and line feed stay
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f], // combining grapheme joiner
  [0x61c, 0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors and separator
  [0x200b, 0x200f], // zero width, joiners, direction marks
  [0x2028, 0x202e], // line and paragraph separator, directions
  [0x2060, 0x206f], // word joiner, invisible operators, isolates
  [0x3164, 0x3164], // Hangul filler
  [0xd800, 0xdfff], // half a character
  [0xfdd0, 0xfdef], // no characters
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // halfwidth filler
  [0xfff0, 0xfffb], // annotation marks and what is reserved beside them
  [0x1bca0, 0x1bca3], // shorthand controls
  [0x1d173, 0x1d17a], // musical controls
  [0xe0000, 0xe0fff], // tags, variation selectors, reserved
];

const hiddenClass = hiddenSigns();
const hidden = new RegExp(hiddenClass, "gv");

/** Letters and marks whose scripts join them: Arabic and its kin, those of India and its neighbours, Mongolian. */
const joins = String.raw`[[[\u0600-\u07ff\u0840-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua800-\ua8df\ua980-\ua9df\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\u{11000}-\u{11fff}]&&[\p{L}\p{M}]]--${hiddenClass}]`;
/** Signs that end a letter of India, which a joiner then shapes even at the end of a word. */
const viramas = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2\u{11046}\u{1107f}]`;
const picture = String.raw`\p{Extended_Pictographic}`;
/** A joiner or a selector that makes a visible sign together with its neighbours. */
const needed = [
  String.raw`(?<=${joins})[\u200c\u200d](?=${joins})|(?<=${viramas})[\u200c\u200d]`,
  // Persian and Arabic show an initial form so, as in the short form of a calendar's name.
  String.raw`(?<=[\u0620-\u064a\u066e-\u06d3])\u200d`,
  // A woman and a rocket are one picture: the joiner is between two of them.
  String.raw`(?<=${picture}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=${picture})`,
  // A selector after a picture, or between a digit and the key cap around it.
  String.raw`(?<=${picture})[\ufe0e\ufe0f]|(?<=[0-9#*])[\ufe0e\ufe0f](?=\u20e3)`,
];
const shown = new RegExp(
  String.raw`((?=[\u200c\u200d\ufe0e\ufe0f])(?:${needed.join("|")}))|${hiddenClass}`,
  "gv",
);

/**
 * Text as it may be shown: hidden signs as `\u....`, one escape for each UTF-16 unit, which is what
 * they are in JSON too. Line feeds and tabs stay, and what makes emoji and letters that join.
 * Everything that is printed comes through here (`script/output.ts`); takes time that grows with the text.
 */
export function visibleText(text: string): string {
  if (!mayHide(text)) return text;
  return text.replace(shown, (sign, kept?: string) => kept ?? escaped(sign));
}

/** Text without any hidden sign, to look for words in it: they are no longer torn apart. */
export function withoutInvisible(text: string): string {
  return mayHide(text) ? text.replace(hidden, "") : text;
}

/** Whether a text has signs that `visibleText` would escape. */
export function hasHidden(text: string): boolean {
  return visibleText(text) !== text;
}

/** Whether a text has a letter or a digit. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** A text on one line, each run of white space as one blank; hidden signs stay. */
export function singleLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, " ").trim();
}

/** A text on one line as `singleLine` has it, with hidden signs escaped as in `visibleText`. */
export function oneLine(text: string): string {
  return visibleText(singleLine(text));
}

/** A line of ours that may hold words of others: breaks in them are blanks, all else stays. */
export function asLine(text: string): string {
  return visibleText(text.replace(/[\n\v\f\r\u0085\u2028\u2029]\s*/g, " "));
}

/** A text with addresses as they may be shown: who signs in, and by which password, is left out. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^/\s]*@/g, "$1");
}

/**
 * A text of others inside a frame, each line after a bar: none begins as a line of ours does, nor
 * with what a CLI takes for a command, a file or a note (`/`, `!`, `@`, `#`).
 */
export function quotedLines(text: string): string {
  const lines = text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
  return lines.map((line) => (line === "" ? "|" : `| ${visibleText(line)}`)).join("\n");
}

/** Most texts are plain: this costs less than the whole table. */
function mayHide(text: string): boolean {
  return /[^\t\n\x20-\x7e]/.test(text);
}

function hiddenSigns(): string {
  const noncharacters = Array.from({ length: 17 }, (_, plane) => {
    const first = plane * 0x10000 + 0xfffe;
    return [first, first + 1] as const;
  });
  const parts = [...hiddenRanges, ...noncharacters].map(
    ([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`,
  );
  return `[${parts.join("")}]`;
}

function escaped(sign: string): string {
  return sign
    .split("")
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
