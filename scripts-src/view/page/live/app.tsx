import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { oneLine } from "../../../base/visible-text.ts";
import type { Queue, QueueGroup } from "../model.ts";
import { NeedsYou } from "../queue.tsx";
import { keepPageKey, pageKey, postJson, serverFailure } from "./api-client.ts";
import { BrainView } from "./brain-view.tsx";
import { type Route, useRoute } from "./route.ts";
import { SessionView } from "./session-view.tsx";
import { type Live, useLive } from "./stream.ts";

/** The whole page: a bar, and below it what the address names. */
export function App({ token }: { token: string | undefined }) {
  const { isIn, fault } = useEntrance(token);
  const route = useRoute();
  const live = useLive(route.to === "session" ? route.key : undefined, isIn);
  const now = useNow();
  useCalls(live.queue);
  if (fault !== "") return <Shut fault={fault} />;
  return (
    <>
      <Bar route={route} queue={live.queue} />
      {live.isLost ? (
        <p class="lost" role="status">
          view does not answer. This page goes on by itself when it does; what you see may be old.
        </p>
      ) : null}
      <Shown route={route} live={live} now={now} />
    </>
  );
}

function Shown({ route, live, now }: { route: Route; live: Live; now: number }) {
  const [opened, setOpened] = useState<ReadonlySet<QueueGroup>>(new Set());
  switch (route.to) {
    case "session":
      return <SessionView key={route.key} sessionKey={route.key} live={live} now={now} />;
    case "brain":
      return <BrainView key={route.project} project={route.project} now={now} />;
    case "queue":
      if (live.queue === undefined)
        return (
          <main class="queue">
            <h1>Needs you</h1>
            <p class="lead">Looking at the sessions…</p>
          </main>
        );
      return (
        <NeedsYou
          queue={live.queue}
          now={now}
          opened={opened}
          onOpen={(group) => setOpened(new Set([...opened, group]))}
        />
      );
  }
}

function Bar({ route, queue }: { route: Route; queue: Queue | undefined }) {
  const waiting = queue?.rows.filter(({ group }) => group === "waits").length ?? 0;
  return (
    <nav class="bar" aria-label="Pages">
      <a href="#/" aria-current={route.to === "queue" ? "page" : undefined}>
        Needs you{waiting === 0 ? null : <span class="badge">{waiting}</span>}
      </a>
      {(queue?.projects ?? []).map(({ key, name }, _, all) => (
        <a
          key={key}
          href={`#/brain/${key}`}
          aria-current={route.to === "brain" && route.project === key ? "page" : undefined}
        >
          {all.length === 1 ? "Brain" : `Brain of ${oneLine(name)}`}
        </a>
      ))}
      <span class="brand">Consulta</span>
    </nav>
  );
}

function Shut({ fault }: { fault: string }) {
  return (
    <main class="shut">
      <h1>This page is closed</h1>
      <p>{fault}</p>
    </main>
  );
}

/** Exchanges the link's token, once, for a cookie and the page's key; after that these two open the page. */
function useEntrance(token: string | undefined): { isIn: boolean; fault: string } {
  const [state, setState] = useState({ isIn: false, fault: "" });
  // An effect would wait for the page to be painted, which then shows nothing yet.
  useLayoutEffect(() => {
    enter(token)
      .then((fault) => setState({ isIn: fault === "", fault }))
      .catch((cause) => setState({ isIn: false, fault: serverFailure(cause) }));
  }, [token]);
  return state;
}

/**
 * Returns why the page stays closed, "" where it opens. A link that was used already still opens the page in
 * the browser that used it, which has the cookie and the key.
 */
async function enter(token: string | undefined): Promise<string> {
  let fault = closed;
  if (token !== undefined) {
    try {
      const entered = (await postJson("/enter", { token })) as { pageKey: string };
      keepPageKey(entered.pageKey);
      return "";
    } catch (cause) {
      fault = serverFailure(cause);
    }
  }
  const { ok } = await fetch("/api/enter", { headers: pageKey() });
  return ok ? "" : fault;
}

const closed = "Open the link that view printed, in the browser that is to show it.";

/** Ages grow while nothing happens. */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Says in the title and to screen readers when a session begins to wait, once for each. */
function useCalls(queue: Queue | undefined): void {
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (queue === undefined) return;
    const waiting = queue.rows.filter(({ group }) => group === "waits");
    document.title = waiting.length === 0 ? "Consulta" : `(${waiting.length}) Consulta`;
    const fresh = waiting.filter(({ key }) => known.current?.has(key) === false);
    const region = document.getElementById("calls");
    if (region !== null && fresh.length > 0)
      region.textContent = fresh.map(({ topic }) => `Your turn: ${oneLine(topic)}`).join(". ");
    known.current = new Set(waiting.map(({ key }) => key));
  }, [queue]);
}
