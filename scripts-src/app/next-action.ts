import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, type JsonValue, parseStrictJson } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Delivery, Guidance, Standing } from "../core/protocol.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";
import { attend } from "./attend.ts";
import type { Clock, Rejected } from "./foreign-mail.ts";
import { take } from "./mailbox.ts";
import { type Presence, presenceOf } from "./presence.ts";
import type { Workspace } from "./workspace.ts";

/** A received message with its text and the path where it lies. */
export interface Letter {
  readonly delivery: Delivery;
  readonly path: string;
  readonly message: JsonValue;
}

/** Everything that `next-action` tells one participant about one session. */
export interface NextAction {
  readonly workspace: Workspace;
  readonly participant: string;
  readonly standing: Standing;
  readonly guidance: Guidance;
  readonly letters: Letter[];
  readonly rejected: Rejected[];
  readonly colleagues: { name: string; presence: Presence }[];
}

/**
 * Tells a participant where it stands and hands it its unanswered messages. Taking is one rename
 * from inbox to archive; a message is shown again until it is answered.
 */
export async function nextAction(
  workspace: Workspace,
  id: string,
  participant: string,
  clock: Clock,
): Promise<NextAction> {
  const { session, rejected } = await attend(workspace, id, participant, clock);
  const { machine } = session;
  const guidance = machine.nextAction(participant);
  const standing = machine.standing();
  take(
    workspace,
    participant,
    guidance.received.map(({ file }) => file),
  );
  const letters = guidance.received.map((delivery) => readLetter(workspace, delivery));
  const others = standing.participants.filter((name) => name !== participant);
  const colleagues = others.map((name) => ({
    name,
    presence: presenceOf(workspace, name, clock.now()),
  }));
  return { workspace, participant, standing, guidance, letters, rejected, colleagues };
}

function readLetter(workspace: Workspace, delivery: Delivery): Letter {
  const archived = join(workspace.root, "archive", delivery.file);
  const path = existsSync(archived)
    ? archived
    : join(workspace.root, `inbox-${delivery.to}`, delivery.file);
  const text = readFileIfPresent(path, 2 * limits.messageBytes);
  if (text === undefined) {
    throw new ConsultaError(
      "UNAVAILABLE",
      `${path} is gone; run validate --repair, then next-action again`,
    );
  }
  const message = parseStrictJson(text, path);
  return { delivery, path, message: isRecord(message) ? message : {} };
}
