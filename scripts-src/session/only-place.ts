import { parseSessionId } from "../base/names.ts";
import type { Arguments, OptionSpec } from "../script/arguments.ts";
import { workspaceOf } from "./context.ts";
import { onlySession } from "./only-session.ts";
import { type Place, placeIn } from "./place.ts";

export const onlyOption: OptionSpec = {
  flags: "--session <id>",
  text: "the session (default: the only one)",
};

/**
 * The session that a person means.
 * @throws ConsultaError REFUSED when there is none, or more than one and none was named.
 */
export function onlyPlace(args: Arguments): Place {
  const workspace = workspaceOf(args);
  const id = args.one("session") ?? onlySession(workspace);
  return placeIn(workspace, parseSessionId(id));
}
