import { dirname, join, resolve } from "node:path";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { isSafeName } from "../base/names.ts";
import { durationText } from "../base/time.ts";
import { shownName, unnamedPeer } from "../protocol/protocol.ts";
import { commandLine, pathFromHere, readerHere, type Word } from "../script/command-line.ts";
import { standingOf } from "../session/session.ts";
import { findWorkspace } from "../session/workspace/workspace.ts";
import type { Role } from "./roles.ts";
import type { WakeReason } from "./rules/wake-policy.ts";

/**
 * The lines that hooks put before a model. They hold nothing that a colleague wrote: the session by
 * its id, participants by names that fit the grammar, and commands to run.
 */

/** Why the hook rings, and what to do about it. */
export function wakeLine(bell: WakeReason | "refused", part: Role, waitedMs: number): string {
  return `Consulta: ${texts[bell](part, waitedMs)}`;
}

const texts: Record<WakeReason | "refused", (part: Role, waitedMs: number) => string> = {
  turn: (part) => `you have the turn in ${labelOf(part)}. Run: ${nextLine(part)}`,
  "last turn": (part) =>
    `you still have the turn in ${labelOf(part)}. ${silence} Run: ${nextLine(part)}`,
  ended: (part) =>
    `${labelOf(part)} has ended. Show the user the report: ${lineFor(part, "report")}`,
  gone: (part) =>
    `${waitedFor(part)} in ${labelOf(part)}, and ${possessive(part)} CLI has ended. ${wayOut(part)} ${comeback}`,
  silent: (part) =>
    `${waitedFor(part)} in ${labelOf(part)} and gave no sign for a while. ${wayOut(part)} ${comeback}`,
  limit: (part, waitedMs) =>
    `${waitedFor(part)} in ${labelOf(part)}, and ${part.participant} has waited for ` +
    `${durationText(Math.round(waitedMs / 1_000))}. ${wayOut(part)} ${patience}`,
  refused: ({ session: { place }, participant, refused }) =>
    `mail for ${namesOf([participant])} was rejected (${refused}) and not entered. It is in ` +
    `${shellWord(pathFromHere(join(place.workspace?.root ?? place.folder, "errors")))}, the reason ` +
    "beside it: tell the user, and whoever sent it to send it anew.",
};

const silence = "This will not ring again until something changes there.";
const patience = "Once something has changed there, your next stop waits again.";
const comeback = "End your turn then: the wait goes on, and you are woken when the answer comes.";

/** That something waits for the participant, in one line. */
export function letterLine(part: Role): string {
  const { waitingFor } = standingOf(part.session);
  const what = waitingFor.includes(part.participant) ? "you have the turn" : "mail waits for you";
  return `Consulta: ${what} in ${labelOf(part)}. Run: ${nextLine(part)}`;
}

/** Where an open session stands, in one line. */
export function sessionLine(part: Role, obligations: number): string {
  const standing = standingOf(part.session);
  const { kind, waitingFor, paused } = standing;
  const isMine = waitingFor.includes(part.participant);
  const shown = namesOf(waitingFor.map((it) => shownName(standing, it)));
  const awaited = paused === undefined ? shown : "the user, who has paused it";
  const turn = isMine ? "your turn" : `waiting for ${awaited}`;
  const owed = obligations === 0 ? "" : `, ${obligations} to do`;
  return `${labelOf(part)} (${kind}): ${turn}${owed}. Run: ${nextLine(part)}`;
}

/** As many lines as a model is to be given, and how many those are; the rest is counted. */
export function fewLines(
  lines: readonly string[],
  scripts: string,
): { readonly text: string; readonly shown: number } {
  const all = lines.join("\n");
  if (lines.length <= limits.hookLines && all.length <= limits.hookCharacters)
    return { text: all, shown: lines.length };
  const status = commandLine("status", {}, [], readerHere(scripts));
  for (let count = limits.hookLines - 1; count >= 0; count -= 1) {
    const rest = `and ${lines.length - count} more: ${status}`;
    const text = [...lines.slice(0, count), rest].join("\n");
    if (text.length <= limits.hookCharacters) return { text, shown: count };
  }
  return { text: "", shown: 0 };
}

function waitedFor(part: Role): string {
  const others = othersWithTurn(part);
  return `${namesOf(others)} ${others.length > 1 ? "have" : "has"} the turn`;
}

function possessive(part: Role): string {
  return othersWithTurn(part).length > 1 ? "each one's" : "its";
}

function othersWithTurn({ session, participant }: Role): string[] {
  return standingOf(session).waitingFor.filter((name) => name !== participant);
}

/** Others may have chosen names that read like words to the model. */
function namesOf(names: readonly string[]): string {
  return names.length <= namesMax && names.every((it) => it === unnamedPeer || isSafeName(it))
    ? names.join(" and ")
    : names.length === 1
      ? unnamedPeer
      : `${names.length} peers`;
}

const namesMax = 4;

function wayOut(part: Role): string {
  const { wayOut: alone } = part.session.kind.traits;
  return (
    "Tell the user, who can open the peer's CLI or let you run it headless: " +
    `${lineFor(part, "consult")}${alone === undefined ? "" : `; or ${alone}`}.`
  );
}

function labelOf({ session }: Role): string {
  const { id } = session.place;
  return isSafeName(id) ? `session ${id}` : `the session in ${shellWord(pathFromHere(id))}`;
}

function nextLine(part: Role): string {
  return lineFor(part, "next-action", { participant: part.participant });
}

function lineFor(part: Role, script: string, more: Record<string, string> = {}): string {
  const { place } = part.session;
  const scripts = part.seat?.scripts ?? ownScripts;
  const where =
    place.workspace === undefined
      ? { folder: { path: place.folder } }
      : { workspace: outside(place.workspace.project), session: place.id };
  return commandLine(script, { ...where, ...more }, [], readerHere(scripts));
}

/** The workspace has to be named only where it is not the one that scripts find from here. */
function outside(path: string): Word | undefined {
  try {
    return findWorkspace(process.cwd()).project === path ? undefined : { path };
  } catch {
    return { path };
  }
}

export const ownScripts = resolve(dirname(process.argv[1] ?? "."));
