import { useLayoutEffect, useState } from "preact/hooks";
import {
  type Item,
  itemsShown,
  type Queue,
  type SessionFault,
  type SessionModel,
} from "../model.ts";
import { get, pageKey } from "./api-client.ts";

export interface Live {
  readonly queue: Queue | undefined;
  readonly session: SessionModel | undefined;
  readonly fault: SessionFault | undefined;
  /** The server does not answer; the page goes on as soon as it does. */
  readonly isLost: boolean;
}

const nothing: Live = { queue: undefined, session: undefined, fault: undefined, isLost: false };

/** How often a tab that nobody sees asks what waits for the person, for its title. */
const hiddenMs = 15_000;

type SetLive = (change: (known: Live) => Live) => void;

/**
 * Follows all sessions, and one of them message by message. A browser opens six connections to one
 * address for all its tabs: a tab that nobody sees holds none.
 */
export function useLive(key: string | undefined, isIn: boolean): Live {
  const [live, setLive] = useState(nothing);
  // Not after a paint: what is to be painted comes from here.
  useLayoutEffect(() => {
    if (!isIn) return undefined;
    setLive((known) => ({ ...known, session: undefined, fault: undefined }));
    let stop = () => {};
    const follow = () => {
      stop();
      stop = document.hidden ? askNowAndThen(setLive) : listen(key, setLive);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stop();
    };
  }, [key, isIn]);
  return ofKey(live, key);
}

/** Another session was followed until a moment ago: nothing of it is shown, or done, in this one's name. */
function ofKey(live: Live, key: string | undefined): Live {
  const { session, fault } = live;
  return {
    ...live,
    session: session?.key === key ? session : undefined,
    fault: fault?.key === key ? fault : undefined,
  };
}

/** Listens to the server; returns what ends it. */
function listen(key: string | undefined, setLive: SetLive): () => void {
  // It takes no headers.
  const query = new URLSearchParams({ ...(key === undefined ? {} : { key }), ...pageKey() });
  const source = new EventSource(`/api/stream?${query}`);
  const on = (name: string, change: (known: Live, data: unknown) => Partial<Live>) =>
    source.addEventListener(name, ({ data }) =>
      setLive((known) => ({ ...known, ...change(known, JSON.parse(data)) })),
    );
  on("queue", (_, data) => ({ queue: data as Queue }));
  on("session", (_, data) => ({ fault: undefined, session: data as SessionModel }));
  on("news", ({ session }, data) => ({ session: merged(session, data as SessionModel) }));
  on("fault", (_, data) => ({ fault: data as SessionFault }));
  source.onopen = () => setLive((known) => ({ ...known, isLost: false }));
  source.onerror = () => setLive((known) => ({ ...known, isLost: true }));
  return () => source.close();
}

function askNowAndThen(setLive: SetLive): () => void {
  const ask = () =>
    get<Queue>("queue", {})
      .then((queue) => setLive((known) => ({ ...known, queue })))
      // It is told when somebody looks again.
      .catch(() => undefined);
  const timer = setInterval(ask, hiddenMs);
  return () => clearInterval(timer);
}

/** What is new, in place of what it replaces. */
function merged(known: SessionModel | undefined, news: SessionModel): SessionModel {
  const items = new Map<number, Item>((known?.items ?? []).map((it) => [it.seq, it]));
  for (const item of news.items) items.set(item.seq, item);
  return {
    ...news,
    items: [...items.values()].sort((one, other) => one.seq - other.seq).slice(-itemsShown),
  };
}
