/** Cases that end wrong as yet, each with what is missing; `npm run trust` counts them as wrong. */
export const openDefects: ReadonlyMap<string, string> = new Map([
  [
    "a review that cites a line that is not there",
    "no script reads what the reviews of a collaboration cite",
  ],
]);
