import type { Clock } from "../../base/clock.ts";
import { refused, tryAgain, unavailable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { shortLine } from "../../clis/output-line.ts";
import { post, ready, register } from "../../findings/agent-acts.ts";
import { findingNames, reportsOf } from "../../findings/board-files.ts";
import { ContentReader } from "../../findings/fingerprint-finding.ts";
import { type BoardTerms, openBoard, parseTerms } from "../../findings/open-board.ts";
import { type BoardAuthor, recordFindings } from "../../findings/record-findings.ts";
import { parseAgentName } from "../../findings/rules/board-names.ts";
import { boardStateOf } from "../../findings/rules/state.ts";
import { freePlace } from "../../session/create-session.ts";
import type { NextAction } from "../../session/next-action.ts";
import { openSession } from "../../session/open.ts";
import type { Place } from "../../session/place.ts";
import type { Session } from "../../session/session.ts";
import { reportsIn } from "../answer-blocks.ts";
import type { Asked, ConsultationRequest, ConsultKind, WorkspaceSource } from "../consult-kind.ts";
import type { Run } from "../run-context.ts";
import { findingsTask, keepQuestion } from "./findings-task.ts";

/**
 * A board of findings, as `consult` runs it: all participants have one turn at the same time, to find
 * out what they can and to get ready. One that cannot go on does not stop the others.
 */
export const consultFindings: ConsultKind = {
  company: {
    max: limits.boardAgents,
    rule: `findings are shared by 2 to ${limits.boardAgents} different participants, one alone has nobody to share with`,
  },
  prepare,
  join,
  narrow,
  task: findingsTask,
  enter,
  accept,
};

function prepare({ question, request, participants, clock }: Asked) {
  for (const name of participants) parseAgentName(name);
  const seconds = Math.min(Math.ceil(request.timeLimitMs / 1_000), limits.boardTimeoutSecondsMax);
  const about = shortLine(question.split("\n")[0] ?? "", limits.summaryCharacters);
  const terms = parseTerms(String(participants.length), String(seconds), about);
  return async (source: WorkspaceSource) => {
    const place = await openNew(question, request, source, terms, clock);
    if (about !== question) keepQuestion(place, question);
    return openSession(place);
  };
}

async function openNew(
  question: string,
  { folder }: ConsultationRequest,
  source: WorkspaceSource,
  terms: BoardTerms,
  clock: Clock,
): Promise<Place> {
  if (folder !== undefined) {
    const { place, existed } = await openBoard(folder, terms, clock);
    if (!existed) return place;
    throw refused(
      `${folder} holds a board already; leave out the question to go on with it, or choose another folder`,
    );
  }
  const workspace = await source.made();
  for (let tries = 1; ; tries += 1) {
    const free = freePlace(workspace, question);
    const { place, existed } = await openBoard(free.folder, terms, clock);
    // Another run that asks the same at the same time must not get these agents on its board.
    if (!existed) return place;
    if (tries < limits.appendTries) continue;
    throw unavailable(`the workspace is busy: others took every free name; ${tryAgain}`);
  }
}

/**
 * Registers those that are not on the board, before the first of them has its turn.
 * @throws ConsultaError REFUSED where there is no place for them.
 */
async function join(session: Session, names: readonly string[], clock: Clock) {
  const { place } = session;
  const { agents, settings } = boardStateOf(session);
  const fresh = names.filter((name) => !agents.some((it) => it.name === parseAgentName(name)));
  if (fresh.length > 0 && agents.length + fresh.length > settings.expectedAgents) {
    const known = agents.map(({ name }) => name).join(", ");
    throw refused(
      `board ${place.id} is for ${settings.expectedAgents} agents and has ${known}: there is no place for ${fresh.join(", ")}`,
    );
  }
  for (const name of fresh) await register(place, { name }, clock);
  return openSession(place);
}

/** Two agents that found the same on their own are better evidence than one that read the other. */
function narrow(next: NextAction): NextAction {
  const moves = next.guidance.moves.filter(({ script }) => script?.name !== "read-all");
  return { ...next, guidance: { ...next.guidance, moves } };
}

/** Enters marks and reports that the participant made with other scripts, or by hand. */
async function enter({ place, project, clock }: Run, participant: string): Promise<undefined> {
  const session = await openSession(place, { fetch: "unless-offline", changes: "enter", clock });
  await recordFindings(session, { name: participant, base: project, project }, clock);
}

async function accept(run: Run, participant: string, answer: string): Promise<string | undefined> {
  const { place, project, clock, progress } = run;
  const found = reportsIn(answer);
  if ("fault" in found) return found.fault;
  if (found.reports.length === 0 && reportsOf(place, [participant]).length === 0) return none;
  const author = { name: participant, project, base: project };
  const read = await readAllOf(found.reports, place, author);
  const faults = read.flatMap(({ faults }) => faults);
  // All or none: a second try would post again what the first one had posted.
  if (faults.length > 0) return faults.join("; ");
  for (const { text, topic } of read) {
    const { missing } = await post(place, author, topic, text, clock);
    if (missing.length > 0) {
      progress.note(`${participant} cites what is not there: ${missing.join(", ")}`);
    }
  }
  await ready(place, author, { strict: true }, clock);
  return undefined;
}

const none =
  "the answer holds no report; end it with one Markdown block between two lines of ```` for each " +
  "thing that you found out, also if that is nothing";

interface ReadReport {
  readonly text: string;
  readonly topic: string;
  readonly faults: readonly string[];
}

async function readAllOf(
  reports: readonly string[],
  place: Place,
  author: BoardAuthor,
): Promise<ReadReport[]> {
  const findings = findingNames(place);
  const reader = new ContentReader(place, author);
  const read = reports.map(async (text, index) => {
    const { title, faults } = await reader.read(text, author.name, findings);
    const bytes = Buffer.byteLength(text);
    const large =
      bytes > limits.messageBytes ? [`it has ${bytes} bytes, at most ${limits.messageBytes}`] : [];
    const name = reports.length === 1 ? "the report" : `report ${index + 1}`;
    const found = [...large, ...faults].map((fault) => `${name}: ${fault}`);
    return { text, topic: topicOfTitle(title), faults: found };
  });
  return Promise.all(read);
}

/** Enough to know a report's file by. */
const topicCharactersMax = 60;

/** The topic of a report, from the words of its title that a file's name can hold. */
export function topicOfTitle(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
  if (words.length <= topicCharactersMax) return words === "" ? "finding" : words;
  const cut = words.slice(0, topicCharactersMax + 1).replace(/ [^ ]*$/, "");
  return cut.slice(0, topicCharactersMax);
}
