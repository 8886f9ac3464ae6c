import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import type { ReportSection } from "../protocol/protocol.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import type { Message } from "./message.ts";
import { asPart, bullet, pointsSection, quoted } from "./report-formatting.ts";
import { isSamePosition } from "./stance.ts";
import { type DialogueState, otherThan } from "./state.ts";

export interface ToldMessage {
  seq: number;
  message: Message;
}

/** A sealed position stays sealed until both are in, or the session has ended. */
export function messagesOf(state: DialogueState, events: readonly LogEvent[]): ToldMessage[] {
  return events.flatMap((event) => {
    const known = parseDialogueEvent(event);
    if (known.event === "message_sent") return [{ seq: event.seq, message: known.message }];
    const opened = known.event === "position_sealed" && state.phase !== "sealing";
    const sealed = opened ? unseal(known.sealed, event.from)?.message : undefined;
    return sealed === undefined ? [] : [{ seq: event.seq, message: sealed }];
  });
}

/** The whole text that closed the session; undefined where it is too old to be told. */
export function solutionIn(
  said: readonly ToldMessage[],
  { seq }: { seq: number },
): string | undefined {
  return said.find((it) => it.seq === seq)?.message.question_or_proposal.content;
}

/** Every change of position with what caused it: a change without a cause would be suspect. */
export function revisionSection(
  state: DialogueState,
  name: string,
  said: ToldMessage[],
): ReportSection {
  const other = otherThan(state, name);
  const own = said.filter(({ message }) => message.from === name);
  const lines = own.flatMap(({ seq, message }) => [
    ...(message.progress ?? []).flatMap(({ kind, point }) =>
      kind === "accepted" ? [bullet(`accepted: ${point} (message ${seq})`)] : [],
    ),
    ...(message.resolved ?? []).map(({ point, because }) =>
      bullet(`settled: ${point}, because ${because} (message ${seq})`),
    ),
    ...(message.withdrawn ?? []).map(({ claim, because }) =>
      bullet(`withdrew claim ${claim}, because ${because} (message ${seq})`),
    ),
    ...(message.synthesis === undefined
      ? []
      : [bullet(`synthesis: ${message.synthesis} (message ${seq})`)]),
  ]);
  const nothing = state.outcome?.kind === "consensus" ? [] : [bullet("nothing")];
  return pointsSection(
    `What ${name} revised or accepted from ${other}`,
    lines.length > 0 ? lines : nothing,
  );
}

export function discardedLines({ message }: ToldMessage): string[] {
  return (message.tried_and_discarded ?? []).map(({ approach, reason }) =>
    bullet(`${approach}: ${reason}`),
  );
}

/** The newest messages in full, after how many there are before them. */
export function messageLines(said: ToldMessage[]): string[] {
  const questions = questionsIn(said);
  const newest = said.slice(-limits.reportMessages);
  const untold = said.length - newest.length;
  const more = untold > 0 ? [bullet(`${untold} before these, see the log`)] : [];
  return [...more, ...newest.flatMap((it) => messageInFull(it, questions))];
}

/** Every listed question by its id. */
function questionsIn(said: readonly ToldMessage[]): Map<string, string> {
  return new Map(
    said.flatMap(({ seq, message }) =>
      (message.question_or_proposal.specific_questions ?? []).map(
        (question, index): [string, string] => [`Q${seq}.${index + 1}`, question],
      ),
    ),
  );
}

function messageInFull(
  { seq, message }: ToldMessage,
  questions: ReadonlyMap<string, string>,
): string[] {
  const { from, type, confidence, position, question_or_proposal, synthesis } = message;
  const sure = confidence === undefined ? "" : ` (${confidence})`;
  const isTold = position === undefined || isSamePosition(position, synthesis ?? "");
  const stand = isTold ? "" : `, position: ${asPart(position)}`;
  const parts = [
    ...(message.answers ?? []).map(({ question = "", answer }) => {
      const asked = questions.get(question);
      return `answers ${question}${asked === undefined ? "" : ` (${asked})`}: ${answer}`;
    }),
    ...(message.objections ?? []).map((it) => `objects: ${it.point}, because ${it.because}`),
    ...(synthesis === undefined ? [] : [`synthesis: ${synthesis}`]),
  ];
  const inFull = [question_or_proposal.content, ...parts].map(cutText);
  return [
    bullet(`message ${seq}, ${from} ${type}${sure}${stand}`),
    ...inFull.flatMap((text) => ["", ...quoted(text)]),
    "",
  ];
}

function cutText(text: string): string {
  const max = limits.quoteCharacters;
  return text.length > max
    ? `${text.slice(0, max).toWellFormed()}... (the rest: see the log)`
    : text;
}
