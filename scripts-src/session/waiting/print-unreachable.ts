import type { ConsultaError } from "../../base/errors.ts";
import { printErrorLines } from "../../script/output.ts";

/** Tells somebody who waits why nothing comes from other machines for now. */
export function printUnreachable({ message, fault = message }: ConsultaError): void {
  printErrorLines(`note: ${fault}; the wait goes on until it can be reached`);
}
