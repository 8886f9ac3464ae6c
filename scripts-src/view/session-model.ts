import type { Clock } from "../base/clock.ts";
import { once } from "../base/once.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { Guidance, SessionStatus } from "../protocol/protocol.ts";
import { pageOfKind } from "../session/kinds.ts";
import { isUnproven } from "../session/person-authorship.ts";
import { readFiles } from "../session/read-files.ts";
import { standingOf } from "../session/session.ts";
import { type PeerStatus, peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import type { Happening, KindPage } from "./kind-page.ts";
import {
  itemsShown,
  type Moment,
  type Obligation,
  type ParticipantModel,
  type SessionModel,
} from "./page/model.ts";
import { asideHappenings, personModel } from "./person-model.ts";
import { plainPage } from "./plain-page.ts";
import type { StoryPoint } from "./session-timeline.ts";
import { turnSince } from "./turn-began.ts";

/** Where a session is in the page. */
export interface Named {
  readonly key: string;
  readonly project: string;
}

interface Wanted {
  readonly lastSeq: number;
  /** Items before this one. */
  readonly before?: number;
  readonly clock: Clock;
  readonly itemsMax?: number;
}

/** How the page shows a session of this kind. */
export async function pageOf(kind: string): Promise<KindPage> {
  return (await pageOfKind(kind)) ?? plainPage;
}

/** One session at one point of its log, as the page shows it; `before` gives older items. */
export async function sessionModel(
  point: StoryPoint,
  { key, project }: Named,
  { lastSeq, before, clock, itemsMax = itemsShown }: Wanted,
): Promise<SessionModel> {
  const { session, machine, seq } = point;
  const { folder } = session.place;
  const standing = standingOf({ ...session, machine });
  const page = await pageOf(machine.kind);
  const all = happeningsOf(point, page);
  const upTo = all.filter((it) => before === undefined || it.seq < before);
  const shown = upTo.slice(-itemsMax);
  const { verdict = "" } = standing;
  return {
    ...{ key, project, id: standing.id, kind: machine.kind, topic: standing.topic },
    ...{ seq, lastSeq, lastAt: standing.lastAt, phase: standing.phase, ended: standing.ended },
    verdict,
    ...{ isOurs: isCreatedLocally(folder), isUnproven: await isUnproven(folder) },
    participants: await participantsOf(point, standing, all, clock.now()),
    obligations: await obligationsOf(point, standing),
    marks: machine.marks(),
    moments: momentsIn(all),
    items: shown.map((it) => it.item()),
    earlier: upTo.length - shown.length + point.untold,
    person: personModel(point),
    part: await page.part(point, clock),
  };
}

/** Of the points that are told: a session is told again whenever a file beside its log changes. */
const happened = new WeakMap<StoryPoint, readonly Happening[]>();

/** What happened up to a point, in order. It follows from the point alone and is made once for it. */
function happeningsOf(point: StoryPoint, page: KindPage): readonly Happening[] {
  const known = happened.get(point);
  if (known !== undefined) return known;
  const all = [...page.happenings(point), ...asideHappenings(point)]
    .sort((one, other) => one.seq - other.seq)
    .map((it) => ({ ...it, item: once(it.item) }));
  happened.set(point, all);
  return all;
}

function momentsIn(all: readonly Happening[]): Moment[] {
  const found = all.flatMap(({ seq, moment }) => (moment === undefined ? [] : { seq, ...moment }));
  return found.slice(-momentsMax);
}

/** More marks than that on one line tell nothing. */
const momentsMax = 400;

async function participantsOf(
  { session, machine, seq }: StoryPoint,
  standing: SessionStatus,
  all: readonly Happening[],
  now: string,
): Promise<ParticipantModel[]> {
  // Who lives now says nothing of how it was then.
  const isNow = seq >= session.cursor.seq;
  const players = isNow && !standing.ended ? await registeredClis(session.place) : [];
  return standing.participants.map((name) => {
    const isAwaited = !standing.ended && standing.waitingFor.includes(name);
    const peer = isNow ? peerStatusOf(session.place, name, standing, players, now) : undefined;
    const actedAt = all.findLast(({ by }) => by === name)?.at ?? "";
    const turnAt = standing.ended ? "" : turnSince(machine, standing, name);
    const told = { state: stateText(name, standing), sign: signText(standing, peer) };
    return { name, isAwaited, turnAt, actedAt, ...told };
  });
}

function stateText(
  name: string,
  { ended, needsPerson, waitingFor, hasTurns, paused }: SessionStatus,
): string {
  if (ended) return needsPerson?.wants === "answer" ? "waits for you" : "has finished";
  if (paused?.stillBusy.includes(name)) return "may still end its turn";
  if (paused?.held.includes(name)) return "waits for you to resume";
  if (!waitingFor.includes(name)) return "waits";
  return hasTurns ? "has the turn" : "is not ready";
}

function signText({ ended }: SessionStatus, peer: PeerStatus | undefined): string {
  if (ended || peer === undefined) return "";
  if (peer.ended !== undefined) return "its process has ended";
  if (peer.silentSeconds !== undefined)
    return `no sign for ${Math.round(peer.silentSeconds / 60)} min`;
  if (peer.isRunning) return "its CLI runs";
  return peer.presence.present ? "listens" : "";
}

/** Undefined where they rest on documents, which say nothing of how it was then. */
async function obligationsOf(
  { session, machine, seq }: StoryPoint,
  standing: SessionStatus,
): Promise<Obligation[] | undefined> {
  if (standing.ended) return [];
  const isPast = seq < session.cursor.seq;
  const found: Obligation[] = [];
  for (const by of standing.participants) {
    const wanted = machine.filesWanted({ for: "guidance", participant: by });
    if (isPast && wanted.length > 0) return undefined;
    const files = await readFiles(session.place.folder, wanted);
    found.push(...linesOf(machine.nextAction(by, files)).map((text) => ({ by, text })));
  }
  return found;
}

/** The same lines as `next-action` prints. */
function linesOf({ turn, obligations, required, todo = [] }: Guidance): string[] {
  if (turn === "ended") return [];
  return required === undefined ? obligations : [...required, ...todo];
}
