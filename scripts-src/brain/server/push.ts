import { isRecord, type JsonValue } from "../../base/json.ts";
import type { RpcPeer } from "../rpc-peer.ts";
import type { AlertName } from "../rules/alerts.ts";
import type { Injection } from "../rules/brain-store.ts";
import type { NamesTo, ParamsOf } from "../rules/open-rpc.ts";

type PushName = NamesTo<"to-client">;

/** Something that belongs into a session's context, and what counts once it is there. */
export interface Push {
  /** Names what is pushed: nothing is under way twice. */
  readonly subject: string;
  readonly send: (peer: RpcPeer) => Promise<boolean>;
  readonly injection?: Injection;
  readonly event?: number;
  readonly alert?: { readonly name: AlertName; readonly rise: number; readonly turn: number };
}

const answerMs = 10_000;

/** Asks a client to take something; true unless it declines, fails or leaves. */
export async function offer<N extends PushName>(
  peer: RpcPeer,
  name: N,
  params: ParamsOf<N> & object,
): Promise<boolean> {
  try {
    return isAccepted(await peer.request(name, params, answerMs));
  } catch {
    // A client that cannot take it has not been given it: it is offered again at the next occasion.
    return false;
  }
}

/** Tells a client something that it does not answer; true when it is on its way. */
export async function tell<N extends PushName>(
  peer: RpcPeer,
  name: N,
  params: ParamsOf<N> & object,
): Promise<boolean> {
  try {
    await peer.notify(name, params);
    return true;
  } catch {
    return false;
  }
}

/** The seed says nothing about the answer: only a clear no is one. */
function isAccepted(answer: JsonValue): boolean {
  return !(isRecord(answer) && answer["accepted"] === false);
}
