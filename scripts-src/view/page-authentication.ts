import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isSameText } from "../files/hash.ts";
import { pageKeyName } from "./page/model.ts";

/** Why a request is turned away, as HTTP says it. */
export class Rejection extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Who may use the page: anyone who has the link, once, and then the browser that used it. Other users of
 * the machine reach the port and get nothing; other sites reach it through the person's browser and
 * are told apart by Host, Origin and the cookie. A browser sends a cookie to all ports of an address,
 * so that another user's server could learn it from a link that is followed: the page has a key as
 * well, in a storage that is this port's alone, and neither opens anything without the other.
 */
export class PageEntrance {
  readonly #token = randomBytes(32).toString("base64url");
  readonly #pass = randomBytes(32).toString("base64url");
  readonly #pageKey = randomBytes(32).toString("base64url");
  #isUsed = false;
  #port = 0;

  /** Opens for the port that the server got; returns the token that the link carries. */
  open(port: number): string {
    this.#port = port;
    return this.#token;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A name that resolves to this machine is no proof that the page asks: only the address itself is. */
  requireHost({ headers }: IncomingMessage): void {
    if (headers.host === `127.0.0.1:${this.#port}`) return;
    throw new Rejection(403, `this page is only served as ${this.origin}`);
  }

  /** What the browser's own page sends with a write, and no other page can. */
  requireOwnPage({ headers }: IncomingMessage): void {
    if (headers.origin !== this.origin)
      throw new Rejection(403, "this request did not come from the page");
    if (headers["content-type"] !== "application/json")
      throw new Rejection(400, "expected application/json");
  }

  /** Wants the cookie of the browser that entered, and the key of its page. */
  requirePass({ headers }: IncomingMessage, query?: URLSearchParams): void {
    const cookies = (headers.cookie ?? "").split(/;\s*/);
    const key = String(headers[pageKeyName] ?? query?.get(pageKeyName) ?? "");
    const hasPass = cookies.some((it) => isSameText(it, `${this.#cookieName}=${this.#pass}`));
    if (hasPass && isSameText(key, this.#pageKey)) return;
    const way = "open the link that view printed, in the browser that is to show it";
    throw new Rejection(403, way);
  }

  /** The cookie and the page's key for the token, once. */
  enter(token: unknown): { readonly cookie: string; readonly pageKey: string } {
    if (this.#isUsed || typeof token !== "string" || !isSameText(token, this.#token)) {
      const way = "end view and start it again for a new one";
      throw new Rejection(403, `this link was used already, or is another's; ${way}`);
    }
    this.#isUsed = true;
    const cookie = `${this.#cookieName}=${this.#pass}; HttpOnly; SameSite=Strict; Path=/`;
    return { cookie, pageKey: this.#pageKey };
  }

  /** Cookies do not tell ports apart: each page has a name of its own. */
  get #cookieName(): string {
    return `consulta-${this.#port}`;
  }
}

/** What every answer carries: nothing runs or loads but what this server serves. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
