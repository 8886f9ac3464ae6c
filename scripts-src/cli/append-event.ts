import { parseDraftText } from "../app/draft-text.ts";
import { sendMessage } from "../app/send-message.ts";
import { limits } from "../core/limits.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  commandsFor,
  jsonOption,
  participantOf,
  participantOption,
  sessionOf,
  sessionOption,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { readInput, say } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "append-event",
  summary: "Check a message against the protocol, append it to the session's log and deliver it.",
  options: [
    sessionOption,
    participantOption,
    {
      flags: "--message <file>",
      text: "the message as JSON or YAML; - reads standard input",
      required: true,
    },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "A message needs type and question_or_proposal.content; next-action prints a draft to fill in.",
    "id, timestamp, round, from, to, expects_reply, context and the lists so far are filled in.",
    "Running the same command again after a crash is safe: a message is never sent twice.",
  ],
};

runScript(spec, async (args) => {
  const workspace = workspaceOf(args);
  const participant = participantOf(args);
  const id = await sessionOf(args, workspace, participant);
  const message = await parseDraftText(readInput(args.required("message"), limits.messageBytes));
  const { session, seq, repeated } = await sendMessage(
    workspace,
    id,
    participant,
    message,
    systemClock,
  );
  const { phase, ended } = session.machine.standing();
  if (args.has("json")) {
    say(`${JSON.stringify({ session: id, seq, repeated, phase, ended })}\n`);
    return undefined;
  }
  const { wait, report } = commandsFor(args, id, participant);
  const done = repeated
    ? `already sent as seq ${seq}; nothing was added`
    : `appended seq ${seq}: message_sent`;
  say(`${done}\nphase: ${phase}\nnext:\n${ended ? report : wait}\n`);
  return undefined;
});
