import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { ConsultaError, refused, unavailable } from "../../base/errors.ts";
import { isRecord, type JsonObject, parseJson, valueIn } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { oneLine } from "../../base/visible-text.ts";
import { remoteLimits } from "../limits.ts";

/** How a cluster is reached. */
export interface EtcdAddress {
  /** As the user's settings name it. */
  readonly name: string;
  /** Of its members, in the order in which they are asked. */
  readonly endpoints: readonly string[];
  readonly user?: string;
  readonly password?: string;
  /** Who signs the certificates of the members, in place of whom Node trusts; PEM. */
  readonly ca?: string;
}

/** What a member said: its status, and the JSON or text of it. */
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface CallTerms {
  /** By one member: a second could hear what the first has done. */
  readonly isAskedOnce?: boolean;
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Members that did not answer when they were last asked, by any client of this process: they come last. */
const away = new Set<string>();

/**
 * Speaks to an etcd cluster by its HTTP gateway (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/).
 * A member that does not answer, or has no leader, is passed over for the next.
 */
export class EtcdClient {
  readonly #address: EtcdAddress;
  readonly #agents: Agents;
  #token: string | undefined;

  constructor(address: EtcdAddress) {
    this.#address = address;
    const { ca } = address;
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    const verified = { keepAlive: true, rejectUnauthorized: true };
    const settings = { ...verified, ...defined({ ca }) };
    this.#agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent(settings) };
  }

  get name(): string {
    return this.#address.name;
  }

  /**
   * Asks for something, signed in if the settings have a user; a token that is too old, or that
   * the member asked does not know yet, is replaced once.
   * @throws ConsultaError UNAVAILABLE when no member answers, has a leader or has room: what was asked
   * may have been done; REFUSED when it may not be done, or the answer is too long.
   */
  async call(path: string, body: JsonObject, terms: CallTerms = {}): Promise<Answer["body"]> {
    for (let isReplaced = false; ; isReplaced = true) {
      const token = await this.#signIn();
      const answer = await this.#ask(path, body, terms, token);
      if (answer.status === 200) return this.#checked(answer.body);
      if (isReplaced || token === undefined || !isOldToken(answer)) throw this.#fault(answer);
      // Another call may have replaced it already.
      if (this.#token === token) this.#token = undefined;
    }
  }

  /**
   * Calls `onNews` for each change of some keys, and once it hears of them; `onEnd`, never at once, when
   * the member does not tell of them, or no longer. Returns what ends it.
   */
  watch(range: JsonObject, onNews: () => void, onEnd: () => void): () => void {
    let request: ClientRequest | undefined;
    let hasEnded = false;
    const end = () => {
      if (!hasEnded) onEnd();
      hasEnded = true;
    };
    this.#signIn().then((token) => {
      if (!hasEnded) request = this.#watching(range, token, onNews, end);
    }, end);
    return () => {
      hasEnded = true;
      request?.destroy();
    };
  }

  #watching(
    range: JsonObject,
    token: string | undefined,
    onNews: () => void,
    end: () => void,
  ): ClientRequest {
    const url = new URL("/v3/watch", this.#inOrder()[0]);
    const body = JSON.stringify({ create_request: range });
    const request = open(url, body, this.#agents, token);
    const deadline = setTimeout(() => request.destroy(), remoteLimits.etcdMs);
    request.on("error", end);
    request.on("close", () => {
      clearTimeout(deadline);
      end();
    });
    request.on("response", (response) => {
      response.on("error", end);
      eachLine(response, (line) => {
        clearTimeout(deadline);
        const told = parseJson(line);
        // The gateway says so in an answer of 200, and leaves that open.
        const isCanceled = valueIn(told, "result", "canceled") === true;
        if (isCanceled && this.#token === token && oldToken.test(line)) this.#token = undefined;
        if (isCanceled) request.destroy();
        else if (isNews(told)) onNews();
      });
    });
    return request;
  }

  async #signIn(): Promise<string | undefined> {
    const { user: name, password } = this.#address;
    if (name === undefined || this.#token !== undefined) return this.#token;
    const answer = await this.#ask("/v3/auth/authenticate", { name, password: password ?? "" }, {});
    const { token } = answer.body;
    if (answer.status !== 200 || typeof token !== "string") throw this.#fault(answer);
    this.#token = token;
    return token;
  }

  #inOrder(): string[] {
    const { endpoints } = this.#address;
    return [...endpoints.filter((it) => !away.has(it)), ...endpoints.filter((it) => away.has(it))];
  }

  async #ask(path: string, body: JsonObject, terms: CallTerms, token?: string): Promise<Answer> {
    const members = this.#inOrder();
    const { isAskedOnce = false } = terms;
    let why = "";
    // The first once more: it may have closed a connection that was kept.
    for (const member of isAskedOnce ? members.slice(0, 1) : [...members, ...members.slice(0, 1)]) {
      const isLast = members.every((it) => it === member || away.has(it));
      const silentMs = isAskedOnce || isLast ? remoteLimits.etcdMs : remoteLimits.etcdSilentMs;
      try {
        const request = open(new URL(path, member), JSON.stringify(body), this.#agents, token);
        const answer = await post(request, silentMs);
        if (!isAway(answer)) {
          away.delete(member);
          return answer;
        }
        why ||= `${originOf(member)}: ${messageOf(answer)}`;
      } catch (cause) {
        if (!(cause instanceof Error) || cause instanceof ConsultaError) throw cause;
        const code = "code" in cause ? String(cause.code) : "";
        if (isDistrust(code)) throw this.#distrusted(originOf(member), code);
        why ||= `${originOf(member)}: ${code || cause.message}`;
      }
      away.add(member);
    }
    throw this.#outOfReach(why);
  }

  /** Every answer of etcd says which member gave it, and when. */
  #checked(body: Answer["body"]): Answer["body"] {
    if (isRecord(body["header"])) return body;
    // Of calls that stream the first line is what was asked for.
    const { result } = body;
    if (isRecord(result) && isRecord(result["header"])) return result;
    throw this.#outOfReach("it does not answer as etcd does");
  }

  #fault(answer: Answer): ConsultaError {
    const { name, user, password = "" } = this.#address;
    const told = messageOf(answer);
    const written = JSON.stringify(password).slice(1, -1);
    const said =
      password === "" ? told : told.replaceAll(password, "...").replaceAll(written, "...");
    if (/space exceeded/.test(said)) {
      const way = "its owner makes room (etcdctl compact, defrag, alarm disarm)";
      return unavailable(`${name} is full (${said}): ${way}; then run the same command again`);
    }
    const who = user === undefined ? "nobody is signed in" : `as ${user}`;
    const way = /not enabled/.test(said)
      ? "it asks for no users now: its owner switched them off, or it is another cluster, or a wiped one; ask its owner"
      : `check stores.${name} in ~/.consulta/config.yaml`;
    if (/authentication|auth token|permission|user name is empty/i.test(said))
      return refused(`${name} does not let you (${said}; ${who}): ${way}`, {
        reason: /permission denied/i.test(said) ? "no permission" : undefined,
      });
    if (answer.status < 500)
      return refused(`${name} does not take this (${said}); nothing was stored`);
    return unavailable(`${name} failed (${said}); run the same command again`);
  }

  #outOfReach(why: string): ConsultaError {
    const fault = `${this.#address.name} is out of reach (${why})`;
    const message = `${fault}; run the same command again when it can be reached`;
    return unavailable(message, { fault });
  }

  #distrusted(endpoint: string, code: string): ConsultaError {
    const { name } = this.#address;
    const at = `stores.${name} in ~/.consulta/config.yaml`;
    const way = /ALTNAME/.test(code)
      ? `check the address under ${at}: it is not one that the certificate names`
      : `name the file of who signed it as ca under ${at}`;
    return refused(`the certificate of ${endpoint} is not trusted (${code}): ${way}`);
  }
}

