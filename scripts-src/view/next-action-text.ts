import type { NextAction } from "../app/next-action.ts";
import { escapeControls, inline } from "../core/json.ts";
import { quoteMessage } from "./quotation.ts";

/** The exact command lines that a participant can run next. */
export interface Commands {
  readonly send: string;
  readonly wait: string;
  readonly report: string;
}

/** `next-action` in plain text, made for a model: where we are, what was said, what is owed, what to run. */
export function nextActionText(next: NextAction, commands: Commands, nonce: string): string {
  const { guidance, standing } = next;
  const whose = {
    yours: "YOUR TURN",
    theirs: `waiting for ${standing.waitingFor.join(" and ")}`,
    ended: "ENDED",
  };
  return [
    `session ${standing.id}: ${whose[guidance.turn]}`,
    ...guidance.standing.map(escapeControls),
    ...next.colleagues.map(({ name, presence }) => `colleague ${name}: ${presenceText(presence)}`),
    ...next.rejected.map(
      ({ file, reason }) => `refused mail, now in errors/: ${inline(file)}: ${inline(reason)}`,
    ),
    ...receivedText(next, nonce),
    ...guidance.obligations.map((line) => `you owe: ${escapeControls(line)}`),
    ...guidance.advice.map(escapeControls),
    ...whatToRun(next, commands),
    "",
  ].join("\n");
}

function presenceText(presence: { present: boolean; secondsAgo: number | undefined }): string {
  if (presence.present) return `waiting for you (heartbeat ${presence.secondsAgo} s ago)`;
  if (presence.secondsAgo === undefined) return "not waiting (working, or not started)";
  return `not waiting (last heartbeat ${presence.secondsAgo} s ago)`;
}

function receivedText({ letters, guidance }: NextAction, nonce: string): string[] {
  const earlier = guidance.receivedEarlier;
  return [
    ...(earlier > 0 ? [`${earlier} earlier unanswered messages lie in .consulta/archive`] : []),
    ...letters.map(({ delivery, path, message }) =>
      quoteMessage({ seq: delivery.seq, from: delivery.from, path, nonce }, message),
    ),
  ];
}

function whatToRun({ guidance, colleagues, workspace }: NextAction, commands: Commands): string[] {
  if (guidance.turn === "ended") return ["next: show the user the report:", commands.report];
  if (guidance.turn === "theirs") {
    const gone = colleagues.some(({ presence }) => !presence.present);
    return [...(gone ? absenceAdvice(workspace.config.fallback_mode) : []), "next:", commands.wait];
  }
  return [
    "next: fill this in (add any other field of PROTOCOL.md, leave the rest out) and send it:",
    // Not indented: a shell wants the closing word at the start of its line.
    `${commands.send} <<'MESSAGE'`,
    escapeControls(JSON.stringify(guidance.draft)),
    "MESSAGE",
  ];
}

/** What to do about a colleague that does not wait, as `fallback_mode` has it. */
function absenceAdvice(fallback: "ask_user" | "headless" | "wait"): string[] {
  switch (fallback) {
    case "ask_user":
      return [
        "If nobody answers: ask the user to open the colleague's CLI here, or to let you run it headless.",
      ];
    case "headless":
      return [
        "If nobody answers: run the colleague headless with consult --session (fallback_mode is headless).",
      ];
    case "wait":
      return [];
  }
}
