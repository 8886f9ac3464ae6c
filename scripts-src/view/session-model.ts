import type { Clock } from "../base/clock.ts";
import { isBegunHere } from "../log/begun-here.ts";
import type { Guidance, SessionStatus } from "../protocol/protocol.ts";
import { pageOfKind } from "../session/kinds.ts";
import { isRehearsed } from "../session/past/rehearsed.ts";
import { readFiles } from "../session/read-files.ts";
import { standingOf } from "../session/session.ts";
import { type PeerStatus, peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import type { KindPage } from "./kind-page.ts";
import type { Told } from "./live-story.ts";
import type { Item, Obligation, ParticipantModel, SessionModel } from "./page/model.ts";
import { asideItems, personModel } from "./person-model.ts";
import { plainPage } from "./plain-page.ts";

/** So many items are sent at once; who wants older ones asks for those before one of them. */
const itemsSent = 200;

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
  told: Told,
  { key, project }: Named,
  { lastSeq, before, clock, itemsMax = itemsSent }: Wanted,
): Promise<SessionModel> {
  const { session, machine, seq } = told;
  const { folder } = session.place;
  const standing = standingOf({ ...session, machine });
  const page = await pageOf(machine.kind);
  const all = [...page.items(told), ...asideItems(told)].sort((one, other) => one.seq - other.seq);
  const upTo = all.filter((item) => before === undefined || item.seq < before);
  const shown = upTo.slice(-itemsMax);
  const isDryRun = isRehearsed(folder);
  const { verdict = "" } = standing;
  return {
    ...{ key, project, id: standing.id, kind: machine.kind, topic: standing.topic },
    ...{ seq, lastSeq, startedAt: standing.startedAt, lastAt: standing.lastAt },
    ...{ phase: standing.phase, ended: standing.ended, summary: standing.summary },
    verdict: isDryRun && standing.ended ? "DRY RUN" : verdict,
    ...{ isOurs: isBegunHere(folder), isDryRun },
    participants: await participantsOf(told, standing, all, clock.now()),
    obligations: await obligationsOf(told, standing),
    marks: machine.marks(),
    moments: page.moments(all).slice(-momentsMax),
    items: shown,
    earlier: upTo.length - shown.length + told.untold,
    person: personModel(told),
    part: await page.part(told),
  };
}

/** More marks than that on one line tell nothing. */
const momentsMax = 400;

async function participantsOf(
  { session, seq }: Told,
  standing: SessionStatus,
  items: readonly Item[],
  now: string,
): Promise<ParticipantModel[]> {
  // Who lives now says nothing of how it was then.
  const isNow = seq >= session.cursor.seq;
  const players = isNow && !standing.ended ? await registeredClis(session.place) : [];
  return standing.participants.map((name) => {
    const isAwaited = !standing.ended && standing.waitingFor.includes(name);
    const peer = isNow ? peerStatusOf(session.place, name, standing, players, now) : undefined;
    const last = items.findLast((item) => authorOf(item) === name)?.at ?? "";
    const since = isAwaited ? standing.lastAt : last;
    return { name, isAwaited, since, state: stateText(standing, isAwaited, peer) };
  });
}

function authorOf(item: Item): string {
  return item.as === "message" ? item.from : item.as === "person" ? "user" : item.by;
}

function stateText(
  { ended, hasTurns }: SessionStatus,
  isAwaited: boolean,
  peer: PeerStatus | undefined,
): string {
  if (ended) return "has finished";
  const turn = isAwaited ? (hasTurns ? "has the turn" : "is not ready") : "waits";
  if (peer === undefined) return turn;
  if (peer.ended !== undefined) return `${turn}; its process has ended`;
  if (peer.silentSeconds !== undefined)
    return `${turn}; no sign for ${Math.round(peer.silentSeconds / 60)} min`;
  if (peer.isRunning) return `${turn}; its CLI runs`;
  return peer.presence.present ? `${turn}; listens` : turn;
}

async function obligationsOf(told: Told, standing: SessionStatus): Promise<Obligation[]> {
  const { session, machine } = told;
  if (standing.ended) return [];
  const found: Obligation[] = [];
  for (const by of standing.participants) {
    const wanted = machine.filesWanted({ for: "guidance", participant: by });
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
