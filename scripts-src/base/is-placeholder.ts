/** Whether a text is no more than the place of a form where one belongs: `<...>`, or dots. */
export function isUnwritten(text: string): boolean {
  return /^\s*(?:<[^<>]+>|[.\u2026]+)\s*$/.test(text);
}
