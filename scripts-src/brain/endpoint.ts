import { createHmac } from "node:crypto";
import { dirname, join } from "node:path";
import { parseJsonObject } from "../base/json.ts";
import { hostHere, isRunning } from "../clis/is-running.ts";
import { startAlone } from "../clis/run-process.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { realpathSync } from "../files/disk.ts";
import { folderIdentity, isWrittenIn } from "../files/folder-identity.ts";
import { ensureOwnFolder } from "../files/ownership.ts";
import { discard } from "../files/safe-open.ts";

/** Where a running brain can be reached, and the word that opens its door. */
export interface Endpoint {
  readonly protocol: number;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  readonly started: string;
}

/** Paths are long. */
const endpointBytes = 16_384;
/** Raised where a client of one build would not understand a brain of another. */
export const protocolVersion = 3;

/** Where the brain's folder is in a workspace, whether or not it exists. */
export function brainPath(workspaceRoot: string): string {
  return join(workspaceRoot, "brain");
}

/**
 * A project's `.consulta/brain` folder, made where it is missing; it is for its owner only.
 * @throws ConsultaError REFUSED for a link, or the folder of another user.
 */
export function ensureBrainFolder(workspaceRoot: string): string {
  return ensureOwnFolder(workspaceRoot, "brain", "each user has memories of their own");
}

/**
 * Whole or not at all, readable by the owner only. It names its folder: a copy of a project, or where
 * one was moved to, has a brain of its own.
 */
export function writeEndpoint(folder: string, endpoint: Endpoint): void {
  // After a power cut nobody listens there.
  const text = `${JSON.stringify({ ...endpoint, ...folderIdentity(folder) })}\n`;
  writeFileAtomically(endpointPath(folder), text, { sync: "nothing" });
}

/** The endpoint that somebody wrote in this very folder; undefined where there is none or it makes no sense. */
export function readEndpoint(folder: string): Endpoint | undefined {
  const value = parseJsonObject(textIfSound(endpointPath(folder), endpointBytes) ?? "");
  if (value === undefined || !isEndpoint(value) || !isWrittenIn(folder, value)) return undefined;
  const { protocol, port, token, pid, started } = value;
  return { protocol, port, token, pid, started };
}

/** The endpoint of a brain that seems to run: somebody else may have the port of one that died. */
export function runningEndpoint(folder: string): Endpoint | undefined {
  const endpoint = readEndpoint(folder);
  const isThere = endpoint && isRunning({ pid: endpoint.pid, host: hostHere() });
  return isThere ? endpoint : undefined;
}

function isEndpoint(value: Record<string, unknown>): value is Record<string, unknown> & Endpoint {
  const { protocol, port, token, pid, started } = value;
  const isNumber = (it: unknown, max: number) =>
    typeof it === "number" && Number.isInteger(it) && it > 0 && it <= max;
  return (
    protocol === protocolVersion &&
    // It becomes part of a header, no matter who wrote it.
    typeof token === "string" &&
    /^[!-~]{1,256}$/.test(token) &&
    typeof started === "string" &&
    isNumber(port, 65_535) &&
    isNumber(pid, Number.MAX_SAFE_INTEGER)
  );
}

/** Takes the endpoint back, unless another brain has put its own there. */
export function removeEndpoint(folder: string, own: Endpoint): void {
  if (readEndpoint(folder)?.token === own.token) discard(endpointPath(folder));
}

/** Where the brain rings: the file is newer than a hook's bell once there is something to tell in the middle of a turn. */
export function bellPath(folder: string): string {
  return join(folder, "bell");
}

/** Has the next tool of each CLI of the project ask the brain. */
export function ringBell(folder: string): void {
  writeFileAtomically(bellPath(folder), "", { sync: "nothing" });
}

export function endpointPath(folder: string): string {
  return join(folder, "endpoint.json");
}

/**
 * An `endpoint.json` may come with a clone and lead anywhere: a client asks in the one at the door, and believes
 * nobody without the right answer in the other, which takes the user's key.
 */
export const challengeHeader = "consulta-challenge";
export const proofHeader = "consulta-proof";

/** The answer to a challenge, also bound to the brain that is meant: the token is known to nobody else. */
export function proofOf(key: string, token: string, challenge: string): string {
  return createHmac("sha256", key).update(`brain ${token} ${challenge}`).digest("hex");
}

/** By which a brain knows a database again: one that came with a clone may say anything. */
export function databaseProof(key: string, id: string): string {
  return createHmac("sha256", key).update(`database ${id}`).digest("hex");
}

/** Starts the brain of a project as a process of its own, which outlives this one. */
export function spawnBrain(project: string): void {
  const [running = ""] = process.argv.slice(1);
  const script = join(dirname(realpathSync(running)), "brain.cjs");
  startAlone([script, "serve", "--workspace", project], "/");
}
