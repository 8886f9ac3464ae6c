import type { Clock } from "../../scripts-src/base/clock.ts";
import { ensureFolder } from "../../scripts-src/files/safe-path.ts";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { printLines } from "../../scripts-src/script/output.ts";
import { freePlace } from "../../scripts-src/session/create-session.ts";
import type { Opener } from "../../scripts-src/session/kinds.ts";
import { newSession, type Session, withEvent } from "../../scripts-src/session/session.ts";
import { workspaceMade } from "../../scripts-src/session/session-options.ts";
import { refresh } from "../../scripts-src/session/submit.ts";
import type { Workspace } from "../../scripts-src/session/workspace/workspace.ts";

export const toyOpener: Opener = {
  opens: "a vote (--vote)",
  askedBy: "--vote a vote",
  key: "vote",
  options: [{ flags: "--vote <question>", text: "vote: what is voted on" }],
  own: ["vote"],
  notes: [],
  async open(args) {
    const workspace = await workspaceMade(args);
    const names = args.many("participant");
    const { place } = await openVote(workspace, args.required("vote"), names, systemClock);
    printLines(`opened vote ${place.id}`);
    return undefined;
  },
};

export async function openVote(
  workspace: Workspace,
  summary: string,
  participants: string[],
  clock: Clock,
): Promise<Session> {
  const session = await newSession(freePlace(workspace, summary), "toy");
  const from = participants[0] ?? "";
  const about = { seq: 1, from, event: "vote_opened", at: clock.now(), id: clock.newId() };
  const event = { ...about, summary, participants };
  ensureFolder(workspace.root, "sessions", session.place.id);
  const cursor = await session.log.append(session.log.start, event);
  if (cursor === undefined) throw new Error("somebody was faster");
  return refresh(withEvent(session, cursor, event), event, []);
}
