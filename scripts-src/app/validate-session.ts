import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { View } from "../core/protocol.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";
import { safeJoin } from "../store/safe-path.ts";
import { deliverMail, isDelivered, mailOf } from "./deliver.ts";
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
  return { id, errors, warnings: [...stale.map(staleText), ...(await undelivered(workspace, id))] };
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

/**
 * Rebuilds what follows from the log: checkpoint, views, deliveries. The log itself is never
 * touched. Gives one line for each message that was delivered again.
 */
export async function repairSession(workspace: Workspace, id: string): Promise<string[]> {
  const session = await loadSession(workspace, id);
  for await (const { after, event } of replay(session.log)) writeViews(workspace, after, event);
  const delivered = await deliverMail(session, mailOf(session));
  await session.log.saveCheckpoint({ cursor: session.cursor, value: session.machine.snapshot() });
  return delivered.map(
    ({ seq, to, file }) => `delivered message ${seq} to ${join(`inbox-${to}`, file)}`,
  );
}
