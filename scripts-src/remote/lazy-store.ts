import type { RemoteStore } from "./remote-store.ts";

/** A store that is opened when it is first asked: what is read here needs none. */
export function lazyStore(where: string, open: () => Promise<RemoteStore>): RemoteStore {
  let opened: Promise<RemoteStore> | undefined;
  const store = () => {
    opened ??= open();
    return opened;
  };
  return {
    where,
    fetch: async () => (await store()).fetch(),
    count: async () => (await store()).count(),
    linesAfter: async (seq) => (await store()).linesAfter(seq),
    append: async (...all) => (await store()).append(...all),
    documents: async () => (await store()).documents(),
    read: async (documents) => (await store()).read(documents),
    hasNews: async () => (await store()).hasNews(),
    hasNewsBeside: async () => (await store()).hasNewsBeside(),
    attend: (participant) => {
      const leaving = store().then(
        (it) => it.attend(participant),
        () => async () => undefined,
      );
      return async () => (await leaving)();
    },
    attending: async () => (await store()).attending(),
    ring: (onNews, onEnd) => {
      let hasEnded = false;
      let stop = () => {
        hasEnded = true;
      };
      store().then((it) => {
        if (!hasEnded) stop = it.ring(onNews, onEnd);
      }, onEnd);
      return () => stop();
    },
  };
}
