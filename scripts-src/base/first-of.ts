/** The first items, and in place of all others what tells how many they are. */
export function firstOf<Item, Rest = Item>(
  items: readonly Item[],
  max: number,
  rest: (beyond: number) => Rest,
): (Item | Rest)[] {
  const beyond = items.length - max;
  return beyond > 0 ? [...items.slice(0, max), rest(beyond)] : [...items];
}
