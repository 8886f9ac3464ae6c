import { ConsultaError, refused } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { appendTo } from "../session/append-event.ts";
import { openSession } from "../session/open.ts";
import { readDraft, runInProject } from "../session/run-in-project.ts";
import { type Session, standingOf } from "../session/session.ts";
import { commandsFor } from "../session/session-commands.ts";
import { common, participantOf, sessionOptions } from "../session/session-options.ts";
import { discardDraft, parseDraftText } from "../session/text/draft-files.ts";
import { whileTheyAct } from "../session/text/next-action-text.ts";
import { placeOf } from "../session/which-session.ts";
import { isWokenByHook, registerCli } from "../wake/register-cli.ts";

const spec: ScriptSpec = {
  name: "append-event",
  summary:
    "Check an event against the protocol, append it to the session's log and update the files derived from it.",
  options: [
    ...sessionOptions,
    {
      flags: "--message <file>",
      text: "dialogue: the message as JSON or YAML; - reads standard input",
    },
    { flags: "--event <name>", text: "collaboration: what happened; next-action names it" },
    { flags: "--summary <text>", text: "collaboration: one short sentence" },
    { flags: "--doc <path>", text: "collaboration: the document that it is about, in the folder" },
    { flags: "--reply-to <seq>", text: "collaboration: the event that it answers" },
    {
      flags: "--review <file>",
      text: "collaboration: your review; put into review.md under its heading",
    },
    { flags: "--role <role>", text: "schema 2: primary or supporting" },
    { flags: "--sha256 <hash>", text: "schema 2: of the frozen deliverable" },
    { flags: "--allow-extension", text: "unblocked in a folder that the original scripts began" },
    common.json,
  ],
  notes: [
    "A message needs type and question_or_proposal.content; next-action prints a draft to fill in.",
    "id, timestamp, round, from, to, expects_reply, context and the lists so far are filled in.",
    "Running the same command again after a crash is safe: a message is never sent twice, and an event",
    "already in the log is rejected, or known again where other machines have it. next-action prints the",
    "command for every event that is possible.",
  ],
};

runInProject(spec, async (args) => {
  const participant = participantOf(args);
  const place = await placeOf(args, participant);
  const fields = await fieldsOf(args);
  const opened = await openSession(place, { fetch: "must", changes: "enter", participant });
  const sent = appendTo(opened, participant, fields, systemClock);
  const { session, event, seq, repeated, remarks } = await sent.catch(async (cause) => {
    throw await withLineToWait(args, opened, participant, cause);
  });
  const standing = standingOf(session);
  if (event?.event === "position_sealed")
    discardDraft(place, participant, args.required("message"));
  await registerCli(place, participant, standing);
  const { phase, ended } = standing;
  if (args.has("json")) {
    print(`${JSON.stringify({ session: place.id, seq, repeated, remarks, phase, ended })}\n`);
    return undefined;
  }
  const { wait, report } = commandsFor(args, place, participant, standing);
  const isWoken = !ended && (await isWokenByHook(place, participant));
  printLines(
    repeated
      ? `already sent as seq ${seq}; nothing was added`
      : `appended seq ${seq}: ${event?.event}`,
    ...remarks.map((remark) => `note: ${remark}`),
  );
  // With --folder the output is the original's, to the line.
  (args.has("folder") ? printErrorLines : printLines)(
    `phase: ${phase}`,
    ...(ended ? ["next:", report] : whileTheyAct({ wait, isWoken })),
  );
  return undefined;
});

/** A refusal of what came out of turn says what to run instead. */
async function withLineToWait(
  args: Arguments,
  opened: Session,
  participant: string,
  cause: unknown,
) {
  if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") return cause;
  const { kind, state, place } = await openSession(opened);
  const standing = kind.standing(state);
  const { ended, waitingFor, participants } = standing;
  const isIn = kind.mail !== undefined && participants.includes(participant);
  if (!isIn || ended || waitingFor.includes(participant)) return cause;
  // Without turns it may write now all the same.
  if (kind.nextAction(state, participant, new Map()).moves.length > 0) return cause;
  const { wait } = commandsFor(args, place, participant, standing);
  return new ConsultaError(cause.code, `${cause.message}; wait for your turn: ${wait}`, { cause });
}

/** What was submitted, under the names of the options. */
async function fieldsOf(args: Arguments): Promise<JsonObject> {
  const fields: JsonObject = {};
  for (const name of ["event", "summary", "doc", "role", "sha256"]) {
    const value = args.one(name);
    if (value !== undefined) fields[name] = value;
  }
  const [message, review, reply] = ["message", "review", "reply-to"].map((name) => args.one(name));
  if (message !== undefined) {
    fields["message"] = await parseDraftText(await readDraft(message, limits.messageBytes));
  }
  if (review !== undefined) fields["review"] = await readDraft(review, limits.messageBytes);
  if (reply !== undefined) fields["reply_to"] = seqFrom(reply);
  if (args.has("allow-extension")) fields["allow_extension"] = true;
  return fields;
}

function seqFrom(text: string): number {
  if (/^\s*[+-]?\d{1,15}\s*$/.test(text)) return Number(text);
  throw refused(
    `--reply-to is ${JSON.stringify(text)}, expected the seq of an earlier event; next-action names it`,
  );
}
