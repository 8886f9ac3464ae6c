import { refused } from "../base/errors.ts";
import { parseParticipant, parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { addToJournal, readJournal, summaryHeading } from "../notes/journal.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { openSession } from "../session/open.ts";
import { placeIn } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { common, participantOf, workspaceOf } from "../session/session-options.ts";
import { frameNonce, quoteText } from "../session/text/quotation.ts";
import { keepUntracked, type Workspace } from "../session/workspace/workspace.ts";

const spec: ScriptSpec = {
  name: "journal",
  summary: "Note how working with the peer of a session went, or print those notes.",
  options: [
    { flags: "--session <id>", text: "the session that the notes are about" },
    { flags: "--colleague <name>", text: "instead of --session: print all notes about this one" },
    common.participant,
    { flags: "--positive <text>", text: "what went well" },
    { flags: "--negative <text>", text: "what went badly" },
    { flags: "--notes <text>", text: "what to do otherwise next time" },
    common.workspace,
  ],
  notes: ["Without --positive, --negative and --notes it prints the journal."],
};

runInProject(spec, async (args) => {
  const workspace = workspaceOf(args);
  const participant = participantOf(args);
  const given = notesIn(args);
  const session = args.one("session");
  if (session === undefined) {
    if (given === undefined) return printJournal(workspace, participant, colleagueIn(args));
    throw refused("notes are about a session: give --session ID");
  }
  const { colleague, topic } = await sessionWith(workspace, parseSessionId(session), participant);
  if (given === undefined) return printJournal(workspace, participant, colleague);
  const date = systemClock.now().slice(0, 10);
  const entry = { session, date, topic, ...given };
  await keepUntracked(workspace.root);
  const { path, summaryDue } = addToJournal(workspace, participant, colleague, entry);
  printLines(`noted in ${path}`);
  if (summaryDue)
    printLines(`three entries or more: add a section "${summaryHeading}" at the end of that file`);
  return undefined;
});

function notesIn(args: Arguments) {
  const [positive, negative, notes] = ["positive", "negative", "notes"].map((name) =>
    args.one(name),
  );
  if (!positive && !negative && !notes) return undefined;
  return { positive: positive ?? "", negative: negative ?? "", notes: notes ?? "" };
}

function colleagueIn(args: Arguments): string {
  const colleague = args.one("colleague");
  if (colleague !== undefined) return parseParticipant(colleague);
  throw refused(
    "whose journal? give --colleague NAME to print all about that peer, or --session ID",
  );
}

async function sessionWith(workspace: Workspace, id: string, participant: string) {
  const { participants, topic } = standingOf(await openSession(placeIn(workspace, id)));
  const colleague = participants.find((name) => name !== participant);
  if (colleague !== undefined && participants.includes(participant)) return { colleague, topic };
  const hint = nameHint(participant, participants, "its participants are");
  throw refused(`${participant} is not in session ${id}; ${hint}`);
}

function printJournal(workspace: Workspace, participant: string, colleague: string): undefined {
  const journal = readJournal(workspace, participant, colleague);
  if (journal === "") printLines(`no notes about ${colleague} yet`);
  else print(quoteText(`journal of ${participant} about ${colleague}`, journal, frameNonce()));
}
