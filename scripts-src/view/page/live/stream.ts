import { useEffect, useState } from "preact/hooks";
import type { Item, Queue, SessionFault, SessionModel } from "../model.ts";

/** So many items a page holds: older ones are fetched in their place. */
export const itemsMax = 200;

export interface Live {
  readonly queue: Queue | undefined;
  readonly session: SessionModel | undefined;
  readonly fault: SessionFault | undefined;
  /** The server does not answer; the page goes on as soon as it does. */
  readonly isLost: boolean;
}

const nothing: Live = { queue: undefined, session: undefined, fault: undefined, isLost: false };

/** Follows all sessions, and one of them message by message. */
export function useLive(key: string | undefined, isIn: boolean): Live {
  const [live, setLive] = useState(nothing);
  useEffect(() => {
    if (!isIn) return undefined;
    setLive((known) => ({ ...known, session: undefined, fault: undefined }));
    const query = key === undefined ? "" : `?${new URLSearchParams({ key })}`;
    const source = new EventSource(`/api/stream${query}`);
    const on = (name: string, change: (known: Live, data: unknown) => Live) =>
      source.addEventListener(name, ({ data }) =>
        setLive((known) => change(known, JSON.parse(data))),
      );
    on("queue", (known, data) => ({ ...known, queue: data as Queue }));
    on("session", (known, data) => ({
      ...known,
      fault: undefined,
      session: merged(known.session, data as SessionModel),
    }));
    on("fault", (known, data) => ({ ...known, fault: data as SessionFault }));
    source.onopen = () => setLive((known) => ({ ...known, isLost: false }));
    source.onerror = () => setLive((known) => ({ ...known, isLost: true }));
    return () => source.close();
  }, [key, isIn]);
  return live;
}

/** What is new, in place of what it replaces. */
function merged(known: SessionModel | undefined, news: SessionModel): SessionModel {
  if (known === undefined || known.key !== news.key || news.seq < known.seq) return news;
  const items = new Map<number, Item>(known.items.map((it) => [it.seq, it]));
  for (const item of news.items) items.set(item.seq, item);
  return {
    ...news,
    items: [...items.values()].sort((one, other) => one.seq - other.seq).slice(-itemsMax),
  };
}
