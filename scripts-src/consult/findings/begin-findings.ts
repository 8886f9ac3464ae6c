import type { Clock } from "../../base/clock.ts";
import { ConsultaError, tryAgain } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { shortLine } from "../../clis/short-line.ts";
import { type BoardTerms, openBoard, parseTerms } from "../../findings/open-board.ts";
import { register } from "../../findings/register.ts";
import { parseAgentName } from "../../findings/rules/board-names.ts";
import { freePlace } from "../../session/open-session.ts";
import type { Place } from "../../session/place.ts";
import { loadSession } from "../../session/session.ts";
import type { Consultation, ConsultationRequest, WorkspaceSource } from "../consultation.ts";
import { type DriverPlace, makeDrivers } from "../make-drivers.ts";
import { newParticipants } from "../participants.ts";
import { keepQuestion } from "./findings-task.ts";

const participantRange = {
  max: limits.boardAgents,
  rule: `findings are shared by 2 to ${limits.boardAgents} different participants, one alone has nobody to share with`,
};

/**
 * Starts a board on a question: all participants are registered before the first one has its turn.
 * @throws ConsultaError REFUSED, UNAVAILABLE as `startConsultation` does.
 */
export async function beginFindings(
  question: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  machine: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const fault = questionFault(question) ?? optionFault(request);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
  const specs = newParticipants(request.participants, participantRange);
  const names = specs.map(({ name }) => parseAgentName(name));
  const seconds = Math.min(Math.ceil(request.timeLimitMs / 1_000), limits.boardTimeoutSecondsMax);
  const about = shortLine(question.split("\n")[0] ?? "", limits.summaryCharacters);
  const terms = parseTerms(String(names.length), String(seconds), about);
  const drivers = await makeDrivers(specs, machine);
  const place = await openNew(question, request, source, terms, clock);
  if (about !== question) keepQuestion(place, question);
  for (const name of drivers.keys())
    await register(place, { name, project: place.workspace?.project ?? process.cwd() }, clock);
  return { session: await loadSession(place), specs, drivers };
}

function questionFault(question: string): string | undefined {
  if (question === "") {
    return 'the question is empty; ask one: consult --kind findings "What makes the login test flaky?"';
  }
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(question)) {
    return "the question has control characters; take them out";
  }
  const bytes = Buffer.byteLength(question);
  if (bytes <= limits.messageBytes) return undefined;
  return (
    `the question has ${bytes} bytes, the limit is ${limits.messageBytes}; ` +
    "shorten it and name the files to read by path"
  );
}

/** Why an option of another kind of session does not go with a board; undefined when none is given. */
export function optionFault({ mode, termsGiven }: ConsultationRequest): string | undefined {
  if (mode !== undefined) return "--mode belongs to a dialogue; leave it out of findings";
  const [stray] = termsGiven;
  return stray && `${stray} belongs to a collaboration; leave it out of findings`;
}

async function openNew(
  question: string,
  { folder }: ConsultationRequest,
  source: WorkspaceSource,
  terms: BoardTerms,
  clock: Clock,
): Promise<Place> {
  if (folder !== undefined) {
    const { place, existed } = await openBoard(folder, terms, clock);
    if (!existed) return place;
    throw new ConsultaError(
      "REFUSED",
      `${folder} holds a board already; leave out the question to go on with it, or choose another folder`,
    );
  }
  const workspace = await source.made();
  for (let tries = 1; ; tries += 1) {
    const free = freePlace(workspace, question);
    const { place, existed } = await openBoard(free.folder, terms, clock);
    // Another run that asks the same at the same time must not get these agents on its board.
    if (!existed) return place;
    if (tries < limits.appendTries) continue;
    throw new ConsultaError(
      "UNAVAILABLE",
      `the workspace is busy: others took every free name; ${tryAgain}`,
    );
  }
}
