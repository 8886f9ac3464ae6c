import { allowSharing, isSharingAllowed, sharedVariable } from "../files/folder-sharing.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { runScript } from "../script/run-script.ts";
import { checkNamedPlaces, refuseBelowCli } from "./refuse-agents.ts";
import { readOwnLimits } from "./workspace/user-limits.ts";

/**
 * Runs one script of ours: what its user allows is read, and the places that the command line names
 * are checked, before `main` is called.
 */
export function runInProject(
  spec: ScriptSpec,
  main: (args: Arguments) => Promise<number | undefined>,
): Promise<void> {
  return runScript(spec, async (args) => {
    if (args.has("allow-shared")) await shareOnPurpose();
    await readOwnLimits();
    await checkNamedPlaces(spec, args);
    return main(args);
  });
}

/** Only a user shares on purpose: an agent could add the option to any line that it may run. */
async function shareOnPurpose(): Promise<void> {
  if (isSharingAllowed()) return;
  const remedy = `the user can start the CLI with ${sharedVariable}=1 in its environment`;
  await refuseBelowCli("--allow-shared uses what others may write to", remedy);
  allowSharing();
}
