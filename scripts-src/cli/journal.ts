import { addToJournal, readJournal } from "../app/journal.ts";
import { placeIn } from "../app/place.ts";
import { loadSession } from "../app/session.ts";
import { ConsultaError } from "../core/errors.ts";
import { escapeControls } from "../core/json.ts";
import { parseSessionId } from "../core/names.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import { participantOf, participantOption, workspaceOf, workspaceOption } from "../host/context.ts";
import { say } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "journal",
  summary: "Note how working with the colleague of a session went, or print those notes.",
  options: [
    { flags: "--session <id>", text: "the session that the notes are about", required: true },
    participantOption,
    { flags: "--positive <text>", text: "what went well" },
    { flags: "--negative <text>", text: "what went badly" },
    { flags: "--notes <text>", text: "what to do otherwise next time" },
    workspaceOption,
  ],
  notes: ["Without --positive, --negative and --notes it prints the journal."],
};

runScript(spec, async (args) => {
  const workspace = workspaceOf(args);
  const participant = participantOf(args);
  const session = parseSessionId(args.required("session"));
  const { participants, topic } = (
    await loadSession(placeIn(workspace, session))
  ).machine.standing();
  const colleague = participants.find((name) => name !== participant);
  if (colleague === undefined || !participants.includes(participant)) {
    throw new ConsultaError("REFUSED", `${participant} is not in session ${session}`);
  }
  const [positive, negative, notes] = ["positive", "negative", "notes"].map(
    (name) => args.one(name) ?? "",
  );
  if (!positive && !negative && !notes) {
    const journal = readJournal(workspace, participant, colleague);
    say(journal === "" ? `no notes about ${colleague} yet\n` : escapeControls(journal));
    return undefined;
  }
  const date = systemClock.now().slice(0, 10);
  const entry = {
    session,
    date,
    topic,
    positive: positive ?? "",
    negative: negative ?? "",
    notes: notes ?? "",
  };
  const { path, summaryDue } = addToJournal(workspace, participant, colleague, entry);
  say(`noted in ${path}\n`);
  if (summaryDue)
    say('three entries or more: add a section "## General observations" at the end of that file\n');
  return undefined;
});
