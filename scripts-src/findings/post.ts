import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Place } from "../session/place.ts";
import { submit } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import { findingNames, readReportText, reportsOf } from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { type BoardReader, openBoardForAgent, recordOthers } from "./open-board-for.ts";
import { ProjectPaths } from "./project-paths.ts";
import { recordFindings } from "./record-findings.ts";
import { slugOfTopic } from "./rules/board-names.ts";
import { pathOf } from "./rules/files-wanted.ts";

export interface PostedText {
  readonly text: string;
  /** Where relative paths in it start. */
  readonly base: string;
}

export interface PostedFinding {
  /** Where the finding is, below the board's folder. */
  readonly path: string;
  readonly seq: number;
  /** It stood there before, word for word. */
  readonly repeated: boolean;
  /** What the report cites and nobody can watch. */
  readonly unwatched: readonly string[];
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
  author: BoardReader,
  topic: string,
  report: PostedText | undefined,
  clock: Clock,
): Promise<PostedFinding> {
  const { name: agent } = author;
  const attended = await openBoardForAgent(place, agent, clock);
  slugOfTopic(topic);
  const read = report && (await contentOf(place, author, report));
  markSeen(place, agent, clock.now());
  // Whether the report stands there already, its files say as they are now.
  const { session } =
    report === undefined
      ? { session: attended }
      : await recordFindings(attended, [agent], { ...report, project: author.project }, clock);
  const fields: JsonObject =
    read === undefined || report === undefined
      ? { event: "numbered", topic }
      : { event: "posted", topic, text: report.text, content: read.content };
  const by = { participant: agent, origin: "script" as const, fields };
  const submitted = await submit(session, { ...by, at: clock.now(), id: clock.newId() });
  const { seq, repeated } = submitted;
  const event = submitted.event ?? (await submitted.session.log.at(seq));
  const file = String(event?.["file"]);
  await recordOthers(place, author, clock);
  return {
    path: pathOf(
      `${agent}/${report === undefined ? file : nameOf(place, agent, file, report.text)}`,
    ),
    seq,
    repeated,
    unwatched: read?.unwatched ?? [],
    remarks: submitted.remarks,
  };
}

/** Where the text is: beside its name, when somebody else took that in the same moment. */
function nameOf(place: Place, agent: string, file: string, text: string): string {
  const own = reportsOf(place, [agent]);
  const isIt = (path: string) => {
    const read = readReportText(path);
    return "text" in read && read.text === text;
  };
  const expected = own.find((it) => it.file === file);
  if (expected !== undefined && isIt(expected.path)) return file;
  return own.find(({ path }) => isIt(path))?.file ?? file;
}

async function contentOf(place: Place, author: BoardReader, { text, base }: PostedText) {
  const findings = findingNames(place);
  const reader = new ContentReader(new ProjectPaths(place, author.project));
  const read = await reader.readOwn(text, { agent: author.name, base, findings });
  const { faults } = read.content;
  if (faults.length === 0) return read;
  throw new ConsultaError("REFUSED", `the report is not posted: ${faults.join("; ")}`);
}
