import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { oneLine } from "../base/visible-text.ts";
import { commandOf, findProgram } from "../clis/find-program.ts";
import { runLimits } from "../clis/run-limits.ts";
import { runProcess } from "../clis/run-process.ts";
import { readNotify } from "../clis/user-settings.ts";
import { createFileExclusively, writeFileAtomically } from "../files/atomic-file.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { systemClock } from "../script/clock.ts";
import { newsForPerson } from "./news-for-person.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import { standingOf } from "./session.ts";

const timeoutMs = 10_000;

/** What came of a call: that it was made, or why not. */
export type NotifyCall = { readonly told: true } | { readonly told: false; readonly why: string };

/**
 * Runs the person's own command on what a session has come to, once for each event that brought news,
 * however many processes ask for it. The text is an argument; no shell sees it.
 * @throws ConsultaError REFUSED for wrong settings; UNAVAILABLE when the command fails.
 */
export async function notifyOf(place: Place, seq: number): Promise<NotifyCall> {
  const argv = await readNotify(process.env);
  if (argv.length === 0) return { told: false, why: "no notify in ~/.consulta/config.yaml" };
  if (!isCreatedLocally(place.folder))
    return { told: false, why: `${place.id} was not begun here` };
  const standing = standingOf(await openSession(place));
  const news = newsForPerson(standing.id, standing);
  if (news === undefined) return { told: false, why: `${place.id} is open and asks you nothing` };
  const mark = join(place.folder, `.notified-${seq}`);
  if (!createFileExclusively(mark, "", { sync: "nothing" }))
    return { told: false, why: `you were called about seq ${seq} of ${place.id} already` };
  await runNotify(argv, news.title, news.text, place.workspace?.project);
  return { told: true };
}

/** @throws ConsultaError UNAVAILABLE when the command cannot be run, or fails. */
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
  const reason = end.unstarted ?? stopText(end.stopped) ?? exitText(end.exitCode, end.stderr);
  if (reason !== undefined) throw failed(name, reason);
}

function stopText(stopped: string | undefined): string | undefined {
  return stopped === undefined ? undefined : `it did not end within ${timeoutMs / 1_000} s`;
}

function exitText(exitCode: number, stderr: string): string | undefined {
  if (exitCode === 0) return undefined;
  return `it ended with exit code ${exitCode}: ${oneLine(stderr).slice(-200)}`;
}

function failed(name: string, reason: string): ConsultaError {
  const where = "notify of ~/.consulta/config.yaml";
  return new ConsultaError("UNAVAILABLE", `${where} runs ${JSON.stringify(name)}: ${reason}`);
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