/** A member's address as it may be shown: nothing in it proves who one is. */
function originOf(member: string): string {
  return new URL(member).origin;
}

function open(url: URL, text: string, { http, https }: Agents, token?: string): ClientRequest {
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    // A member that is cut off from the others says so, in place of waiting for them.
    "grpc-metadata-hasleader": "true",
    ...defined({ authorization: token }),
  };
  const request =
    url.protocol === "https:"
      ? requestHttps(url, { method: "POST", headers, agent: https })
      : requestHttp(url, { method: "POST", headers, agent: http });
  request.once("socket", (socket) => {
    if (socket.connecting) socket.setTimeout(remoteLimits.etcdConnectMs, () => cutIfAway(request));
  });
  request.end(text);
  return request;
}

function cutIfAway(request: ClientRequest): void {
  if (request.socket?.connecting === true) request.destroy(new Error("it does not answer"));
}

/** The answer, which begins within `silentMs`. */
function post(request: ClientRequest, silentMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const cutLate = () => request.destroy(new Error("it took too long"));
    const timers = [setTimeout(cutLate, silentMs), setTimeout(cutLate, remoteLimits.etcdMs)];
    request.on("response", () => clearTimeout(timers[0]));
    request.on("close", () => timers.forEach(clearTimeout));
    request.on("error", reject);
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes > remoteLimits.outputBytes) request.destroy(tooLong());
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

function tooLong(): ConsultaError {
  const reason = `the cluster answered with more than ${remoteLimits.outputBytes} bytes`;
  return refused(`${reason}: no script of Consulta stored that; ask who wrote it`);
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

/** Whether a line of a watch tells of a change, or, as its first line, that it will. */
function isNews(line: unknown): boolean {
  const result = isRecord(line) ? line["result"] : undefined;
  if (!isRecord(result)) return false;
  const { created, events } = result;
  return created === true || (Array.isArray(events) && events.length > 0);
}

function messageOf({ status, body }: Answer): string {
  const said = body["message"] ?? body["error"] ?? `status ${status}`;
  return oneLine(String(said)).slice(0, remoteLimits.faultCharacters);
}

const oldToken = /invalid auth token|auth store is old/;

function isOldToken(answer: Answer): boolean {
  return answer.status === 401 || oldToken.test(messageOf(answer));
}

/** Another member may do better: this one says that it cannot now, or what stands before it does. */
function isAway({ status }: Answer): boolean {
  return status >= 502 && status <= 504;
}

function isDistrust(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code);
}
