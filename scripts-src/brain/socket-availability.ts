import { readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { ConsultaError } from "../base/errors.ts";
import { errnoOf, isErrno } from "../files/errno.ts";

const loopback = "127.0.0.1";

/** A sandbox, such as that of Codex, may forbid all sockets, those to this machine too. */
export const forbiddenText = "this sandbox forbids sockets, which the brain needs";

/** What a socket was refused, in one line where it is a sandbox that refused it. */
export function socketFailure(error: unknown): unknown {
  if (error instanceof ConsultaError || !isErrno(error, "EPERM", "EACCES")) return error;
  const way = "start it outside of the sandbox";
  const details = { cause: error, reason: "no sockets" } as const;
  return new ConsultaError("UNAVAILABLE", `${forbiddenText}; ${way}`, details);
}

/** Whether it is a sandbox that stands in the way. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ConsultaError && error.reason === "no sockets";
}

/**
 * Listens for a moment, as a brain would have to.
 * @throws ConsultaError UNAVAILABLE where a sandbox forbids it.
 */
export async function requireSockets(): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, loopback, resolve);
    });
  } catch (error) {
    throw socketFailure(error);
  } finally {
    server.close();
  }
}

/** The network that this process is in; undefined where the system does not tell. */
export function ownNetwork(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/net");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
