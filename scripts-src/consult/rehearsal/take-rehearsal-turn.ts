import { lastLine } from "../../clis/short-line.ts";
import { markRehearsed } from "../../session/past/rehearsed.ts";
import { rehearseCollaboration } from "./rehearse-collaboration.ts";
import { rehearseDialogue } from "./rehearse-dialogue.ts";
import { rehearseFindings } from "./rehearse-findings.ts";
import {
  type Act,
  askNext,
  atItsEnd,
  type PrintedNext,
  type RehearsalTurn,
} from "./scripted-peer.ts";

/** Others may act while this one decides: then it looks again. */
const triesMax = 4;

/** Chooses what to do now; undefined when it is not this participant's turn. */
type ScriptedPeer = (
  next: PrintedNext,
  turn: RehearsalTurn,
  isLastTry: boolean,
) => Promise<Act | undefined>;

const peers: Readonly<Record<string, ScriptedPeer>> = {
  dialogue: rehearseDialogue,
  collaboration: rehearseCollaboration,
  findings: rehearseFindings,
};

/**
 * Takes one turn as a scripted peer, through the real scripts as processes of their own: asks
 * `next-action`, and does what that wants. Returns what it did, in one line.
 * @throws ConsultaError REFUSED when what it sends is rejected again and again.
 */
export async function takeRehearsalTurn(turn: RehearsalTurn): Promise<string> {
  markRehearsed(turn.place.folder);
  let rejection = "";
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const next = await askNext(turn);
    const { kind } = next.standing;
    const peer = peers[kind];
    if (peer === undefined) throw atItsEnd(`it has no part in a ${kind} session`);
    const act = await peer(next, turn, tries === triesMax);
    if (act === undefined) return `${turn.participant} does not have the turn`;
    const { exitCode, stderr } = await act.send();
    if (exitCode === 0) return `${turn.participant} sent ${act.name}`;
    rejection = lastLine(stderr);
  }
  throw atItsEnd(rejection);
}
