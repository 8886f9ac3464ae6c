/**
 * Serves the repositories below a folder by `git http-backend`, as a host does, and prints its port; then a line
 * for each question and each push that it was killed in: see `git-server.ts`.
 *
 *   node git-http.mjs <folder> <options as JSON>
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import type { ServerOptions } from "./git-server.ts";

const [folder = "", given = "{}"] = process.argv.slice(2);
const options: ServerOptions = JSON.parse(given);
const { address = "127.0.0.1", password = "", killEach = 0, killAfterMs = 0 } = options;
const wanted = `Basic ${Buffer.from(password).toString("base64")}`;

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (password !== "" && request.headers.authorization !== wanted) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  serve(request, response);
}

const { certificates } = options;
const server =
  certificates === undefined
    ? createServer(answer)
    : createTlsServer(
        { key: readFileSync(certificates.key), cert: readFileSync(certificates.cert) },
        answer,
      );
server.listen(0, address, () => {
  const bound = server.address();
  if (typeof bound === "object") process.stdout.write(`${bound?.port}\n`);
});

/** What a killed backend held stays locked until somebody clears it, as hosts do. */
const staleMs = 1_000;
if (killEach > 0)
  setInterval(() => {
    for (const repository of readdirSync(folder)) {
      const sessions = join(folder, repository, "refs", "consulta");
      for (const name of existsSync(sessions) ? readdirSync(sessions) : []) {
        const path = join(sessions, name);
        const found = name.endsWith(".lock")
          ? statSync(path, { throwIfNoEntry: false })
          : undefined;
        if (found !== undefined && Date.now() - found.mtimeMs > staleMs)
          rmSync(path, { force: true });
      }
    }
  }, staleMs);

/** A push begins with its length, the commit before, the commit that is new, and the ref. */
const pushHead = 100;

function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "", "http://localhost");
  process.stdout.write(`asked ${request.headers["user-agent"]} ${pathname}${search}\n`);
  const backend = spawn("git", ["http-backend"], {
    detached: true,
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_USER: "somebody",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  const isPush = request.method === "POST" && pathname.endsWith("git-receive-pack");
  const push = { asked: "", answered: "" };
  if (isPush && killEach > 0 && Math.random() < 1 / killEach) {
    request.on("data", (part: Buffer) => {
      push.asked ||= part.toString("latin1", 0, pushHead);
    });
    const ms = Math.random() * killAfterMs;
    setTimeout(() => {
      // A host dies with all that it runs.
      if (backend.pid !== undefined && backend.exitCode === null) {
        process.kill(-backend.pid, "SIGKILL");
        const [, commit] = /^[0-9a-f]{44} ([0-9a-f]{40}) /.exec(push.asked) ?? [];
        if (!/^.*ok refs/m.test(push.answered)) process.stdout.write(`killed ${commit}\n`);
      }
      response.destroy();
    }, ms);
  }
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on("data", (part: Buffer) => {
    if (isPush) push.answered += part.toString("latin1");
    if (head === undefined) {
      response.write(part);
      return;
    }
    head = Buffer.concat([head, part]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const headers = head.toString("latin1", 0, end).split("\r\n");
    for (const header of headers) {
      const [name = "", value = ""] = header.split(/: (.*)/);
      if (name === "Status") response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  backend.on("close", () => response.end());
}
