import { ConsultaError } from "../base/errors.ts";

/**
 * Says of what another machine sent that it is left there, with all that follows: `what` tells which it
 * is and what is wrong with it, `mend` what to do. By its reason it is known to who only reads, and reads
 * on what is here.
 */
export function notTaken(what: string, mend: string): ConsultaError {
  const rest = "no script of Consulta wrote it, so nothing from there on is taken";
  return new ConsultaError("REFUSED", `${what}: ${rest}; ${mend}`, { reason: "not taken" });
}
