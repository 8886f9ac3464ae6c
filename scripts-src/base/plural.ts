/** `1 round`, `2 rounds`; `1 memory`, `2 memories` where `many` says how. */
export function plural(count: unknown, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
