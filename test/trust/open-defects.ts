/** Cases that end wrong as yet, each with what is missing; `npm run trust` counts them as wrong. */
export const openDefects: ReadonlyMap<string, string> = new Map();
