import { inline } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { systemClock } from "../../script/clock.ts";
import { logAt } from "../../script/output.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { importInbox } from "./import-inbox.ts";
import type { EnteredMail } from "./import-messages.ts";

/** Enters mail of foreign colleagues and tells what became of it; true when some was refused. */
export async function takeMailAloud(
  workspace: Workspace,
  participant: string,
  known: ReadonlySet<string>,
): Promise<boolean> {
  const entered = await importInbox(workspace, participant, systemClock, known);
  if (entered === undefined) return false;
  tellMail(workspace, participant, entered);
  return entered.rejected.length > 0;
}

const waitsTold = new Set<string>();

/** Tells on stderr what became of mail; why a letter waits once in a process. */
export function tellMail(
  workspace: Workspace,
  participant: string,
  { rejected, waiting, opened }: EnteredMail,
): void {
  for (const id of opened) logAt(workspace, "info", `a letter opened session ${id}`);
  for (const { file, reason } of rejected.slice(0, limits.rejectedTold))
    logAt(workspace, "warn", `rejected mail, now in errors/: ${inline(file)}: ${inline(reason)}`);
  const more = rejected.length - limits.rejectedTold;
  if (more > 0) logAt(workspace, "warn", `${more} more were rejected; they are in errors/`);
  for (const reason of waiting?.reasons ?? []) {
    if (waitsTold.has(reason) || waitsTold.size >= limits.rejectedTold) continue;
    waitsTold.add(reason);
    const where = `a letter in inbox-${participant} is not entered yet`;
    logAt(workspace, "warn", `${where}: ${inline(reason)}`);
  }
}
