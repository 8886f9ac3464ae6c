import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import type { Arguments } from "./arguments.ts";

/**
 * A whole number that an option gives; undefined without the option.
 * @throws ConsultaError REFUSED for anything else.
 */
export function wholeNumberOf(args: Arguments, option: string): number | undefined {
  const text = args.one(option);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ConsultaError("REFUSED", `--${option} is ${quote(text)}, expected a whole number`);
}
