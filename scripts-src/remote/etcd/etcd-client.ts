import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { ConsultaError } from "../../base/errors.ts";
import { isRecord, type JsonObject, parseJson } from "../../base/json.ts";
import { remoteLimits } from "../limits.ts";

/** How a cluster is reached. */
export interface EtcdAddress {
  /** As the user's settings name it. */
  readonly name: string;
  /** Of its members, in the order in which they are asked. */
  readonly endpoints: readonly string[];
  readonly user?: string;
  readonly password?: string;
  /** Certificates that sign those of the members, beside those that the system trusts; PEM. */
  readonly ca?: string;
}

/** What a member said: its status, and the JSON or text of it. */
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** An answer has more bytes than are read. */
export class AnswerTooLong extends Error {}

/**
 * Speaks to an etcd cluster by its HTTP gateway (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/).
 * A member that does not answer, or has no leader, is passed over for the next.
 */
export class EtcdClient {
  readonly #address: EtcdAddress;
  readonly #agents: Agents;
  #member = 0;
  #token: string | undefined;

  constructor(address: EtcdAddress) {
    this.#address = address;
    const { ca } = address;
    const settings = { keepAlive: true, ...(ca === undefined ? {} : { ca }) };
    this.#agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent(settings) };
  }

  get name(): string {
    return this.#address.name;
  }

  /**
   * Asks for something, signed in if the settings have a user; a token that is too old is replaced once.
   * @throws ConsultaError UNAVAILABLE when no member answers, has a leader or has room: what was asked
   * may have been done; REFUSED when it may not be done. AnswerTooLong.
   * With `asks` "one" only one member is asked: a second could hear what the first has done.
   */
  async call(path: string, body: JsonObject, asks: "one" | "all" = "all"): Promise<Answer["body"]> {
    for (let isFresh = false; ; isFresh = true) {
      const isSignedIn = this.#token !== undefined;
      const answer = await this.#ask(path, body, asks, await this.#signIn());
      if (answer.status === 200) return answer.body;
      if (isFresh || !isSignedIn || !isOldToken(answer)) throw this.#fault(answer);
      this.#token = undefined;
    }
  }

  /**
   * Calls `onNews` for each change of some keys, `onEnd` when the member no longer tells of them; gives
   * what ends it.
   * @throws ConsultaError as `call`.
   */
  async watch(range: JsonObject, onNews: () => void, onEnd: () => void): Promise<() => void> {
    const { endpoints } = this.#address;
    const url = new URL("/v3/watch", endpoints[this.#member % endpoints.length]);
    const body = JSON.stringify({ create_request: range });
    const request = open(url, body, this.#agents, await this.#signIn());
    let hasEnded = false;
    const end = () => {
      if (!hasEnded) onEnd();
      hasEnded = true;
    };
    request.on("error", end);
    request.on("close", end);
    // Its first line says that it tells of all that comes from then on.
    await new Promise<void>((resolve) => {
      request.on("close", resolve);
      request.on("response", (response) => {
        response.on("error", end);
        eachLine(response, (line) => {
          resolve();
          if (hasEvents(parseJson(line))) onNews();
        });
      });
    });
    return () => {
      hasEnded = true;
      request.destroy();
    };
  }

  async #signIn(): Promise<string | undefined> {
    const { user: name, password } = this.#address;
    if (name === undefined || this.#token !== undefined) return this.#token;
    const answer = await this.#ask(
      "/v3/auth/authenticate",
      { name, password: password ?? "" },
      "all",
    );
    const { token } = answer.body;
    if (answer.status !== 200 || typeof token !== "string") throw this.#fault(answer);
    this.#token = token;
    return token;
  }

  async #ask(path: string, body: JsonObject, asks: "one" | "all", token?: string): Promise<Answer> {
    const { endpoints } = this.#address;
    let why = "";
    // Once more than there are members: one of them may have closed a connection that was kept.
    const triesMax = asks === "one" ? 1 : endpoints.length + 1;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const endpoint = endpoints[this.#member % endpoints.length] ?? "";
      try {
        const answer = await post(new URL(path, endpoint), body, this.#agents, token);
        if (!isAway(answer)) return answer;
        why ||= messageOf(answer);
      } catch (cause) {
        if (!(cause instanceof Error) || cause instanceof AnswerTooLong) throw cause;
        const code = "code" in cause ? String(cause.code) : "";
        if (isDistrust(code)) throw this.#distrusted(endpoint, code);
        why ||= code || cause.message;
      }
      this.#member += 1;
    }
    throw this.#outOfReach(why);
  }

  #fault(answer: Answer): ConsultaError {
    const { name, user } = this.#address;
    const said = messageOf(answer);
    if (/space exceeded/.test(said)) {
      const way = "its owner makes room (etcdctl compact, defrag, alarm disarm)";
      return new ConsultaError(
        "UNAVAILABLE",
        `${name} is full (${said}): ${way}; then run the same command again`,
      );
    }
    const who = user === undefined ? "nobody is signed in" : `as ${user}`;
    const way = `check stores.${name} in ~/.consulta/config.yaml`;
    if (/authentication|auth token|permission|user name is empty/i.test(said))
      return new ConsultaError("REFUSED", `${name} does not let you (${said}; ${who}): ${way}`);
    if (answer.status < 500)
      return new ConsultaError(
        "REFUSED",
        `${name} does not take this (${said}); nothing was stored`,
      );
    return new ConsultaError("UNAVAILABLE", `${name} failed (${said}); run the same command again`);
  }

  #outOfReach(why: string): ConsultaError {
    const reason = `${this.#address.name} is out of reach (${why})`;
    return new ConsultaError(
      "UNAVAILABLE",
      `${reason}; run the same command again when it can be reached`,
    );
  }

