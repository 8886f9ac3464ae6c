import { isRecord, isStringArray, type JsonObject } from "../../base/json.ts";
import { lastLine } from "../../clis/short-line.ts";
import { markRehearsed } from "../../session/past/rehearsed.ts";
import { chooseMove } from "./choose-move.ts";
import { readDesk } from "./collaboration/desk.ts";
import { takePart } from "./collaboration/take-part.ts";
import { shareFindings } from "./findings/share-findings.ts";
import { remark } from "./moves.ts";
import {
  atWitsEnd,
  projectOf,
  type RehearsalTurn,
  runCheck,
  runSibling,
  type ScriptEnd,
} from "./run-sibling.ts";
import { readScene } from "./scene.ts";

/** The others may be faster while this one thinks: then it looks again and decides anew. */
const triesMax = 4;

/**
 * Takes one turn as a scripted colleague, through the real scripts as processes of their own:
 * asks `next-action`, sends what it owes with `append-event`, on a board with `post` and `ready`.
 * Gives what it did in one line.
 * @throws ConsultaError REFUSED when what it sends is refused again and again.
 */
export async function takeRehearsalTurn(turn: RehearsalTurn): Promise<string> {
  markRehearsed(turn.place.folder);
  let refusal = "";
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const act = await chooseAct(turn, tries === triesMax);
    if (act === undefined) return `${turn.participant} does not have the turn`;
    const { exitCode, stderr } = await act.send();
    if (exitCode === 0) return `${turn.participant} sent ${act.name}`;
    refusal = lastLine(stderr);
  }
  throw atWitsEnd(refusal);
}

interface Act {
  readonly name: string;
  send(): Promise<ScriptEnd>;
}

/** What the colleague does now; undefined when it is not its turn. */
async function chooseAct(turn: RehearsalTurn, isLastTry: boolean): Promise<Act | undefined> {
  const next = await afterChecks(turn, await askNext(turn));
  const standing = isRecord(next) ? next["standing"] : undefined;
  if (isRecord(standing) && standing["kind"] === "collaboration") {
    const desk = readDesk(next, turn);
    return desk && takePart(desk, turn, async () => readDesk(await askNext(turn), turn));
  }
  if (isRecord(standing) && standing["kind"] === "findings") return shareFindings(next, turn);
  if (isRecord(standing) && standing["unconfirmedBy"] === turn.participant) {
    return messageAct(turn, { ...confirmation });
  }
  const scene = readScene(next, turn.participant, projectOf(turn));
  if (scene === undefined) return undefined;
  // The last try says as little as possible: what is owed, and nothing clever.
  return messageAct(turn, isLastTry ? remark(scene) : chooseMove(scene));
}

/** To a text that a peer by hand closed with. */
const confirmation: JsonObject = {
  type: "AGREE",
  question_or_proposal: { content: "That is what lay on the table." },
  confidence: 0.95,
};

/** Looks at every claim that it owes a look, by the real script. */
async function afterChecks(turn: RehearsalTurn, next: unknown): Promise<unknown> {
  const guidance = isRecord(next) ? next["guidance"] : undefined;
  const owed = isRecord(guidance) && isStringArray(guidance["toCheck"]) ? guidance["toCheck"] : [];
  const drafted = JSON.stringify(isRecord(guidance) ? guidance["moves"] : []);
  const claims = owed.filter((claim) => !drafted.includes(`"claim":"${claim}"`));
  if (claims.length === 0) return next;
  for (const claim of claims) await runCheck(turn, claim);
  return askNext(turn);
}

function messageAct(turn: RehearsalTurn, message: JsonObject): Act {
  const text = JSON.stringify(message);
  const send = () => runSibling(turn, "append-event", ["--message", "-"], text);
  return { name: String(message["type"]), send };
}

async function askNext(turn: RehearsalTurn): Promise<unknown> {
  const { exitCode, stdout, stderr } = await runSibling(turn, "next-action", ["--json"], "");
  if (exitCode === 0) return JSON.parse(stdout);
  throw atWitsEnd(lastLine(stderr));
}
