import { ConsultaError } from "../base/errors.ts";

/**
 * Says of what another machine sent that it is left there, with all that follows: `what` tells which it
 * is and what is wrong with it, `remedy` what to do.
 */
export function notTaken(what: string, remedy: string): ConsultaError {
  return new ConsultaError("REFUSED", `${what}: nothing from there on is taken; ${remedy}`);
}

/** The same of what nothing but a hand, or a program of somebody else's, can have stored there. */
export function forged(what: string, remedy: string): ConsultaError {
  const why = "no script of Consulta wrote it, so nothing from there on is taken";
  return new ConsultaError("REFUSED", `${what}: ${why}; ${remedy}`);
}

/** What to do about an event that the rules of its session do not take. */
export function newerOrForged(store: "pushed" | "wrote"): string {
  return `update Consulta if the sender's is newer than yours, else ask who ${store} it`;
}

/**
 * Says that what was seen of a session, or what is here of it, is not what the store has: the one failure
 * that stops who only reads, too.
 */
export function rewritten(message: string): ConsultaError {
  return new ConsultaError("REFUSED", message, { reason: "rewritten" });
}
