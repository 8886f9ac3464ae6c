import { join } from "node:path";
import { parseJsonObject } from "../base/json.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { folderIdentity, isWrittenIn } from "../files/folder-identity.ts";
import { ensureOwnFolder } from "../files/private-file.ts";
import { discard } from "../files/regular-file.ts";

/** Where a running brain can be reached, and the word that opens its door. */
export interface Endpoint {
  readonly protocol: number;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  readonly started: string;
  /** The network in which that port is; absent where the system has but one. */
  readonly network?: string | undefined;
}

/** Paths are long. */
const endpointBytes = 16_384;
export const protocolVersion = 1;

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

/**
 * The endpoint that somebody wrote in this very folder; undefined where there is none or it makes no
 * sense.
 */
export function readEndpoint(folder: string): Endpoint | undefined {
  const value = parseJsonObject(textIfSound(endpointPath(folder), endpointBytes) ?? "");
  if (value === undefined) return undefined;
  const { protocol, port, token, pid, started, network } = value;
  // It becomes part of a header, no matter who wrote it.
  const isPlain = typeof token === "string" && /^[!-~]{1,256}$/.test(token);
  if (
    !isPlain ||
    typeof started !== "string" ||
    protocol !== protocolVersion ||
    !isPort(port) ||
    !isPid(pid) ||
    !isWrittenIn(folder, value)
  )
    return undefined;
  const known = { protocol: protocolVersion, port, token, pid, started };
  return typeof network === "string" ? { ...known, network } : known;
}

function isPort(port: unknown): port is number {
  return typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
}

function isPid(pid: unknown): pid is number {
  return typeof pid === "number" && Number.isInteger(pid) && pid > 0;
}

/** Takes the endpoint back, unless another brain has put its own there. */
export function removeEndpoint(folder: string, own: Endpoint): void {
  if (readEndpoint(folder)?.token === own.token) discard(endpointPath(folder));
}

function endpointPath(folder: string): string {
  return join(folder, "endpoint.json");
}
