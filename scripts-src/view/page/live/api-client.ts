import { pageKeyName } from "../model.ts";

/** How the page talks to the script that serves it. */

/** Keeps the key that came for the link, for this page and for other tabs of the browser. */
export function keepPageKey(key: string): void {
  localStorage.setItem(pageKeyName, key);
}

/** What each request proves that it is this page's with. */
export function pageKey(): Record<string, string> {
  return { [pageKeyName]: localStorage.getItem(pageKeyName) ?? "" };
}

/** Why the server turned something away, in its own words. */
export class ServerRejection extends Error {}

async function answerOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json();
  if (response.ok) return body;
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : "";
  throw new ServerRejection(String(error));
}

export async function get<T>(path: string, fields: Record<string, string>): Promise<T> {
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
