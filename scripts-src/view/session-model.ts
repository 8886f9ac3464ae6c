import type { Clock } from "../base/clock.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote, personName } from "../protocol/person-step.ts";
import type { Guidance, SessionState, SessionStatus } from "../protocol/protocol.ts";
import { isUnproven } from "../session/person-words.ts";
import { readFiles } from "../session/read-files.ts";
import { standingOf } from "../session/session.ts";
import { type PeerStatus, peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { boardPage } from "./board-page.ts";
import { collaborationPage } from "./collaboration-page.ts";
import { dialoguePage } from "./dialogue-page.ts";
import { type KindPage, personItem, plainPage, stepItem } from "./kind-page.ts";
import type { Item, ParticipantModel, PersonItem, SessionModel } from "./page/model.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A kind that has none is told by its report. */
const pages: ReadonlyMap<string, KindPage> = new Map([
  ["dialogue", dialoguePage],
  ["collaboration", collaborationPage],
  ["findings", boardPage],
]);

/** So many items a page holds. */
const itemsShown = 200;

/** One session at one point of its log, as the page shows it. */
export async function sessionModel(
  point: StoryPoint,
  named: Pick<SessionModel, "key" | "project" | "lastSeq">,
  clock: Clock,
  itemsMax = itemsShown,
): Promise<SessionModel> {
  const { session, seq, untold } = point;
  const { kind, state } = session;
  const { folder } = session.place;
  const status = standingOf(session);
  const page = pages.get(kind.name) ?? plainPage;
  const items = itemsOf(point, page, itemsMax);
  const isWhole = untold === 0 && items.length < itemsMax;
  return {
    ...named,
    ...{ seq, status, isOurs: isCreatedLocally(folder), isUnproven: await isUnproven(folder) },
    mayEnd: !status.ended && kind.closing?.(state, personName, "-") !== undefined,
    participants: await participantsOf(point, status, clock.now()),
    obligations: await obligationsOf(point, status),
    marks: kind.marks?.(state) ?? [],
    items,
    earlier: isWhole ? 0 : Math.max(0, Math.ceil(items[0]?.seq ?? 1) - 1),
    part: await page.part(point, clock),
  };
}

/** The newest that happened, in order. */
function itemsOf(point: StoryPoint, page: KindPage, itemsMax: number): Item[] {
  const itemOf = page.itemsAt?.(point) ?? stepItem;
  const newest: Item[] = [];
  for (const event of point.events.toReversed()) {
    if (newest.length === itemsMax) break;
    const item = itemOf(event);
    if (item !== undefined) newest.push(item);
  }
  const all = [...newest, ...point.aside.flatMap((it) => asideItem(it, point.aside) ?? [])];
  return all.sort((one, other) => one.seq - other.seq).slice(-itemsMax);
}

/** What the person said and did beside a log that cannot hold it, after the event that it followed. */
function asideItem(step: LogEvent, aside: readonly LogEvent[]): PersonItem | undefined {
  if (step.from !== personName) return undefined;
  const place = Number(step["after"] ?? 0) + step.seq / 100_000;
  return { ...personItem(step, aside), seq: place };
}

async function participantsOf(
  { session, events, isNow }: StoryPoint,
  status: SessionStatus,
  now: string,
): Promise<ParticipantModel[]> {
  const { place } = session;
  // Who lives now says nothing of how it was then.
  const isLive = isNow && !status.ended;
  const players = isLive ? await registeredClis(place) : [];
  const acts = events.filter((it) => !isDeliveryNote(it));
  return status.participants.map((name) => ({
    name,
    isAwaited: !status.ended && status.waitingFor.includes(name),
    turnAt: turnSince(session, status, name),
    actedAt: acts.findLast(({ from }) => from === name)?.at ?? "",
    state: stateText(name, status),
    sign: isLive ? signText(peerStatusOf(place, name, status, players, now)) : "",
  }));
}

/** Since when somebody has the turn: since the oldest message that waits for it; "" where nobody knows. */
export function turnSince(
  { kind, state }: SessionState,
  status: SessionStatus,
  name: string,
): string {
  const { ended, hasTurns, waitingFor, lastAt } = status;
  if (ended || !hasTurns || !waitingFor.includes(name) || kind.mail === undefined) return "";
  return kind.mail.pending(state, name)[0]?.storedAt ?? lastAt;
}

function stateText(name: string, status: SessionStatus): string {
  const { ended, needsPerson, waitingFor, hasTurns, paused } = status;
  if (ended) return needsPerson?.wants === "answer" ? "waits for you" : "has finished";
  if (paused?.stillBusy.includes(name)) return "may still end its turn";
  if (paused?.held.includes(name)) return "waits for you to resume";
  if (!waitingFor.includes(name)) return "waits";
  return hasTurns ? "has the turn" : "is not ready";
}

function signText({ ended, silentSeconds, isRunning, presence }: PeerStatus): string {
  if (ended !== undefined) return "its process has ended";
  if (silentSeconds !== undefined) return `no sign for ${Math.round(silentSeconds / 60)} min`;
  if (isRunning) return "its CLI runs";
  return presence.present ? "listens" : "";
}

/** Undefined where they rest on documents, which say nothing of how it was then. */
async function obligationsOf(
  { session, isNow }: StoryPoint,
  { ended, participants }: SessionStatus,
): Promise<SessionModel["obligations"]> {
  if (ended) return [];
  const { kind, state } = session;
  const found: { by: string; text: string }[] = [];
  for (const by of participants) {
    const wanted = kind.filesWanted(state, { for: "guidance", participant: by });
    if (!isNow && wanted.length > 0) return undefined;
    const files = await readFiles(session.place.folder, wanted);
    found.push(...linesOf(kind.nextAction(state, by, files)).map((text) => ({ by, text })));
  }
  return found;
}

/** The same lines as `next-action` prints. */
function linesOf({ turn, obligations, todo = [] }: Guidance): string[] {
  return turn === "ended" ? [] : [...obligations, ...todo];
}
