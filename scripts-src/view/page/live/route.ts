import { useEffect, useState } from "preact/hooks";

/** Where the page is: the list, a session, or the brain of a project. */
export type Route =
  | { readonly to: "queue" }
  | { readonly to: "session"; readonly key: string }
  | { readonly to: "brain"; readonly project: string };

export function routeOf(hash: string): Route {
  const [, to = "", rest = ""] = /^#\/(\w+)\/(.*)$/.exec(hash) ?? [];
  if (to === "s") return { to: "session", key: decoded(rest) };
  if (to === "brain") return { to: "brain", project: decoded(rest) };
  return { to: "queue" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => {
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return routeOf(hash);
}

/** The token of the link, which is in the address for a moment only: `#TOKEN` or `#TOKEN/s/KEY`. */
export function takeToken(): string | undefined {
  const [, token, rest = "/"] = /^#([\w-]{43})(\/.*)?$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, "", `#${rest}`);
  return token;
}
