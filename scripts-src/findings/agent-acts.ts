import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { sweepTemporaryFiles, writeFileAtomically } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import { type FoundReport, findingNames, readReport, reportsOf } from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { type BoardAuthor, type BoardReader, recordFindings } from "./record-findings.ts";
import { parseAgentName, pathOf } from "./rules/board-names.ts";
import { notRegistered } from "./rules/decide.ts";
import { contentOf, missingIn } from "./rules/finding-content.ts";
import { agentOf, type BoardState, boardStateOf, findingOf } from "./rules/state.ts";

/** What an agent does on a board: it registers, posts its findings, and is ready. */

export interface BoardRegistration {
  readonly board: BoardState;
  /** The agent's place in the order of registrations. */
  readonly place: number;
  /** Whether all others were ready already: nobody waits for this agent. */
  readonly late: boolean;
}

/**
 * Registers an agent on a board; each name once. The first registration sets the deadline.
 * @throws ConsultaError EXISTS when the name is taken, REFUSED when it is no valid name.
 */
export async function register(
  place: Place,
  agent: Pick<BoardReader, "name">,
  clock: Clock,
): Promise<BoardRegistration> {
  const name = parseAgentName(agent.name);
  const session = await openSession(place, { fetch: "must", changes: "enter", clock });
  requireRoom(place, name);
  markSeen(place, name, clock.now());
  const by = { participant: name, origin: "script", fields: { event: "registered" } } as const;
  const submitted = await submit(session, by, clock);
  ensureFolder(place.folder, "findings", name);
  const board = boardStateOf(await openSession(submitted.session, { changes: "enter", clock }));
  const order = board.agents.findIndex((it) => it.name === name);
  return { board, place: order + 1, late: board.agents[order]?.late === true };
}

/** An agent whose folder for reports cannot be made must not be registered. */
function requireRoom({ folder }: Place, name: string): void {
  const own = safeJoin(folder, "findings", name);
  const found = lstatSync(own);
  if (found === undefined || found.isDirectory()) return;
  throw refused(`${own} is not a folder: move it away, or take another name`);
}

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
  const content = text === undefined ? undefined : contentToPost(place, author, text);
  markSeen(place, name, clock.now());
  const fields =
    text === undefined || content === undefined
      ? { event: "numbered", topic }
      : { event: "posted", topic, text, content };
  const submitted = await submit(opened, { participant: name, origin: "script", fields }, clock);
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

function contentToPost(place: Place, author: BoardAuthor, text: string) {
  const reader = new ContentReader(place, author);
  const content = reader.read(text, author.name, findingNames(place));
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

export interface Ready {
  readonly board: BoardState;
  /** What is wrong with the agent's reports, one line each. */
  readonly complaints: readonly string[];
}

/**
 * Marks an agent ready, as often as it likes, and records its reports as they are now.
 * @throws ConsultaError NOT_YET for an agent that is not registered; REFUSED in strict mode when a
 * report is empty or malformed, or there is none: it is not marked then.
 */
export async function ready(
  place: Place,
  author: BoardAuthor,
  { strict }: { strict: boolean },
  clock: Clock,
): Promise<Ready> {
  const { name: agent } = author;
  const opened = await openBoardForAgent(place, agent, clock);
  markSeen(place, agent, clock.now());
  const recorded = await recordFindings(opened, author, clock);
  const complaints = await complaintsAbout(recorded.session, recorded.own);
  if (strict && complaints.length > 0) {
    const reasons = complaints.join("; ");
    throw refused(`${agent} is not marked ready: ${reasons}; fix this and run ready again`);
  }
  const mark = join(ensureFolder(place.folder, "findings", agent), ".ready");
  // The original scripts count this file; the log follows it.
  writeFileAtomically(mark, `${isoSecond(millisecondsOf(clock.now()))}\n`);
  const by = { participant: agent, origin: "script", fields: { event: "readied" } } as const;
  const { session } = await submit(recorded.session, by, clock);
  return { board: boardStateOf(session), complaints };
}

async function complaintsAbout(session: Session, own: readonly FoundReport[]): Promise<string[]> {
  if (own.length === 0) return ["no report is posted"];
  const complaints: string[] = [];
  for (const { agent, file, fault } of own) {
    const known = findingOf(boardStateOf(session), agent, file);
    const event = known && (await session.log.at(known.seq));
    const faults = fault === undefined ? ((event && contentOf(event)?.faults) ?? []) : [fault];
    if (faults.length > 0) complaints.push(`${file}: ${faults.join(", ")}`);
  }
  return complaints;
}
