/** How the page talks to the script that serves it. */
import { useLayoutEffect, useState } from "preact/hooks";
import { pageKeyName, type Queue, type SessionFault, type SessionModel } from "../model.ts";

/** What each request proves that it is this page's with; kept for other tabs of the browser. */
function pageKey(): Record<string, string> {
  return { [pageKeyName]: localStorage.getItem(pageKeyName) ?? "" };
}

/** Why the server turned something away, in its own words. */
class ServerRejection extends Error {}

async function answerOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json();
  if (response.ok) return body;
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : "";
  throw new ServerRejection(String(error));
}

export async function get<T>(path: string, fields: Record<string, string> = {}): Promise<T> {
  const query = new URLSearchParams(fields);
  const body = await answerOf(await fetch(`/api/${path}?${query}`, { headers: pageKey() }));
  // The server of this very page made it from the same types.
  return body as T;
}

export async function postJson(path: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json", ...pageKey() };
  return answerOf(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** What went wrong, for the person. */
export function serverFailure(cause: unknown): string {
  if (cause instanceof ServerRejection) return cause.message;
  return "view does not answer: is it still running in its terminal?";
}

/**
 * Exchanges the link's token, once, for a cookie and the page's key; after that these two open the page. Returns
 * why it stays closed, "" where it opens: a used link still opens it in the browser that used it.
 */
export async function enter(token: string | undefined): Promise<string> {
  let fault = "Open the link that view printed, in the browser that is to show it.";
  if (token !== undefined) {
    try {
      const entered = (await postJson("/enter", { token })) as { pageKey: string };
      localStorage.setItem(pageKeyName, entered.pageKey);
      return "";
    } catch (cause) {
      fault = serverFailure(cause);
    }
  }
  const { ok } = await fetch("/api/enter", { headers: pageKey() });
  return ok ? "" : fault;
}

export interface Live {
  readonly queue?: Queue;
  /** The session that is followed, or why it cannot be shown. */
  readonly session?: SessionModel | SessionFault | undefined;
  /** The server does not answer; the page goes on as soon as it does. */
  readonly isLost?: boolean;
}

/** How often a tab that nobody sees asks what waits for the person, for its title. */
const hiddenMs = 15_000;

/**
 * Follows all sessions, and one of them. A browser opens six connections to one address for all its tabs: a tab
 * that nobody sees holds none.
 */
export function useLive(key: string | undefined, isIn: boolean): Live {
  const [live, setLive] = useState<Live>({});
  // Not after a paint: what is to be painted comes from here.
  useLayoutEffect(() => {
    if (!isIn) return undefined;
    const change = (news: Live) => setLive((known) => ({ ...known, ...news }));
    let stop = () => {};
    const follow = () => {
      stop();
      stop = document.hidden ? askNowAndThen(change) : listen(key, change);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stop();
    };
  }, [key, isIn]);
  // Another session was followed until a moment ago: nothing of it is shown, or done, in this one's name.
  return live.session?.key === key ? live : { ...live, session: undefined };
}

/** Listens to the server; returns what ends it. */
function listen(key: string | undefined, change: (news: Live) => void): () => void {
  // It takes no headers.
  const query = new URLSearchParams({ ...(key === undefined ? {} : { key }), ...pageKey() });
  const source = new EventSource(`/api/stream?${query}`);
  const on = (name: string, news: (data: string) => Live) =>
    source.addEventListener(name, ({ data }) => change(news(data)));
  on("queue", (data) => ({ queue: JSON.parse(data) as Queue }));
  on("session", (data) => ({ session: JSON.parse(data) as SessionModel }));
  on("fault", (data) => ({ session: JSON.parse(data) as SessionFault }));
  source.onopen = () => change({ isLost: false });
  source.onerror = () => change({ isLost: true });
  return () => source.close();
}

function askNowAndThen(change: (news: Live) => void): () => void {
  // What goes wrong is told when somebody looks again.
  const ask = () =>
    get<Queue>("queue").then(
      (queue) => change({ queue }),
      () => undefined,
    );
  const timer = setInterval(ask, hiddenMs);
  return () => clearInterval(timer);
}
