import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import { shortLine } from "../clis/output-line.ts";
import { runLimits } from "../clis/run-limits.ts";
import { vendorOf } from "../dialogue/marks.ts";
import { sha256 } from "../files/hash.ts";
import {
  type AuditAnswer,
  type AuditMaterial,
  type AuditRecord,
  type AuditSubject,
  auditPacket,
  parseAuditAnswer,
} from "../protocol/audit.ts";
import { commandLine } from "../script/command-line.ts";
import { openSession } from "../session/open.ts";
import { asPerson } from "../session/person-steps.ts";
import type { Place } from "../session/place.ts";
import { readStory } from "../session/replay.ts";
import { sessionAt } from "../session/session-commands.ts";
import { submit } from "../session/submit.ts";
import { frameNonce } from "../session/text/quotation.ts";
import { type Auditors, machineTries, type ProgramDriver } from "./driver.ts";
import { lookForParticipant } from "./make-evidence-for-participant.ts";
import type { Run } from "./run-context.ts";

interface AuditMeans {
  readonly auditors: Auditors;
  readonly scripts: string;
  readonly clock: Clock;
  /** 0: as long as an audit may take. */
  readonly timeoutMs: number;
  readonly tell: (doing: string) => void;
}

/**
 * Has the decision of a session read, by another vendor than its author's where there is one, and enters what
 * it says; without an answer of the right form the session stays where it was, and the fault says why.
 * @throws ConsultaError REFUSED where nothing is decided, or the decision has changed meanwhile.
 */
export async function auditSession(
  place: Place,
  { auditors, clock, tell, ...bounds }: AuditMeans,
  signal: AbortSignal,
): Promise<{ readonly record: AuditRecord } | { readonly fault: string }> {
  const { agree, author, material, read } = await subjectOf(place);
  const { driver, how } = chooseAuditor(auditors, author);
  if (driver === undefined) return { fault: how };
  const cli = driver.name;
  tell(`${cli} reads what the decision rests on, and nothing else (${how})`);
  const asked = await askAuditor(driver, material, bounds, signal);
  if ("fault" in asked)
    return { fault: shortLine(`${cli}: ${asked.fault}`, runLimits.adviceCharacters) };
  const packet = sha256(auditPacket(material, ""));
  const record = { agree, packet, read, cli, how, ...asked };
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  await submit(session, { ...asPerson, fields: { audit: record } }, clock);
  return { record };
}

async function subjectOf(place: Place): Promise<AuditSubject> {
  const session = await openSession(place, { fetch: "must" });
  const { kind, state } = session;
  const none = `${place.id} is ${kind.traits.called}: an audit reads what a dialogue has decided`;
  const subject = kind.auditSubject?.(state, (await readStory(session)).events) ?? none;
  if (typeof subject === "string") throw refused(subject);
  return subject;
}

/**
 * Asks a fresh process that sees only the packet, in an empty folder. An answer without the right form is asked
 * for once more, with the reason; a process that fails is not.
 */
export async function askAuditor(
  driver: ProgramDriver,
  material: AuditMaterial,
  { scripts, timeoutMs }: Pick<AuditMeans, "scripts" | "timeoutMs">,
  signal: AbortSignal,
): Promise<{ tokens: AuditRecord["tokens"] } & ({ answer: AuditAnswer } | { fault: string })> {
  const nonce = frameNonce();
  const project = mkdtempSync(join(tmpdir(), "consulta-"));
  const tokens = { in: 0, out: 0 };
  const bounds = { timeoutMs: timeoutMs || runLimits.auditMs, resume: undefined };
  let fault: string | undefined;
  try {
    for (let tries = 0; tries < machineTries && !signal.aborted; tries += 1) {
      const prompt = auditPacket(material, nonce, fault);
      const task = { project, scripts, prompt, ...bounds, tell: () => undefined };
      const { failure, answer } = await driver.takeTurn(task, signal);
      tokens.in += Math.ceil(prompt.length / 4);
      tokens.out += Math.ceil(answer.length / 4);
      if (failure !== undefined) return { tokens, fault: failure };
      const read = parseAuditAnswer(answer, material, nonce);
      if (!("fault" in read)) return { tokens, answer: read };
      ({ fault } = read);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
  return { tokens, fault: fault ?? "stopped" };
}

/**
 * Has the decision of a running session read before the other side confirms it, where nobody was faster; of which
 * no audit came, not again. Whether one is in the log now; without, the session goes on as it was.
 */
export async function auditIfWanted(
  run: Run,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { place, progress, unaudited } = run;
  if (run.auditors.drivers.length === 0 || signal.aborted) return false;
  const { kind, state } = await openSession(place);
  const agree = kind.auditWanted?.(state);
  if (agree === undefined || unaudited.has(agree)) return false;
  for (const participant of run.drivers.keys()) await lookForParticipant(run, participant, signal);
  const means = { ...run, timeoutMs, tell: (doing: string) => progress.note(doing, "routine") };
  const audited = await auditSession(place, means, signal).catch((cause: unknown) => {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: cause.message };
  });
  await progress.showNews();
  if (!("fault" in audited)) return true;
  unaudited.add(agree);
  progress.note(`not audited: ${audited.fault}`);
  const auditor = run.auditors.asked ?? run.auditors.drivers[0]?.name;
  const line = commandLine("audit", { ...sessionAt(place), auditor });
  progress.note(`it goes on without an audit; to have it read later: ${line}`);
  return false;
}

/** Another vendor than the author's where one is known to be; which model a command runs is not known. */
function chooseAuditor({ drivers, driverOf }: Auditors, author: string) {
  const wrote = vendorOf(driverOf(author));
  const rank = ({ name }: ProgramDriver) => {
    const own = vendorOf(name);
    return own === undefined || wrote === undefined ? 1 : own === wrote ? 2 : 0;
  };
  const [driver] = drivers.toSorted((one, other) => rank(one) - rank(other));
  if (driver === undefined) return { driver, how: noAuditor };
  const isProgram = driver.name === "command" || driver.name === "acp";
  const how = isProgram ? "a program that the user named" : relations[rank(driver)];
  return { driver, how };
}

const relations = [
  "its vendor is another than that of the text's author",
  "whether its vendor's model wrote the text is not known here",
  "its vendor's model wrote the text as well",
] as const;
const noAuditor =
  "no participant has the name of a CLI that is installed here, signed in, and known to run without tools";
