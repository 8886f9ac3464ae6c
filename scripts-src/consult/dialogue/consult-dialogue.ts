import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { defaultConfig, type Mode } from "../../protocol/config.ts";
import { kindNames } from "../../session/kinds.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import type { ConsultKind } from "../consult-kind.ts";
import type { Consultation, ConsultationRequest, WorkspaceSource } from "../consultation.ts";
import { type DriverPlace, makeDrivers } from "../make-drivers.ts";
import { newParticipants } from "../participants.ts";
import { askQuestion, parseQuestion } from "./ask-question.ts";
import { dialogueTurns } from "./dialogue-turns.ts";

/** A dialogue, as `consult` runs it. */
export const consultDialogue: ConsultKind = { begin: beginDialogue, turns: dialogueTurns };

const participantRange = {
  max: 2,
  rule: "a dialogue needs two different participants",
  otherwise: ", or let more take part with --kind collaboration",
};

/** Opens a dialogue of two on a question, and asks it for the first of them. */
async function beginDialogue(
  text: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  place: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { participants, mode, folder, termsGiven } = request;
  const [stray] = termsGiven;
  if (folder !== undefined)
    throw notForDialogues("--folder", ...kindNames.filter((name) => name !== "dialogue"));
  if (stray !== undefined) throw notForDialogues(stray, "collaboration");
  const question = parseQuestion(text);
  const specs = newParticipants(participants, participantRange);
  const drivers = await makeDrivers(specs, place);
  const names = specs.map(({ name }) => name);
  const workspace = await source.made();
  const session = await askQuestion(
    workspace,
    {
      ...question,
      participants: names,
      mode: mode ?? modeOf(workspace),
      require: request.require,
      onFull: source.onFull,
    },
    clock,
  );
  return { session, specs, drivers };
}

/** Blind, so that the first answers are independent, unless the project's config chooses a mode. */
function modeOf({ config }: Workspace): Mode {
  const { default_mode, modes_enabled } = config;
  const isChosen = default_mode !== defaultConfig.default_mode;
  return isChosen || !modes_enabled.includes("competitiva") ? default_mode : "competitiva";
}

function notForDialogues(option: string, ...kinds: readonly string[]): ConsultaError {
  const flags = kinds.map((kind) => `--kind ${kind}`).join(" or ");
  return new ConsultaError(
    "REFUSED",
    `${option} belongs to ${flags}; add that, or leave ${option} out to ask two participants`,
  );
}
