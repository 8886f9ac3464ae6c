import { resolve } from "node:path";
import { ConsultaError, refused } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { defined } from "../../base/omit-undefined.ts";
import {
  checkCollaboration,
  hasProtocol,
  openCollaboration,
} from "../../collaboration/open-collaboration.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { ensureFolder, resolveProjectFile } from "../../files/safe-path.ts";
import type { Guidance, Move } from "../../protocol/protocol.ts";
import { appendEvent } from "../../session/append-event.ts";
import { placeForNew } from "../../session/create-session.ts";
import { nextAction } from "../../session/next-action.ts";
import { type Place, placeToMake } from "../../session/place.ts";
import { isUnfilled, objectIn, unfilled } from "../answer-blocks.ts";
import type { Asked, ConsultationRequest, ConsultKind, WorkspaceSource } from "../consult-kind.ts";
import type { Run } from "../run-context.ts";
import { collaborationTask } from "./collaboration-task.ts";

/** A collaboration, as `consult` runs it: a turn is the documents that an event needs, and the event. */
export const consultCollaboration: ConsultKind = {
  company: {
    max: limits.collaborationParticipants,
    rule: `a collaboration has 2 to ${limits.collaborationParticipants} different participants, the proposal owner first`,
  },
  prepare,
  task: collaborationTask,
  accept,
};

function prepare({ question: objective, request, participants, clock }: Asked) {
  const fault = requestFault(objective, request);
  if (fault !== undefined) throw refused(fault);
  const raw = checkCollaboration({ ...request.terms, objective, participants }, clock.now());
  return async (source: WorkspaceSource) => {
    const place = await placeFor(objective, request, source);
    return (await openCollaboration(place, raw, clock.now())).session;
  };
}

function requestFault(objective: string, { terms }: ConsultationRequest): string | undefined {
  if (objective.length > limits.itemCharacters) {
    const size = `the objective has ${objective.length} characters, the limit is ${limits.itemCharacters}`;
    return `${size}; shorten it and name the files to read by path`;
  }
  return terms.gates.some((gate) => gate.trim() !== "") ? undefined : noGate;
}

/** Gates say when it is enough: that is the user's to say, so none is ever made up. */
const noGate =
  "a collaboration needs at least one --completion: a gate, one line that must be true at the end and " +
  'that anybody can check, such as --completion "Every error code is listed"; repeat it for more';

async function placeFor(
  objective: string,
  { folder }: ConsultationRequest,
  source: WorkspaceSource,
): Promise<Place> {
  if (folder === undefined) return placeForNew(await source.made(), undefined, objective);
  const place = placeToMake(folder);
  if (!hasProtocol(place)) return place;
  throw refused(
    `${folder} holds a collaboration already; leave out the objective to go on in it, or choose another folder`,
  );
}

async function accept(run: Run, participant: string, answer: string): Promise<string | undefined> {
  const { place, clock } = run;
  const block = await eventBlockIn(answer);
  if ("fault" in block) return block.fault;
  const { guidance: before } = await nextAction(place, participant, clock);
  const fault =
    disturbance(block, before) ?? writeDocuments(place.folder, before.documents, block.documents);
  if (fault !== undefined) return fault;
  // What the documents are now decides what is required, and the hash of what is frozen.
  const { guidance } = await nextAction(place, participant, clock);
  const required = requiredBefore(block, guidance);
  if (required !== undefined) return required;
  try {
    await appendEvent(place, participant, fieldsOf(block, guidance.moves), clock);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    throw refused(`${block.event} was rejected: ${cause.message}`, { cause });
  }
}

/** What others are accepting right now must not change under their eyes. */
function disturbance({ event, documents }: EventBlock, before: Guidance): string | undefined {
  if (event !== "decision_accepted" || documents.size === 0) return undefined;
  if (before.obligations.length > 0) return undefined;
  return (
    "the others accept the documents as they stand, so decision_accepted changes none: leave " +
    "documents out, or put the changed decision to everybody with decision_proposed"
  );
}

/** Work that is left before the expected event. */
function requiredBefore(
  { event, more }: EventBlock,
  { obligations, moves }: Guidance,
): string | undefined {
  const move = moveFor(event, more, moves);
  // What is required of a text that goes with the event, only the decider can judge.
  const isBefore = move === moves[0] && move?.input === undefined && event !== "blocked";
  if (isBefore && obligations.length > 0) {
    return `${event} has to wait, this is required first: ${obligations.join("; ")}`;
  }
  if (move?.options["review"] === undefined || more["review"] !== undefined) return undefined;
  return `${event} needs "review": the text of your whole review`;
}

