import { ConsultaError } from "../../base/errors.ts";
import type { Arguments } from "../../script/arguments.ts";
import { isWorkspaceThere, workspaceOf } from "../../session/context.ts";
import { switchedOffIn } from "../../session/workspace/brain-switch.ts";

/** @throws ConsultaError REFUSED in a project whose config switches its brain off. */
export function refuseBrainOff(args: Arguments): void {
  if (!isWorkspaceThere(args)) return;
  const path = switchedOffIn(workspaceOf(args));
  if (path === undefined) return;
  throw new ConsultaError(
    "REFUSED",
    `this project's brain is switched off by "brain": false in ${path}; set it to true to use it`,
  );
}
