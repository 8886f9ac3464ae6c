import { setTimeout } from "node:timers/promises";
import { ConsultaError } from "../../base/errors.ts";
import { isRecord, type JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { remoteLimits } from "../limits.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { afterPrefix, attendingPrefix, base64, fromBase64 } from "./etcd-keys.ts";

/**
 * Who waits in a session, as keys that end with their lease: a machine that dies or sleeps is no longer
 * there after half a minute. This is a courtesy: where it fails, the wait itself goes on.
 */
export class Attendance {
  readonly #client: EtcdClient;
  readonly #prefix: string;
  readonly #machine: string;

  /** `machine` tells this machine's own keys from those of others. */
  constructor(client: EtcdClient, session: string, machine: string) {
    this.#client = client;
    this.#prefix = attendingPrefix(session);
    this.#machine = machine;
  }

  attend(participant: string): () => Promise<void> {
    const [stop, cut] = [new AbortController(), new AbortController()];
    const attending = this.#attendUntil(participant, stop.signal, cut.signal);
    return async () => {
      stop.abort();
      // Nobody waits for a cluster that does not answer: the lease ends by itself.
      await Promise.race([attending, setTimeout(remoteLimits.leaveMs, undefined, { ref: false })]);
      cut.abort();
    };
  }

  async attending(): Promise<string[]> {
    const [key = "", range_end = ""] = [this.#prefix, afterPrefix(this.#prefix)].map(base64);
    const asked = { key, range_end, limit: String(remoteLimits.attendingMax) };
    const answer = await this.#ask("/v3/kv/range", asked);
    const kvs = Array.isArray(answer?.["kvs"]) ? answer["kvs"].filter(isRecord) : [];
    return kvs
      .filter((it) => fromBase64(it["value"]) !== this.#machine)
      .map((it) => nameIn(fromBase64(it["key"]).slice(this.#prefix.length)))
      .filter((name) => name !== "");
  }

  async #attendUntil(participant: string, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    let lease: string | undefined;
    while (!stop.aborted) {
      if (lease === undefined || !(await this.#renew(lease, cut)))
        lease = await this.#begin(participant, cut);
      await setTimeout(remoteLimits.attendMs, undefined, { signal: stop, ref: false }).catch(
        () => undefined,
      );
    }
    if (lease !== undefined) await this.#ask("/v3/lease/revoke", { ID: lease }, cut);
  }

  async #begin(participant: string, cut: AbortSignal): Promise<string | undefined> {
    const granted = await this.#ask(
      "/v3/lease/grant",
      { TTL: String(remoteLimits.attendSeconds) },
      cut,
    );
    const lease = granted?.["ID"];
    if (typeof lease !== "string") return undefined;
    const key = base64(`${this.#prefix}${encodeURIComponent(participant)}`);
    await this.#ask("/v3/kv/put", { key, value: base64(this.#machine), lease }, cut);
    return lease;
  }

  /** False where the lease has ended, and its key with it. */
  async #renew(lease: string, cut: AbortSignal): Promise<boolean> {
    const answer = await this.#ask("/v3/lease/keepalive", { ID: lease }, cut);
    return Number(answer?.["TTL"] ?? 0) > 0;
  }

  async #ask(path: string, body: JsonObject, signal?: AbortSignal) {
    try {
      return await this.#client.call(path, body, defined({ signal }));
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      return undefined;
    }
  }
}

function nameIn(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return "";
  }
}
