import { quote } from "../base/json.ts";
import type { DocumentRight } from "../protocol/protocol.ts";
import type { DocumentChange } from "../remote/intake-check.ts";
import { isMark } from "../remote/validate-document.ts";

/** Why an event must not change a document as it does, to follow the event's name; undefined where it may. */
export async function documentChangeFault(
  right: DocumentRight | undefined,
  { path, before, after }: DocumentChange,
): Promise<string | undefined> {
  const name = quote(path);
  if (right === undefined) {
    const does = after === undefined ? "removes" : before === undefined ? "brings" : "changes";
    return `${does} ${name}, which is not for it to change`;
  }
  if (after === undefined) return isMark(path) ? undefined : `removes ${name}`;
  if (right.may === "replace") return undefined;
  const [was, is] = [await before?.(), await after()].map((it) => Buffer.from(it ?? []));
  if (was === undefined || is === undefined || was.equals(is)) return undefined;
  if (right.may === "begin")
    return before === undefined ? undefined : `changes ${name}, which was there before`;
  if (!is.subarray(0, was.length).equals(was))
    return `changes in ${name} what was there before, and may only add at its end`;
  const fault = right.fault(is.subarray(was.length).toString());
  return fault === undefined ? undefined : `${fault}, in ${name}`;
}
