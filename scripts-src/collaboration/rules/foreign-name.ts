import { inline } from "../../base/json.ts";

/**
 * A name out of the log as a line of ours shows it. Others write the log as well: what is more than
 * a word is quoted, so that it cannot pass for lines of ours; who is known has a plain name.
 */
export function foreignName(name: string, isKnown: boolean): string {
  const isWord = name.length <= wordCharacters && /^[\p{L}\p{N}_.-]+$/u.test(name);
  return isKnown || isWord ? name : inline(name);
}

const wordCharacters = 64;
