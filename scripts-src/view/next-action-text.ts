import { relative } from "node:path";
import type { Colleague, NextAction } from "../app/next-action.ts";
import { escapeControls, inline } from "../core/json.ts";
import type { Move } from "../core/protocol.ts";
import { quoteMessage } from "./quotation.ts";

/** The exact command lines that a participant can run next. */
export interface Commands {
  run(move: Move): string;
  readonly wait: string;
  readonly report: string;
}

/** `next-action` in plain text, made for a model: where we are, what was said, what is owed, what to run. */
export function nextActionText(next: NextAction, commands: Commands, nonce: string): string {
  const { guidance } = next;
  return [
    ...guidance.standing.map(escapeControls),
    ...(next.documentsIn === undefined ? [] : [`documents: in ${pathText(next.documentsIn)}`]),
    ...colleaguesText(next),
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

/** As short as it can be from where the reader is. */
function pathText(path: string): string {
  const near = relative(process.cwd(), path);
  return escapeControls(near.startsWith("..") ? path : near || ".");
}

/** Of many colleagues only those who hold everybody up are worth a line. */
const colleaguesShownMax = 4;

function colleaguesText({ colleagues, standing }: NextAction): string[] {
  const few = colleagues.length <= colleaguesShownMax;
  return colleagues
    .filter(({ name }) => few || standing.waitingFor.includes(name))
    .map((it) => `colleague ${escapeControls(it.name)}: ${presenceText(it)}`);
}

function presenceText({ presence, silentSeconds }: Colleague): string {
  if (presence.present) return `waiting for you (heartbeat ${presence.secondsAgo} s ago)`;
  if (silentSeconds !== undefined) {
    return `has the turn and gave no sign for ${Math.round(silentSeconds / 60)} min: it may have vanished`;
  }
  if (presence.secondsAgo === undefined) return "not waiting (working, or not started)";
  return `not waiting (last seen ${presence.secondsAgo} s ago)`;
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

function whatToRun(next: NextAction, commands: Commands): string[] {
  const { guidance, colleagues, place } = next;
  const { moves } = guidance;
  if (guidance.turn === "ended") {
    return [
      ...possible("possible", moves, commands),
      "next: show the user the report:",
      commands.report,
    ];
  }
  if (guidance.turn === "theirs") {
    const gone = colleagues.some(({ presence }) => !presence.present);
    const advice = gone ? absenceAdvice(place.config.fallback_mode) : [];
    return [...advice, ...possible("possible", moves, commands), "next:", commands.wait];
  }
  const [first, ...others] = moves;
  const next1 =
    first === undefined ? [] : [`next: ${first.purpose}:`, ...moveText(first, commands)];
  return [...next1, ...possible("or else", others, commands)];
}

function possible(word: string, moves: readonly Move[], commands: Commands): string[] {
  return moves.flatMap((move) => [`${word}: ${move.purpose}:`, ...moveText(move, commands)]);
}

function moveText(move: Move, commands: Commands): string[] {
  const { options, input } = move;
  const line = commands.run(move);
  const [name] = Object.entries(options).find(([, value]) => value === "-") ?? [];
  if (name === undefined || input === undefined) return [line];
  const text = typeof input === "string" ? input.trimEnd() : JSON.stringify(input);
  const lines = text.split(/\r?\n/);
  let word = name.toUpperCase();
  while (lines.includes(word)) word += "_END";
  // Not indented: a shell wants the closing word at the start of its line.
  return [`${line} <<'${word}'`, escapeControls(text), word];
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
