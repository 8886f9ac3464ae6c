import { dirname, join, resolve } from "node:path";
import { limits } from "../base/limits.ts";
import { isSafeName } from "../base/names.ts";
import { shellWord } from "../base/quote-text.ts";
import { durationText } from "../base/time.ts";
import { shownName, unnamedPeer } from "../protocol/protocol.ts";
import { commandLine, pathFromHere, readerHere, type Word } from "../script/command-line.ts";
import { standingOf } from "../session/session.ts";
import { findWorkspace } from "../session/workspace/workspace.ts";
import type { Role } from "./roles.ts";
import type { WakeUp } from "./wait-for-wake.ts";

/**
 * The lines that hooks put before a model. They hold nothing that a colleague wrote: the session by
 * its id, participants by names that fit the grammar, and commands to run.
 */

/** Why the hook wakes its model, and what to do about it. */
export function wakeLine(wakeUp: Pick<WakeUp, "reason" | "role" | "waitedMs">): string {
  const { reason, role, waitedMs } = wakeUp;
  return `Consulta: ${texts[reason](role, waitedMs)}`;
}

const texts: Record<WakeUp["reason"], (role: Role, waitedMs: number) => string> = {
  turn: (role) => `you have the turn in ${labelOf(role)}. Run: ${nextLine(role)}`,
  "last turn": (role) =>
    `you still have the turn in ${labelOf(role)}. This will not ring again until something ` +
    `changes there. Run: ${nextLine(role)}`,
  ended: (role) =>
    `${labelOf(role)} has ended. Show the user the report: ${lineFor(role, "report")}`,
  gone: (role) => {
    const whose = othersWithTurn(role).length > 1 ? "each one's" : "its";
    return `${awaitedIn(role)}, and ${whose} CLI has ended. ${wayOut(role)} ${comeback}`;
  },
  silent: (role) => `${awaitedIn(role)} and gave no sign for a while. ${wayOut(role)} ${comeback}`,
  limit: (role, waitedMs) =>
    `${awaitedIn(role)}, and ${role.participant} has waited for ` +
    `${durationText(Math.round(waitedMs / 1_000))}. ${wayOut(role)} ` +
    "Once something has changed there, your next stop waits again.",
  refused: ({ session: { place }, participant, refused }) =>
    `mail for ${namesOf([participant])} was rejected (${refused}) and not entered. It is in ` +
    `${shellWord(pathFromHere(join(place.workspace?.root ?? place.folder, "errors")))}, the reason ` +
    "beside it: tell the user, and whoever sent it to send it anew.",
};

const comeback = "End your turn then: the wait goes on, and you are woken when the answer comes.";

/** That something waits for the participant, in one line. */
export function letterLine(role: Role): string {
  const { waitingFor } = standingOf(role.session);
  const what = waitingFor.includes(role.participant) ? "you have the turn" : "mail waits for you";
  return `Consulta: ${what} in ${labelOf(role)}. Run: ${nextLine(role)}`;
}

/** Where an open session stands, in one line. */
export function sessionLine(role: Role, obligations: number): string {
  const standing = standingOf(role.session);
  const { kind, waitingFor, paused } = standing;
  const shown = namesOf(waitingFor.map((it) => shownName(standing, it)));
  const awaited = paused === undefined ? shown : "the user, who has paused it";
  const isMine = waitingFor.includes(role.participant);
  const turn = isMine ? "your turn" : `waiting for ${awaited}`;
  const owed = obligations === 0 ? "" : `, ${obligations} to do`;
  return `${labelOf(role)} (${kind}): ${turn}${owed}. Run: ${nextLine(role)}`;
}

/** As many lines as a model is to be given, and how many those are; the rest is counted. */
export function fewLines(lines: readonly string[]): {
  readonly text: string;
  readonly shown: number;
} {
  const all = lines.join("\n");
  if (lines.length <= limits.hookLines && all.length <= limits.hookCharacters)
    return { text: all, shown: lines.length };
  const status = commandLine("status", {}, [], readerHere(ownScripts));
  for (let count = limits.hookLines - 1; count >= 0; count -= 1) {
    const rest = `and ${lines.length - count} more: ${status}`;
    const text = [...lines.slice(0, count), rest].join("\n");
    if (text.length <= limits.hookCharacters) return { text, shown: count };
  }
  return { text: "", shown: 0 };
}

function awaitedIn(role: Role): string {
  const others = othersWithTurn(role);
  return `${namesOf(others)} ${others.length > 1 ? "have" : "has"} the turn in ${labelOf(role)}`;
}

function othersWithTurn({ session, participant }: Role): string[] {
  return standingOf(session).waitingFor.filter((name) => name !== participant);
}

/** Others may have chosen names that read like words to the model. */
function namesOf(names: readonly string[]): string {
  const isPlain = names.every((it) => it === unnamedPeer || isSafeName(it));
  if (isPlain && names.length <= 4) return names.join(" and ");
  return names.length === 1 ? unnamedPeer : `${names.length} peers`;
}

function wayOut(role: Role): string {
  const { wayOut: alone } = role.session.kind.traits;
  return (
    "Tell the user, who can open the peer's CLI or let you run it headless: " +
    `${lineFor(role, "consult")}${alone === undefined ? "" : `; or ${alone}`}.`
  );
}

function labelOf({ session }: Role): string {
  const { id } = session.place;
  return isSafeName(id) ? `session ${id}` : `the session in ${shellWord(pathFromHere(id))}`;
}

function nextLine(role: Role): string {
  return lineFor(role, "next-action", { participant: role.participant });
}

function lineFor(role: Role, script: string, more: Record<string, string> = {}): string {
  const { folder, workspace, id } = role.session.place;
  const where =
    workspace === undefined
      ? { folder: { path: folder } }
      : { workspace: outside(workspace.project), session: id };
  return commandLine(
    script,
    { ...where, ...more },
    [],
    readerHere(role.seat?.scripts ?? ownScripts),
  );
}

/** The workspace has to be named only where it is not the one that scripts find from here. */
function outside(path: string): Word | undefined {
  try {
    return findWorkspace(process.cwd()).project === path ? undefined : { path };
  } catch {
    return { path };
  }
}

const ownScripts = resolve(dirname(process.argv[1] ?? "."));
