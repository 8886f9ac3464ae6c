/**
 * Whether a key fits a pattern in which `*` stands for any characters and `?` for one. Takes time
 * that grows with the product of both lengths at most, whatever the pattern.
 */
export function fitsPattern(key: string, pattern: string): boolean {
  const [characters, signs] = [[...key], [...pattern]];
  let [at, signAt, star, starAt] = [0, 0, -1, 0];
  while (at < characters.length) {
    if (signs[signAt] === "*") {
      [star, starAt] = [signAt, at];
      signAt += 1;
    } else if (signs[signAt] === "?" || signs[signAt] === characters[at]) {
      at += 1;
      signAt += 1;
    } else if (star >= 0) {
      // Let the last star take one character more.
      starAt += 1;
      at = starAt;
      signAt = star + 1;
    } else return false;
  }
  return signs.slice(signAt).every((sign) => sign === "*");
}

/** What every key that fits begins with. */
export function literalStart(pattern: string): string {
  return pattern.split(/[*?]/, 1)[0] ?? "";
}
