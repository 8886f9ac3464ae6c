import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import { sweepTemporaryFiles } from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import { findingNames, readReport, reportsOf } from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import type { BoardAuthor } from "./record-findings.ts";
import { pathOf } from "./rules/board-names.ts";
import { notRegistered } from "./rules/decide.ts";
import { missingIn } from "./rules/finding-content.ts";
import { agentOf, boardStateOf } from "./rules/state.ts";

export interface PostedFinding {
  /** Where the finding is, below the board's folder. */
  readonly path: string;
  readonly seq: number;
  /** It stood there before, word for word. */
  readonly repeated: boolean;
  /** What the report cites and nobody can watch. */
  readonly missing: readonly string[];
  /** What the author should know about the report. */
  readonly remarks: readonly string[];
}

/**
 * Gives a finding its number: with a report it is checked and published whole, without one an empty
 * file waits for it.
 * @throws ConsultaError NOT_YET for an agent that is not registered, REFUSED for a topic without a
 * letter and for a report whose header is not right, with every reason; nothing was written then.
 */
export async function post(
  place: Place,
  author: BoardAuthor,
  topic: string,
  text: string | undefined,
  clock: Clock,
): Promise<PostedFinding> {
  const { name } = author;
  const opened = await openBoardForAgent(place, name, clock);
  const content = text === undefined ? undefined : await contentOf(place, author, text);
  markSeen(place, name, clock.now());
  const fields =
    text === undefined || content === undefined
      ? { event: "numbered", topic }
      : { event: "posted", topic, text, content };
  const by = { participant: name, origin: "script" as const, fields };
  const submitted = await submit(opened, { ...by, at: clock.now(), id: clock.newId() });
  const { seq, repeated, remarks, session } = submitted;
  const event = submitted.event ?? (await session.log.at(seq));
  const file = fileHolding(place, name, String(event?.["file"]), text);
  return {
    path: pathOf(`${name}/${file}`),
    seq,
    repeated,
    missing: content === undefined ? [] : missingIn(content),
    remarks,
  };
}

/** The text is beside its name when somebody else took that in the same moment. */
function fileHolding(place: Place, agent: string, file: string, text: string | undefined): string {
  if (text === undefined) return file;
  const wanted = sha256(text);
  const own = reportsOf(place, [agent]);
  const named = own.filter((it) => it.file === file);
  const found = [...named, ...own].find((it) => readReport(it).sha256 === wanted);
  return found?.file ?? file;
}

async function contentOf(place: Place, author: BoardAuthor, text: string) {
  const reader = new ContentReader(place, author);
  const content = await reader.read(text, author.name, findingNames(place));
  if (content.faults.length === 0) return content;
  throw refused(`the report is not posted: ${content.faults.join("; ")}`);
}

/**
 * Loads a board for one of its agents, and removes what its writers that died left in its folder.
 * @throws ConsultaError NOT_YET when nobody of that name is registered.
 */
export async function openBoardForAgent(
  place: Place,
  agent: string,
  clock: Clock,
): Promise<Session> {
  const session = await openSession(place, { fetch: "must", changes: "enter", clock });
  const state = boardStateOf(session);
  if (agentOf(state, agent) === undefined)
    throw new ConsultaError("NOT_YET", notRegistered(state, { participant: agent }).reason);
  sweepTemporaryFiles(join(place.folder, "findings", agent));
  return session;
}
