import { refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printLines } from "../script/output.ts";
import { readInput } from "../script/read-input.ts";
import { type StepIn, type SteppedIn, stepIn, verbs } from "../session/person-steps.ts";
import { pausedText } from "../session/person-words.ts";
import type { Place } from "../session/place.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { lineFor } from "../session/session-commands.ts";
import { common } from "../session/session-options.ts";
import { folderAsked, onlyPlaceThat } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "step-in",
  summary: "Step into a session as its user: say something, answer, decide, pause, resume, end it.",
  positionals: ["<say|answer|decide|pause|resume|end>", "[text]"],
  options: [
    {
      flags: "--session <id>",
      text: "the session (default: the only open one; of answer and decide the only one that waits for you)",
    },
    common.folder,
    { flags: "--to <name>", text: "say: only to this participant (default: to all)" },
    {
      flags: "--key <word>",
      text: "names this step: the same one with the same key, come again, acts once",
    },
    common.workspace,
    common.json,
  ],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. It waits for you as long as you like.",
    "say TEXT: next-action puts it before them at their next turn, as your word. answer TEXT: what a side asked",
    "you (needs_user); the session goes on. decide TEXT: closes what was escalated or recommended. pause [WHY]:",
    "no further turn is given; who has the turn may end it, a CLI cannot be stopped in it. end WHY: without a result.",
    "A TEXT - is read from standard input.",
    "Example: step-in say --to claude 'Keep the public API as it is.'",
  ],
};

runInProject(spec, async (args) => {
  await refuseBelowCli("step-in speaks for the user");
  const step = readStep(args);
  const place = folderAsked(args) ?? (await placeFor(args, step));
  const done = await stepIn(place, step, systemClock);
  if (args.has("json")) {
    const { seq, repeated, isAside, standing } = done;
    const { paused, needsPerson, phase } = standing;
    print(
      `${JSON.stringify({ session: place.id, verb: step.verb, seq, repeated, aside: isAside, phase, paused, needsPerson })}\n`,
    );
  } else printLines(...tell(args, step, done));
  return undefined;
});

function readStep(args: Arguments): StepIn {
  const [word = "", given] = args.positionals;
  const verb = verbs.find((it) => it === word);
  if (verb === undefined) throw refused(`${quote(word)} is no step; ${nameHint(word, verbs)}`);
  const [key, to] = [args.one("key"), args.one("to")];
  if (to !== undefined && verb !== "say") throw refused(`--to is for say; leave it out of ${verb}`);
  const text = given === "-" ? readInput("-", limits.messageBytes) : given;
  if (verb === "resume" && text !== undefined)
    throw refused(`resume takes no text; tell them with: say ${quote(text)}`);
  if (text === undefined && verb !== "resume" && verb !== "pause")
    throw refused(`${verb} needs its text: step-in ${verb} 'TEXT'`);
  return { verb, text, to, key };
}

function placeFor(args: Arguments, { verb }: StepIn): Promise<Place> {
  return verb === "answer" || verb === "decide"
    ? onlyPlaceThat(args, "waits for the person", verb)
    : onlyPlaceThat(args, "open", verb === "say" ? "say it to" : verb);
}

const did: Record<StepIn["verb"], string> = {
  say: "said in",
  answer: "answered in",
  decide: "decided",
  judge: "judged",
  pause: "paused",
  resume: "resumed",
  end: "ended",
};

function tell(args: Arguments, step: StepIn, done: SteppedIn): string[] {
  const { place, seq, repeated, standing } = done;
  const { paused, waitingFor, ended } = standing;
  const head = `${repeated ? "known already: " : ""}${did[step.verb]} ${place.id} (seq ${seq})`;
  if (ended && standing.hasTurns) return [head, "its report:", lineFor(args, "report", place)];
  if (paused !== undefined)
    return [head, pausedText(paused), `to go on: ${lineFor(args, "step-in", place)} resume`];
  const turn = waitingFor.length === 0 ? [] : [`has the turn: ${waitingFor.join(" and ")}`];
  const when = step.verb === "say" ? ["they are told at their next turn"] : [];
  return [head, ...when, ...turn];
}
