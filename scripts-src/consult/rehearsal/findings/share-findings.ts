import { isRecord, isStringArray } from "../../../base/json.ts";
import { topicOfTitle } from "../../report-topic.ts";
import { projectOf, type RehearsalTurn, runBoardScript, type ScriptEnd } from "../run-sibling.ts";
import { projectTexts } from "../survey.ts";
import { lookFor, type Sight } from "./look-for.ts";

/** What a scripted colleague does on a board: it posts one report and gets ready. */
export interface Share {
  readonly name: string;
  send(): Promise<ScriptEnd>;
}

/** Reads what `next-action --json` printed; undefined when nothing is left for this colleague to do. */
export function shareFindings(next: unknown, turn: RehearsalTurn): Share | undefined {
  const { standing, guidance } = isRecord(next) ? next : {};
  if (!isRecord(standing) || !isRecord(guidance)) return undefined;
  const { participants, waitingFor, topic } = standing;
  if (!isStringArray(participants) || !isStringArray(waitingFor)) return undefined;
  if (!waitingFor.includes(turn.participant)) return undefined;
  const project = projectOf(turn);
  const seat = participants.indexOf(turn.participant);
  const sight = lookFor(seat, String(topic), [...projectTexts(project, turn.place.folder)]);
  const send = async () => {
    const words = [topicOfTitle(sight.title), "--file", "-"];
    const posted = await runBoardScript(turn, "post", words, reportOf(sight, project));
    return posted.exitCode === 0 ? runBoardScript(turn, "ready", ["--strict"], "") : posted;
  };
  return { name: sight.title, send };
}

/** Nobody shall take a rehearsal for an investigation. */
const mark = "[rehearsal: scripted colleague, no AI]";

function reportOf({ title, lines, places, method }: Sight, project: string): string {
  const cited = places.map((place) => `\`${place}\``).join(", ");
  const seen =
    cited === "" ? "" : ` ${lines > places.length ? "Among them" : "They are"} ${cited}.`;
  const paths = [...new Set(places.map((place) => place.replace(/:\d+$/, "")))];
  return [
    `# ${title}`,
    "",
    "## Working Directories",
    `- \`${project}\` -- the project`,
    "",
    "## Files Modified",
    "- none",
    "",
    "## Files Investigated (not modified)",
    ...(paths.length === 0 ? ["- none"] : paths.map((path) => `- \`${path}\` -- has such lines`)),
    "",
    "## Summary",
    `${mark} ${title}.${seen} ` +
      "Whether that has to do with the question, only an agent or a person can say.",
    "",
    "## How I looked",
    `${method}, in any letter case, outside hidden folders and node_modules. Run it again to check it.`,
    "",
  ].join("\n");
}
