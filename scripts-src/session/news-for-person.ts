import { shortLine } from "../clis/output-line.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { needText } from "./text/person-text.ts";

/**
 * Two things are worth calling the person for, whatever agents write: a session waits for them, or it
 * has ended.
 */
export function isNewsForPerson(before: SessionStatus, after: SessionStatus): boolean {
  const waits = after.needsPerson !== undefined && before.needsPerson === undefined;
  return waits || (after.ended && !before.ended);
}

/** What the person is told, on two lines; undefined where there is nothing to call them for. */
export function newsForPerson(
  id: string,
  { needsPerson, ended, phase, verdict, topic }: SessionStatus,
): { readonly title: string; readonly text: string } | undefined {
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
