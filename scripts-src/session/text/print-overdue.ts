import { ConsultaError } from "../../base/errors.ts";
import { systemClock } from "../../script/clock.ts";
import { printErrorLines } from "../../script/output.ts";
import { sentBy } from "../inbox/sent-messages.ts";
import { openSession } from "../open.ts";
import { type Place, placeIn } from "../place.ts";
import { type Session, standingOf } from "../session.ts";
import { isOurs, openSessions } from "../session-list.ts";
import { peerStatusOf, registeredClis } from "../waiting/peer-status.ts";
import { sentText, waiterText } from "./sent-messages-text.ts";

/**
 * Says what became of what a participant sent, and which colleagues nothing wakes any more: in one
 * session, or in all of a workspace where the place names none. `headless` gives the line that runs
 * a session without its windows; a session that is `known` is not loaded again.
 */
export async function printOverdue(
  { id, workspace, ...rest }: Place,
  participant: string,
  headless: (place: Place) => string,
  known?: Session,
): Promise<void> {
  const places =
    id === "" && workspace !== undefined
      ? openSessions(workspace)
          .ids.filter((it) => isOurs(workspace, it))
          .map((it) => placeIn(workspace, it))
      : [{ id, workspace, ...rest }];
  for (const place of places) {
    printErrorLines(...(await colleagueLines(place, participant, headless(place), known)));
  }
}

async function colleagueLines(
  place: Place,
  participant: string,
  headless: string,
  known: Session | undefined,
): Promise<string[]> {
  try {
    const session = known === undefined ? await openSession(place) : await openSession(known);
    const standing = standingOf(session);
    const { ended, paused, hasTurns, participants } = standing;
    if (ended || paused !== undefined || !hasTurns || !participants.includes(participant))
      return [];
    const now = systemClock.now();
    const others = participants.filter((name) => name !== participant);
    const players = await registeredClis(place);
    const sent = sentBy(participant, session, players, now);
    const colleagues = others.map((name) => peerStatusOf(place, name, standing, players, now));
    return [
      ...sentText(sent, standing, place, headless),
      ...colleagues.flatMap((it) => waiterText(it, headless) ?? []),
    ];
  } catch (cause) {
    // That the time is up has been said; what else is wrong the next script tells.
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}