  #distrusted(endpoint: string, code: string): ConsultaError {
    const { name } = this.#address;
    const way = `name the file of who signed it as ca under stores.${name} in ~/.consulta/config.yaml`;
    return new ConsultaError(
      "REFUSED",
      `the certificate of ${endpoint} is not trusted (${code}): ${way}`,
    );
  }
}

function open(url: URL, text: string, { http, https }: Agents, token?: string): ClientRequest {
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    // A member that is cut off from the others says so, in place of waiting for them.
    "grpc-metadata-hasleader": "true",
    ...(token === undefined ? {} : { authorization: token }),
  };
  const request =
    url.protocol === "https:"
      ? requestHttps(url, { method: "POST", headers, agent: https })
      : requestHttp(url, { method: "POST", headers, agent: http });
  request.end(text);
  return request;
}

function post(url: URL, body: JsonObject, agents: Agents, token?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = open(url, JSON.stringify(body), agents, token);
    const deadline = setTimeout(
      () => request.destroy(new Error("it took too long")),
      remoteLimits.etcdMs,
    );
    request.on("close", () => clearTimeout(deadline));
    request.on("error", reject);
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes > remoteLimits.outputBytes) request.destroy(new AnswerTooLong());
      });
      response.on("error", reject);
      response.on("end", () => {
        const said = Buffer.concat(parts).toString("utf8");
        const value = parseJson(said);
        const known = isRecord(value) ? value : { message: said };
        resolve({ status: response.statusCode ?? 0, body: known });
      });
    });
  });
}

/** Proxies divide an answer anywhere. */
function eachLine(response: IncomingMessage, take: (line: string) => void): void {
  let rest = "";
  response.setEncoding("utf8").on("data", (part: string) => {
    const lines = `${rest}${part}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > remoteLimits.outputBytes) response.destroy();
    for (const line of lines) take(line);
  });
}

/** Whether a line of a watch tells of a change. */
function hasEvents(line: unknown): boolean {
  const result = isRecord(line) ? line["result"] : undefined;
  const events = isRecord(result) ? result["events"] : undefined;
  return Array.isArray(events) && events.length > 0;
}

function messageOf({ status, body }: Answer): string {
  const said = body["message"] ?? body["error"] ?? `status ${status}`;
  return String(said).slice(0, remoteLimits.faultCharacters);
}

function isOldToken(answer: Answer): boolean {
  return answer.status === 401 || /invalid auth token/.test(messageOf(answer));
}

/** Another member may do better. */
function isAway(answer: Answer): boolean {
  const isDown = /no leader|timed out|leader changed|server stopped|not capable/;
  return answer.status >= 500 && isDown.test(messageOf(answer));
}

function isDistrust(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code);
}
