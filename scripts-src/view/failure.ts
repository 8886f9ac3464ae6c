import { ConsultaError } from "../base/errors.ts";
import { diskFailure } from "../files/errno.ts";

/**
 * What a page says of something that failed beside it, `task` as in "cannot read ...": a page that goes
 * on shows a bug, where a script would end with it.
 */
export function failureText(cause: unknown, task: string): string {
  const failure = diskFailure(cause, task);
  return failure instanceof ConsultaError ? failure.message : `bug: ${String(cause)}`;
}
