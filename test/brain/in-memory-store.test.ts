import { checkBrainStore } from "./check-brain-store.ts";
import { InMemoryStore } from "./in-memory-store.ts";

checkBrainStore("InMemoryStore", () => {
  const store = new InMemoryStore();
  return { store, again: () => store, close: () => {} };
});
