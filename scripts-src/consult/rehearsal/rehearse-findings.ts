import { topicOfTitle } from "../report-topic.ts";
import { projectOfTurn, projectTexts, tellingWords } from "./project-survey.ts";
import {
  type Act,
  dryRunMark,
  type PrintedNext,
  type RehearsalTurn,
  runOwnScript,
} from "./scripted-peer.ts";

/** A scripted peer on a board: it posts one finding that anybody can check, and gets ready. */
export async function rehearseFindings(
  { standing }: PrintedNext,
  turn: RehearsalTurn,
): Promise<Act | undefined> {
  const { participants, waitingFor, topic } = standing;
  const { place, participant } = turn;
  if (!waitingFor.includes(participant)) return undefined;
  const all = interests(topic);
  const interest = all[participants.indexOf(participant) % all.length];
  if (interest === undefined) return undefined;
  const { title, text } = findingOn(interest, turn);
  const send = async () => {
    const words = [place.folder, participant, topicOfTitle(title), "--file", "-"];
    const posted = await runOwnScript(turn, "post", words, text);
    const ready = () => runOwnScript(turn, "ready", [place.folder, participant, "--strict"]);
    return posted.exitCode === 0 ? ready() : posted;
  };
  return { name: title, send };
}

/** Lines that a peer looks for, each peer for others: what they do, and what finds them. */
type Interest = readonly [what: string, pattern: RegExp];

function interests(question: string): Interest[] {
  const words = tellingWords(question);
  const named = words.map((word) => `"${word}"`).join(" or ") || "a telling word of the question";
  const clock = /date\.now|new date\b|time\.time|settimeout|\bsleep\b|random|\brand\(/i;
  return [
    [`hold ${named}`, words.length === 0 ? /(?!)/ : new RegExp(words.join("|"), "iu")],
    ["ask the clock, wait or draw random numbers", clock],
    ["begin a test", /^\s*(?:(?:it|test|describe)\(|def test_|func test|#\[test\])/i],
    ["are marked as unfinished", /\b(?:todo|fixme|hack|xxx)\b/i],
  ];
}

const placesMax = 5;

function findingOn([what, pattern]: Interest, turn: RehearsalTurn) {
  let [texts, holding] = [0, 0];
  const places: { path: string; line: number }[] = [];
  for (const { path, text } of projectTexts(turn)) {
    texts += 1;
    const lines = text.split("\n").flatMap((line, at) => (pattern.test(line) ? [at + 1] : []));
    holding += lines.length > 0 ? 1 : 0;
    places.push(...lines.map((line) => ({ path, line })));
  }
  const title = `Lines that ${what}: ${places.length}, in ${holding} of ${texts} text files`;
  // Blanks and marks in a path would make another citation of it.
  const shown = places
    .filter(({ path }) => /^[\p{L}\p{N}_./@+-]+$/u.test(path))
    .slice(0, placesMax);
  const cited = shown.map(({ path, line }) => `\`${path}:${line}\``).join(", ");
  const paths = [...new Set(shown.map(({ path }) => `- \`${path}\` -- has such lines`))];
  const text = [
    `# ${title}\n\n## Working Directories\n- \`${projectOfTurn(turn)}\` -- the project\n`,
    "## Files Modified\n- none\n",
    `## Files Investigated (not modified)\n${paths.join("\n") || "- none"}\n`,
    `## Summary\n${dryRunMark} ${title}.${cited === "" ? "" : ` Among them ${cited}.`} ` +
      "Whether that has to do with the question, only an agent or a person can say.\n",
    `## How I looked\nEach line that matches \`${pattern}\`, outside hidden folders and node_modules.\n`,
  ].join("\n");
  return { title, text };
}
