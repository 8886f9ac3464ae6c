import { ConsultaError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { defined } from "../../base/omit-undefined.ts";
import {
  checkCollaboration,
  hasProtocol,
  openCollaboration,
} from "../../collaboration/open-collaboration.ts";
import { gateOptions } from "../../collaboration/rules/validate-opening.ts";
import type { Guidance, Move } from "../../protocol/protocol.ts";
import { appendEvent } from "../../session/append-event.ts";
import { placeForNew } from "../../session/create-session.ts";
import { nextAction } from "../../session/next-action.ts";
import { type Place, placeToMake } from "../../session/place.ts";
import type { Asked, ConsultKind } from "../consult-kind.ts";
import type { ConsultationRequest, WorkspaceSource } from "../consultation.ts";
import type { Run } from "../run-context.ts";
import { writeDocuments } from "../write-documents.ts";
import { collaborationTask } from "./collaboration-task.ts";
import { type EventBlock, eventBlockIn } from "./event-block.ts";

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
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
  const raw = checkCollaboration({ ...request.terms, objective, participants }, clock.now());
  return async (source: WorkspaceSource) => {
    const place = await placeFor(objective, request, source);
    return (await openCollaboration(place, raw, clock.now())).session;
  };
}

function requestFault(
  objective: string,
  { terms, termsGiven }: ConsultationRequest,
): string | undefined {
  if (objective.length > limits.itemCharacters) {
    const size = `the objective has ${objective.length} characters, the limit is ${limits.itemCharacters}`;
    return `${size}; shorten it and name the files to read by path`;
  }
  const stray = terms.primary ? undefined : termsGiven.find((option) => !gateOptions.has(option));
  if (stray !== undefined) return `${stray} needs --primary-deliverable-type`;
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
  if (folder === undefined)
    return placeForNew(await source.made(), undefined, objective, source.onFull);
  const place = placeToMake(folder);
  if (!hasProtocol(place)) return place;
  throw new ConsultaError(
    "REFUSED",
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
    throw new ConsultaError("REFUSED", `${block.event} was rejected: ${cause.message}`, { cause });
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
