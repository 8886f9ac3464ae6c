/**
 * Serves the repositories below a folder by `git http-backend` on loopback, as a host does; prints its
 * port. With a password it lets nobody in without; with a delay it kills one in so many backends after
 * that time.
 *
 *   node git-http.mjs <folder> [user:password] [kill one of] [after ms]
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";

const [folder = "", password = "", killEach = "0", killAfterMs = "0"] = process.argv.slice(2);
const wanted = `Basic ${Buffer.from(password).toString("base64")}`;

const server = createServer((request, response) => {
  if (password !== "" && request.headers.authorization !== wanted) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  serve(request, response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.stdout.write(`${address?.port}\n`);
});

/** What a killed backend held stays locked until somebody clears it, as hosts do. */
const staleMs = 1_000;
if (Number(killEach) > 0)
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

function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "", "http://localhost");
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
  if (isPush && Number(killEach) > 0 && Math.random() < 1 / Number(killEach)) {
    const ms = Math.random() * Number(killAfterMs);
    setTimeout(() => {
      // A host dies with all that it runs.
      if (backend.pid !== undefined && backend.exitCode === null) {
        process.stdout.write("killed\n");
        process.kill(-backend.pid, "SIGKILL");
      }
      response.destroy();
    }, ms);
  }
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on("data", (part: Buffer) => {
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
