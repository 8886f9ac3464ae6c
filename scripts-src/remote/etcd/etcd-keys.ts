/** Below this is all that Consulta keeps in a cluster: a user needs no right to anything else. */
export const prefix = "consulta/";

/** One empty key for each session, to list them by. */
export const sessionsPrefix = `${prefix}sessions/`;

export function sessionKey(session: string): string {
  return `${sessionsPrefix}${session}`;
}

/** In the order of the events. */
export function eventKey(session: string, seq: number): string {
  return `${prefix}events/${session}/${String(seq).padStart(12, "0")}`;
}

/** What no event of the session is at or after. */
export function afterEvents(session: string): string {
  return `${prefix}events/${session}/:`;
}

/** What no event of the session, nor of the log beside it, is at or after. */
export function afterSession(session: string): string {
  return afterPrefix(`${prefix}events/${session}/`);
}

/** The person's own log of a session, beside the session's: no session has such a name. */
export function besideSession(session: string): string {
  return `${session}/_person`;
}

/** One part of the bytes of a document. */
export function partKey(session: string, version: string, part: number): string {
  return `${prefix}documents/${session}/${version}/${part}`;
}

/**
 * Made by the same transaction as an event: who may make keys below `consulta/senders/NAME/` is who may
 * write as NAME, which the cluster itself sees to.
 */
export function senderKey(session: string, sender: string, seq: number): string {
  return `${prefix}senders/${encodeURIComponent(sender)}/${session}/${String(seq).padStart(12, "0")}`;
}

/** Who waits in a session: these keys go by themselves where nobody renews them. */
export function attendingPrefix(session: string): string {
  return `${prefix}presence/${session}/`;
}

/** The first key after all that begin with `start`. */
export function afterPrefix(start: string): string {
  return `${start.slice(0, -1)}${String.fromCharCode(start.charCodeAt(start.length - 1) + 1)}`;
}

/** Keys and values as the gateway takes and gives them. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The text of such a value; empty where there is none. */
export function fromBase64(value: unknown): string {
  return Buffer.from(String(value ?? ""), "base64").toString("utf8");
}
