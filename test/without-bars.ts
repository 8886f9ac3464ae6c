/** What is behind the bars that a frame has before each line of others. */
export function withoutBars(text: string): string {
  return text.replace(/^\| ?/gm, "");
}
