import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { oneLine } from "../../../base/visible-text.ts";
import { BrainPage } from "../brain.tsx";
import type { BrainModel, Queue } from "../model.ts";
import { ShownIn } from "../parts.tsx";
import { NeedsYou } from "../queue.tsx";
import { enter, get, type Live, serverFailure, useLive } from "./server.ts";
import { SessionView } from "./session-view.tsx";

/** The whole page: a bar, and below it what the address names. */
function App({ token }: { token: string | undefined }) {
  const { isIn, fault } = useEntrance(token);
  const { to, name } = useRoute();
  const live = useLive(to === "s" ? name : undefined, isIn);
  useCalls(live.queue);
  if (fault !== "")
    return (
      <main>
        <h1>This page is closed</h1>
        <p>{fault}</p>
      </main>
    );
  return (
    <>
      <Bar route={{ to, name }} queue={live.queue} />
      {live.isLost ? (
        <p class="warning" role="status">
          view does not answer. This page goes on by itself when it does; what you see may be old.
        </p>
      ) : null}
      <Place route={{ to, name }} live={live} />
    </>
  );
}

function Place({ route: { to, name }, live }: { route: Route; live: Live }) {
  const now = useNow();
  if (to === "brain") return <BrainView key={name} project={name} now={now} />;
  if (to === "s")
    return live.session === undefined ? (
      <Waiting text="Reading the log…" />
    ) : (
      <SessionView key={name} live={live.session} now={now} />
    );
  if (live.queue !== undefined) return <NeedsYou queue={live.queue} now={now} />;
  return <Waiting title="Needs you" text="Looking at the sessions…" />;
}

function Waiting({ title, text }: { title?: string; text: string }) {
  return (
    <main class="queue">
      {title === undefined ? null : <h1>{title}</h1>}
      <p class="quiet">{text}</p>
    </main>
  );
}

function Bar({ route, queue }: { route: Route; queue: Queue | undefined }) {
  const waiting = queue?.rows.filter(({ group }) => group === "waits").length ?? 0;
  const projects = queue?.projects ?? [];
  const isHere = (to: string, name: string) =>
    route.to === to && route.name === name ? "page" : undefined;
  return (
    <nav aria-label="Pages">
      <a href="#/" aria-current={isHere("", "")}>
        Needs you{waiting === 0 ? null : <span class="badge">{waiting}</span>}
      </a>
      {projects.map((name, place) => (
        <a key={place} href={`#/brain/${place}`} aria-current={isHere("brain", String(place))}>
          {projects.length === 1 ? "Brain" : `Brain of ${oneLine(name)}`}
        </a>
      ))}
      <span class="place">Consulta</span>
    </nav>
  );
}

/** The brain is asked when somebody looks, and again while they do. */
const againMs = 5_000;

function BrainView({ project, now }: { project: string; now: number }) {
  const [query, setQuery] = useState("");
  const [model, setModel] = useState<BrainModel>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    let isWanted = true;
    const ask = async () => {
      try {
        const found = await get<BrainModel>("brain", { project, query });
        if (isWanted) setModel(found);
        setFault("");
      } catch (cause) {
        setFault(serverFailure(cause));
      }
    };
    void ask();
    const timer = setInterval(ask, againMs);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [project, query]);
  if (model === undefined || fault !== "") return <Waiting text={fault || "Asking the brain…"} />;
  return (
    <ShownIn.Provider value={{ now }}>
      <BrainPage model={model} onSearch={setQuery} />
    </ShownIn.Provider>
  );
}

function useEntrance(token: string | undefined): { isIn: boolean; fault: string } {
  const [state, setState] = useState({ isIn: false, fault: "" });
  // An effect would wait for the page to be painted, which then shows nothing yet.
  useLayoutEffect(() => {
    enter(token)
      .catch(serverFailure)
      .then((fault) => setState({ isIn: fault === "", fault }));
  }, [token]);
  return state;
}

/** Where the page is: the list, `s` with the key of a session, or `brain` with a project's place. */
interface Route {
  readonly to: string;
  readonly name: string;
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => {
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const [, to = "", name = ""] = /^#\/(s|brain)\/(.*)$/.exec(hash) ?? [];
  try {
    return { to, name: decodeURIComponent(name) };
  } catch {
    return { to, name };
  }
}

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

/** The token of the link, which is in the address for a moment only: `#TOKEN` or `#TOKEN/s/KEY`. */
function takeToken(): string | undefined {
  const [, token, rest = "/"] = /^#([\w-]{43})(\/.*)?$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, "", `#${rest}`);
  return token;
}

/** In the live page the address names the session: a link to one of its events moves the view alone. */
function followRef(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#seq-"]') : null;
  const item = document.getElementById(link?.getAttribute("href")?.slice(1) ?? "");
  if (link === null || item === null) return;
  event.preventDefault();
  item.querySelector("details")?.setAttribute("open", "");
  item.scrollIntoView({ block: "center" });
  item.focus({ preventScroll: true });
}

const place = document.getElementById("page");
// Before anything looks at the address.
const token = takeToken();
addEventListener("click", followRef);
if (place !== null) render(<App token={token} />, place);