/** The event as `append-event` takes it: what the block leaves out is taken from the move. */
function fieldsOf({ event, summary, more }: EventBlock, moves: readonly Move[]): JsonObject {
  const move = moveFor(event, more, moves);
  const { doc, role, sha256, review } = move?.options ?? {};
  const { "reply-to": replyTo } = (move ?? moves[0])?.options ?? {};
  const fields: JsonObject = {
    ...(replyTo === undefined ? {} : { reply_to: Number(replyTo) }),
    ...defined({ doc, role }),
    ...more,
    event,
    summary,
  };
  if (move === undefined) return fields;
  // Who fills in every key of the example means nothing by those that the event has no use for.
  if (role === undefined) delete fields["role"];
  if (review === undefined) delete fields["review"];
  // Only the file itself tells its hash, after the last change.
  if (fields["doc"] === doc) fields["sha256"] = sha256;
  return fields;
}

/** The move that a block means: one of its event, and of its role and document where it names them. */
function moveFor(
  event: string,
  { role, doc }: JsonObject,
  moves: readonly Move[],
): Move | undefined {
  const own = moves.filter(({ options }) => options["event"] === event);
  const same = own.filter(({ options }) => role === undefined || options["role"] === role);
  return same.find(({ options }) => options["doc"] === doc) ?? same[0] ?? own[0];
}

/** An event of a collaboration as a participant gave it in its answer, with what it wrote for it. */
export interface EventBlock {
  readonly event: string;
  readonly summary: string;
  /** What else it said of it, under the names of the options of `append-event`. */
  readonly more: JsonObject;
  /** The whole new texts of documents, by their paths. */
  readonly documents: ReadonlyMap<string, string>;
}

const optional = ["doc", "role", "sha256", "review"] as const;

/** The event that an answer ends with, or why there is none to append. */
export async function eventBlockIn(
  answer: string,
): Promise<EventBlock | { readonly fault: string }> {
  const found = await objectIn(answer, "event", ["event", "summary"]);
  if ("fault" in found) return found;
  const { event, summary, documents, reply_to: replyTo } = found.object;
  if (typeof event !== "string" || typeof summary !== "string")
    return { fault: `summary is ${quote(summary)}, expected one plain line` };
  if (isUnfilled(event) || isUnfilled(summary)) return { fault: unfilled("event", "summary") };
  const texts = readDocuments(documents);
  if (!(texts instanceof Map)) return { fault: texts };
  const more: JsonObject = {};
  for (const name of optional) {
    const text = found.object[name];
    if (text === undefined || text === null) continue;
    if (typeof text !== "string") return { fault: `${name} is ${quote(text)}, expected a text` };
    if (!isUnfilled(text)) more[name] = text;
  }
  if (/^\d+$/.test(String(replyTo))) more["reply_to"] = Number(replyTo);
  // Models break lines anywhere; what a line must not hold beyond that, the decider says.
  return { event, summary: summary.replace(/\s+/g, " ").trim(), more, documents: texts };
}

/** The texts by path, or what is wrong with them. */
function readDocuments(value: JsonValue | undefined): Map<string, string> | string {
  const texts = new Map<string, string>();
  if (value === undefined || value === null) return texts;
  if (!isJsonObject(value))
    return `documents is ${quote(value)}, expected an object such as {"proposal.md": "its whole new text"}`;
  for (const [path, text] of Object.entries(value)) {
    if (typeof text !== "string" || isUnfilled(text))
      return `the document ${quote(path)} is ${quote(text)}, expected its whole new text; leave out what stays`;
    texts.set(path, text.endsWith("\n") ? text : `${text}\n`);
  }
  return texts;
}

/**
 * Writes documents for a participant that may not write itself: only those that are its own to write
 * now, and none unless all can be. Returns why not.
 * @throws ConsultaError REFUSED when a link stands in the way; UNAVAILABLE when the disk refuses.
 */
export function writeDocuments(
  folder: string,
  allowed: readonly string[],
  documents: ReadonlyMap<string, string>,
): string | undefined {
  for (const [path, text] of documents) {
    const fault = documentFault(path, text, allowed);
    if (fault !== undefined) return fault;
  }
  const files = [...documents].map(([path, text]) => ({ ...placeOf(folder, path), text }));
  for (const { root, folders, file, text } of files) {
    ensureFolder(root, ...folders);
    writeFileAtomically(file, text);
  }
  return undefined;
}

function documentFault(path: string, text: string, allowed: readonly string[]): string | undefined {
  if (!allowed.includes(path)) {
    const yours = allowed.length === 0 ? "none in this turn" : allowed.join(", ");
    return `${quote(path)} is not yours to write now: you may write ${yours}`;
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.messageBytes) return undefined;
  return `${path} has ${bytes} bytes, the limit is ${limits.messageBytes}: make it shorter`;
}

/** Deliverables may lie above the session's folder, in the repository that it is part of. */
function placeOf(folder: string, path: string) {
  const names = path.split("/");
  const up = names.findIndex((name) => name !== "..");
  const root = resolve(folder, ...names.slice(0, up));
  const file = resolveProjectFile(root, names.slice(up).join("/"));
  return { root, folders: names.slice(up, -1), file };
}
