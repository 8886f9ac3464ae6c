import { dirname, join } from "node:path";
import { type ConsultaError, unavailable } from "../base/errors.ts";
import { oneLine } from "../base/visible-text.ts";
import { commandOf, findProgram } from "../clis/find-program.ts";
import { shortLine } from "../clis/output-line.ts";
import { runLimits } from "../clis/run-limits.ts";
import { failureOf, runProcess, startAlone } from "../clis/run-process.ts";
import { readNotify } from "../clis/user-settings.ts";
import { createFileExclusively, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, orNothing } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { systemClock } from "../script/clock.ts";
import { programOf } from "../script/command-line.ts";
import { needText } from "./person-words.ts";
import type { Place } from "./place.ts";
import type { NamedStatus } from "./session.ts";
import { mayHaveOwn } from "./workspace/workspace.ts";

/**
 * Calls the person about what an event has brought, in a process of its own that nobody waits for: a session
 * waits for them, or it has ended. Where the person has no `notify` nothing is started; whatever fails here,
 * the event stands.
 */
export function callPerson(place: Place, after: SessionStatus, before?: SessionStatus): void {
  const waits = after.needsPerson !== undefined && before?.needsPerson === undefined;
  if (!waits && (before?.ended === true || !after.ended)) return;
  const [script = "", ...more] = programOf(dirname(process.argv[1] ?? "."), "notify");
  if (orNothing(() => mayHaveOwn("notify")) !== true || !existsSync(script)) return;
  const words = [script, ...more, "--folder", place.folder, "--seq", String(after.seq)];
  startAlone(words, dirname(place.folder));
}

/** What the person is told, on two lines; undefined where there is nothing to call them for. */
export function newsForPerson({
  id,
  needsPerson,
  ended,
  phase,
  verdict,
  topic,
}: NamedStatus): { readonly title: string; readonly text: string } | undefined {
  if (needsPerson !== undefined)
    return { title: plain(`Consulta: ${id} waits for you`), text: plain(needText(needsPerson)) };
  if (!ended) return undefined;
  const text = [verdict ?? phase, topic].filter((part) => part !== "").join("; ");
  return { title: plain(`Consulta: ${id} has ended`), text: plain(text) };
}

const newsCharacters = 240;

/** One short line that no desktop takes for markup. */
function plain(text: string): string {
  return shortLine(text.replace(/[<>&]/g, " "), newsCharacters);
}

/**
 * Runs the person's own command on what a session has come to, once for each event that brought news,
 * however many processes ask for it. Returns why not, where it does not.
 * @throws ConsultaError REFUSED for wrong settings; UNAVAILABLE when the command fails.
 */
export async function notifyOf(
  { folder, workspace }: Place,
  standing: NamedStatus,
  seq: number,
): Promise<string | undefined> {
  const argv = await readNotify(process.env);
  if (argv.length === 0) return "no notify in ~/.consulta/config.yaml";
  if (!isCreatedLocally(folder)) return `${standing.id} was not begun here`;
  const news = newsForPerson(standing);
  if (news === undefined) return `${standing.id} is open and asks you nothing`;
  if (!createFileExclusively(join(folder, `.notified-${seq}`), "", { sync: "nothing" }))
    return `you were called about seq ${seq} of ${standing.id} already`;
  await runNotify(argv, news.title, news.text, workspace?.project);
  return undefined;
}

const timeoutMs = 10_000;

/**
 * The texts are arguments; no shell sees them.
 * @throws ConsultaError UNAVAILABLE when the command cannot be run, or fails.
 */
export async function runNotify(
  argv: readonly string[],
  title: string,
  text: string,
  project = process.cwd(),
): Promise<void> {
  const [name = "", ...words] = withTexts(argv, title, text);
  const program = findProgram(name, process.env, project);
  if (program === undefined) throw failed(name, "there is no such program on PATH");
  const environment = process.env;
  const request = { ...commandOf(program, words), folder: homeFolder(), environment, input: "" };
  const bounds = { ...runLimits, killAfterMs: 0 };
  const end = await runProcess({ ...request, timeoutMs, bounds }, new AbortController().signal);
  if (end.stopped === "timeout") throw failed(name, `it did not end within ${timeoutMs / 1_000} s`);
  const failure = failureOf(end, bounds);
  if (failure !== undefined) throw failed(name, `it ${failure}`);
}

function failed(name: string, reason: string): ConsultaError {
  const where = "notify of ~/.consulta/config.yaml";
  return unavailable(`${where} runs ${JSON.stringify(name)}: ${reason}`);
}

/** Where the words have places for the texts they stand there, else at the end. */
function withTexts(argv: readonly string[], title: string, text: string): string[] {
  const fill = (word: string) =>
    word.replaceAll("{title}", () => title).replaceAll("{text}", () => text);
  const [program = "", ...words] = argv;
  const filled = words.map(fill);
  const hasPlaces = filled.some((word, index) => word !== words[index]);
  return [program, ...filled, ...(hasPlaces ? [] : [title, text])];
}

/** Keeps why the last call failed, for `doctor`. */
export function keepFailure(cause: ConsultaError): void {
  const folder = ensureFolder(homeFolder(), ".consulta", "errors");
  const line = `${systemClock.now()} notify: ${oneLine(cause.message).slice(0, 500)}\n`;
  writeFileAtomically(join(folder, "notify.txt"), line, { sync: "nothing" });
}
