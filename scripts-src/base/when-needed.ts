/** What is made at its first use: tables of Unicode, say, take half a millisecond of each start. */
export function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
