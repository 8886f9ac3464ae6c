import { switchedOffIn } from "../app/brain-switch.ts";
import { ConsultaError } from "../core/errors.ts";
import type { Arguments } from "./arguments.ts";
import { isWorkspaceThere, workspaceOf } from "./context.ts";

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
