import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { View } from "../core/protocol.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";
import { safeJoin } from "../store/safe-path.ts";
import { deliverMail, isDelivered, mailOf } from "./deliver.ts";
import { messageFiles } from "./mailbox.ts";
import { replay } from "./replay.ts";
import { loadSession, logOf } from "./session.ts";
import { placeOf, writeViews } from "./submit.ts";
import type { Workspace } from "./workspace.ts";

/** What is wrong with a session. Errors break a rule; warnings are views that can be rebuilt. */
export interface Findings {
  readonly id: string;
  readonly errors: string[];
  readonly warnings: string[];
}

/** Replays a session's whole log against every rule and compares what was derived from it. */
export async function validateSession(workspace: Workspace, id: string): Promise<Findings> {
  const errors: string[] = [];
  const views = new Map<string, View>();
  const log = logOf(workspace, id);
  try {
    await loadSession(workspace, id);
    for await (const { before, after, event } of replay(log)) {
      for (const fault of before.audit(event)) errors.push(`seq ${event.seq}: ${fault}`);
      for (const view of after.views(event))
        views.set([...placeOf(workspace, view), view.name].join("/"), view);
    }
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { id, errors: [...errors, cause.message], warnings: [] };
  }
  const stale = [...views].filter(([path, view]) => !isCurrent(workspace, path, view));
  const warnings = [...stale.map(staleText), ...(await undelivered(workspace, id))];
  return { id, errors, warnings: [...warnings, ...(await beyondLog(workspace, id))] };
}

function staleText([path]: [string, View]): string {
  return `${path} is missing or differs from the log; validate --repair writes it anew`;
}

function isCurrent(workspace: Workspace, path: string, { text }: View): boolean {
  const file = safeJoin(workspace.root, ...path.split("/"));
  return readFileIfPresent(file, 2 * limits.messageBytes) === text;
}

async function undelivered(workspace: Workspace, id: string): Promise<string[]> {
  return mailOf(await loadSession(workspace, id))
    .filter((delivery) => !isDelivered(workspace, delivery))
    .map(
      ({ seq, to }) => `message ${seq} never reached inbox-${to}; validate --repair delivers it`,
    );
}

/** Messages that were delivered and that the log lacks: somebody cut it off. */
async function beyondLog(workspace: Workspace, id: string): Promise<string[]> {
  const { cursor, machine } = await loadSession(workspace, id);
  const inboxes = machine.standing().participants.map((name) => `inbox-${name}`);
  return ["archive", ...inboxes].flatMap((folder) =>
    messageFiles(safeJoin(workspace.root, folder))
      .filter(
        (file) => file.startsWith(`${id}-`) && /^\d{8}T\d{6}Z-/.test(file.slice(id.length + 1)),
      )
      .flatMap((file) => {
        const text =
          readFileIfPresent(join(workspace.root, folder, file), 2 * limits.messageBytes) ?? "";
        const seq = Number(/"seq": (\d+)\s*\}\s*$/.exec(text)?.[1] ?? 0);
        return seq > cursor.seq
          ? [
              `${folder}/${file} is message ${seq}, but the log ends at ${cursor.seq}: it was cut off`,
            ]
          : [];
      }),
  );
}

/**
 * Rebuilds what follows from the log: checkpoint, views, deliveries. The log itself is never
 * touched. Gives one line for each thing that was rebuilt; nothing for a damaged log.
 */
export async function repairSession(workspace: Workspace, id: string): Promise<string[]> {
  const { warnings } = await validateSession(workspace, id);
  if (warnings.length === 0) return [];
  const session = await loadSession(workspace, id);
  for await (const { after, event } of replay(session.log)) writeViews(workspace, after, event);
  await deliverMail(session, mailOf(session));
  await session.log.saveCheckpoint({ cursor: session.cursor, value: session.machine.snapshot() });
  const { warnings: left } = await validateSession(workspace, id);
  return warnings
    .filter((line) => !left.includes(line))
    .map((line) => line.replace(/; validate .*/, ": mended"));
}
