import { limits } from "../../base/limits.ts";
import { findingNames, reportsOf } from "../../findings/board-files.ts";
import { ContentReader } from "../../findings/fingerprint-finding.ts";
import type { BoardReader } from "../../findings/open-board-for.ts";
import { post } from "../../findings/post.ts";
import { ProjectPaths } from "../../findings/project-paths.ts";
import { ready } from "../../findings/ready.ts";
import { recordFindings } from "../../findings/record-findings.ts";
import type { NextAction } from "../../session/next-action.ts";
import { openToAct } from "../../session/open-for-participant.ts";
import type { Place } from "../../session/place.ts";
import { reportsIn } from "../answer-blocks.ts";
import type { TurnKind } from "../consult-kind.ts";
import type { Run } from "../run.ts";
import { findingsTask } from "./findings-task.ts";

/**
 * Turns on a board: all participants have one at the same time, to find out what they can and to get
 * ready. One that cannot go on does not stop the others.
 */
export const findingsTurns: TurnKind = { narrow, task: findingsTask, enter, send };

/** Two agents that found the same on their own are better evidence than one that read the other. */
function narrow(next: NextAction): NextAction {
  const moves = next.guidance.moves.filter(({ script }) => script?.name !== "read-all");
  return { ...next, guidance: { ...next.guidance, moves } };
}

/** Enters marks and reports that the participant made with other scripts, or by hand. */
async function enter({ place, project, clock }: Run, participant: string): Promise<undefined> {
  const session = await openToAct(place, clock);
  await recordFindings(session, [participant], { base: project, project }, clock);
}

async function send(run: Run, participant: string, answer: string): Promise<string | undefined> {
  const { place, project, clock, progress } = run;
  const found = reportsIn(answer);
  if ("fault" in found) return found.fault;
  if (found.reports.length === 0 && reportsOf(place, [participant]).length === 0) return none;
  const author = { name: participant, project };
  const read = readAllOf(found.reports, place, author);
  const faults = read.flatMap(({ faults }) => faults);
  // All or none: a second try would post again what the first one had posted.
  if (faults.length > 0) return faults.join("; ");
  for (const { text, topic } of read) {
    const { unwatched } = await post(place, author, topic, { text, base: project }, clock);
    if (unwatched.length > 0) {
      progress.note(`${participant} cites what is not there: ${unwatched.join(", ")}`);
    }
  }
  await ready(place, author, { strict: true, base: project }, clock);
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

function readAllOf(
  reports: readonly string[],
  place: Place,
  { name: agent, project }: BoardReader,
): ReadReport[] {
  const findings = findingNames(place);
  const reader = new ContentReader(new ProjectPaths(place, project));
  return reports.map((text, index) => {
    const { title, faults } = reader.read(text, { agent, base: project, findings }).content;
    const bytes = Buffer.byteLength(text);
    const large =
      bytes > limits.messageBytes ? [`it has ${bytes} bytes, at most ${limits.messageBytes}`] : [];
    const name = reports.length === 1 ? "the report" : `report ${index + 1}`;
    const found = [...large, ...faults].map((fault) => `${name}: ${fault}`);
    return { text, topic: topicOfTitle(title), faults: found };
  });
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
