import { dirname } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import type { Arguments } from "../../script/arguments.ts";
import { workspaceMade } from "../../session/session-options.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import { ensureBrainFolder } from "../brain-endpoint.ts";
import { fitsResult, type NamesTo, type ParamsOf, type ResultOf } from "../rules/open-rpc.ts";
import { isRpcFailure, type RpcErrorName, RpcFailure, rpcReason } from "../rules/rpc-errors.ts";
import { readUserSettings } from "../server/user-settings.ts";
import { requireSockets } from "../socket-availability.ts";
import { loadSqlite } from "../store/load-sqlite.ts";
import { type BrainConnection, connectBrain, ensureRunning } from "./connect-brain.ts";
import { printWhereToRun } from "./sandbox-error.ts";
import { spawnBrain } from "./spawn-brain.ts";

const startMs = 10_000;
const answerMs = 30_000;
/** A delegate may take its time for every part of a long text. */
const delegateMs = 3_600_000;

/** Where the caller is at fault; all else may pass. */
const refusals: readonly RpcErrorName[] = [
  "INVALID_PARAMS",
  "CONFLICT",
  "SECRET",
  "ECHO",
  "TOO_LARGE",
  "SESSION_TAKEN",
];

/**
 * Asks the brain of the project, which is started where none runs.
 * @throws ConsultaError REFUSED or UNAVAILABLE with what the brain says.
 */
export async function callBrain<N extends NamesTo<"to-brain">>(
  args: Arguments,
  method: N,
  params: ParamsOf<N> & object,
): Promise<ResultOf<N>> {
  const workspace = await workspaceMade(args);
  const connection = await reachOrStart(workspace).catch(printWhereToRun);
  try {
    const isSlow = method === "data.process" || method === "research.search";
    const result = await connection.peer.request(method, params, isSlow ? delegateMs : answerMs);
    if (fitsResult(method, result)) return result;
    throw new ConsultaError("UNAVAILABLE", `the brain answers ${quote(result)}; restart it`);
  } catch (error) {
    throw asConsultaError(error);
  } finally {
    connection.close();
  }
}

async function reachOrStart({ root }: Workspace): Promise<BrainConnection> {
  const folder = ensureBrainFolder(root);
  const handlers = new Map();
  const running = await connectBrain(folder, { handlers });
  if (running !== undefined) return running;
  // Why a brain would not come up, said here: it has nobody to tell.
  await loadSqlite();
  await requireSockets();
  await readUserSettings(process.env);
  return ensureRunning(folder, { handlers, start: () => spawnBrain(dirname(root)), startMs });
}

/** What to do, where the brain's own message does not say so. */
const advice: readonly (readonly [name: RpcErrorName, way: string])[] = [
  ["CONFLICT", "retrieve it, and decide again"],
  ["BUSY", "run this again in a while"],
  ["INTERNAL", "please report it"],
];

function asConsultaError(error: unknown): unknown {
  if (!(error instanceof RpcFailure)) return error;
  const isRefused = refusals.some((name) => isRpcFailure(error, name));
  const [, way] = advice.find(([name]) => isRpcFailure(error, name)) ?? [];
  // What is wrong says enough; the wire's name for it means nothing to a person.
  const reason = isRpcFailure(error, "INVALID_PARAMS") ? rpcReason(error.error) : undefined;
  const said = reason ?? error.message;
  const text = way === undefined ? said : `${said}; ${way}`;
  return new ConsultaError(isRefused ? "REFUSED" : "UNAVAILABLE", text, { cause: error });
}
