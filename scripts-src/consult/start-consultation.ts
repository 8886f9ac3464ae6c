import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { parseSessionId } from "../base/names.ts";
import { findSecret } from "../base/secrets.ts";
import { hasWord } from "../base/visible-text.ts";
import { cliNames } from "../clis/known-drivers.ts";
import { runLimits } from "../clis/run-limits.ts";
import type { KindName } from "../session/kinds.ts";
import { openSession } from "../session/open.ts";
import { type Place, placeAt, placeIn } from "../session/place.ts";
import { standingOf } from "../session/session.ts";
import { listSessions, standingsIn } from "../session/session-list.ts";
import type { ConsultationRequest, WorkspaceSource } from "./consult-kind.ts";
import { type DriverPlace, makeAuditors, makeDrivers } from "./make-drivers.ts";
import { newParticipants, specsToGoOn } from "./participants.ts";
import { consultKindOf } from "./registered-kinds.ts";
import type { Consultation } from "./run-context.ts";

/**
 * Opens a session for the question, or takes up the given one. Everything that can be refused is
 * looked at before anything is written.
 * @throws ConsultaError REFUSED for wrong input, UNAVAILABLE when a CLI is not installed.
 */
export async function startConsultation(
  request: ConsultationRequest,
  source: WorkspaceSource,
  driverPlace: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { question, session, folder, resume } = request;
  if (resume) return takeUp(await latestOpen(source, request), request, driverPlace, clock);
  if (session !== undefined && question !== undefined) {
    throw refused(
      "a question and --session came; leave out --session to ask anew, or the question to go on",
    );
  }
  if (session !== undefined && folder !== undefined)
    throw refused("--folder and --session came; either one names a session");
  if (session !== undefined)
    return takeUp(placeIn(source.found(), parseSessionId(session)), request, driverPlace, clock);
  if (question !== undefined) {
    const text = question.replace(/\r\n?/g, "\n").trim();
    return begin(text, request, source, driverPlace, clock);
  }
  if (folder !== undefined) return takeUp(placeAt(folder), request, driverPlace, clock);
  throw refused(
    'consult needs a question, such as consult "SQLite or files?"; or --resume, --session ID or --folder DIR to go on in a session',
  );
}

async function begin(
  question: string,
  request: ConsultationRequest,
  source: WorkspaceSource,
  driverPlace: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const { kind: name = "dialogue" } = request;
  const fault = questionFault(question) ?? optionFault(request, name);
  if (fault !== undefined) throw refused(fault);
  const kind = await consultKindOf(name);
  const specs = newParticipants(request.participants, kind.company);
  const participants = specs.map((it) => it.name);
  const open = kind.prepare({ question, request, participants, clock });
  const drivers = await makeDrivers(specs, driverPlace);
  const clis = specs.map(({ driver }) => driver);
  const auditor = name === "dialogue" ? request.auditor : "none";
  const auditors = await makeAuditors(auditor, clis, driverPlace);
  const opened = await open(source);
  const session = (await kind.join?.(opened, [...drivers.keys()], clock)) ?? opened;
  return { session, specs, drivers, auditors };
}

/** The question goes to every participant's vendor, in a dialogue as a message. */
function questionFault(question: string): string | undefined {
  if (question === "")
    return 'the question is empty; ask one: consult "Should we store sessions in SQLite or in files?"';
  if (!hasWord(question)) return `the question is ${quote(question)}; ask it in words`;
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(question))
    return "the question has control characters; take them out";
  const bytes = Buffer.byteLength(JSON.stringify(question));
  if (bytes > runLimits.questionBytes)
    return `the question has ${bytes} bytes, the limit is ${runLimits.questionBytes}; shorten it and name the files to read by path`;
  const secret = findSecret(question);
  return (
    secret &&
    `the question looks as if it holds ${secret}; leave it out: participants send the question to their vendors`
  );
}

/** Why an option does not go with a kind of session; those that tell its terms are a collaboration's. */
function optionFault(request: ConsultationRequest, kind: KindName): string | undefined {
  const { mode, require, folder, termsGiven, auditor } = request;
  const given: [option: string, value: unknown, kinds: readonly KindName[]][] = [
    ["--mode", mode, ["dialogue"]],
    ["--require", require, ["dialogue"]],
    ["--auditor", auditor, ["dialogue"]],
    ["--folder", folder, ["collaboration", "findings"]],
    ...termsGiven.map((it): [string, unknown, KindName[]] => [it, it, ["collaboration"]]),
  ];
  const stray = given.find(([, value, kinds]) => value !== undefined && !kinds.includes(kind));
  if (stray === undefined) return undefined;
  const [option, , kinds] = stray;
  const flags = kinds.map((it) => `--kind ${it}`).join(" or ");
  return `${option} belongs to ${flags}; leave it out, or name that kind`;
}

/** @throws ConsultaError REFUSED where no session is open, or another option names one. */
async function latestOpen(
  source: WorkspaceSource,
  { question, session, folder }: ConsultationRequest,
): Promise<Place> {
  if ((question ?? session ?? folder) !== undefined) {
    throw refused(
      "--resume goes on in the last open session; leave out the question, --session and --folder, or --resume",
    );
  }
  const workspace = source.found();
  const open = standingsIn(await listSessions(workspace)).filter(
    ({ ended, hasTurns }) => !ended && hasTurns,
  );
  const [latest] = open.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
  if (latest !== undefined) return placeIn(workspace, latest.id);
  throw refused(`no session is open in ${workspace.root}; ask a question`);
}

async function takeUp(
  at: Place,
  { participants, kind, mode, require, termsGiven, auditor }: ConsultationRequest,
  driverPlace: DriverPlace,
  clock: Clock,
): Promise<Consultation> {
  const known = await openSession(at);
  const { name, traits } = known.kind;
  if (kind !== undefined && kind !== name)
    throw refused(`session ${at.id} is ${traits.called}; leave out --kind ${kind}`);
  const [fixed] = [...(mode ? ["--mode"] : []), ...(require ? ["--require"] : []), ...termsGiven];
  if (fixed !== undefined)
    throw refused(`session ${at.id} goes on as it was begun; leave out ${fixed}`);
  const isOver = standingOf(known).ended;
  const session = isOver ? known : await openSession(known, { changes: "enter", clock });
  // What has ended needs nobody to run it: only its report is wanted.
  const nobody = { asked: auditor, drivers: [] };
  if (standingOf(session).ended)
    return { session, specs: [], drivers: new Map(), auditors: nobody };
  const clis =
    participants === undefined ? await cliNames(driverPlace.environment) : new Set<string>();
  const specs = specsToGoOn(session, participants, clis);
  const drivers = await makeDrivers(specs, driverPlace);
  const driven = specs.map(({ driver }) => driver);
  const auditors = name === "dialogue" ? await makeAuditors(auditor, driven, driverPlace) : nobody;
  const { join } = await consultKindOf(name);
  const joined = (await join?.(session, [...drivers.keys()], clock)) ?? session;
  return { session: joined, specs, drivers, auditors };
}
