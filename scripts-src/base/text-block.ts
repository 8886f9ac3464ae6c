/** The one place in which two texts differ. */
export interface TextBlock {
  readonly before: string;
  readonly after: string;
}

/**
 * The smallest block of `after` that stands for another one in `before`; undefined when that holds
 * words: they are the user's, may be secret, and are kept nowhere else.
 */
export function blockBetween(before: string, after: string): TextBlock | undefined {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const block = {
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
  return isWordless(block) ? block : undefined;
}

/** Whether what stood there before was nothing but brackets and white space. */
export function isWordless({ before }: TextBlock): boolean {
  return /^[\s{}[\],:]*$/.test(before);
}

/** The text with the block as it was before; undefined unless the block is there just once. */
export function withoutBlock(text: string, { before, after }: TextBlock): string | undefined {
  const at = text.indexOf(after);
  if (after === "" || at < 0 || text.indexOf(after, at + 1) >= 0) return undefined;
  return text.slice(0, at) + before + text.slice(at + after.length);
}
