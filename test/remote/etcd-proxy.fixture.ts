/**
 * Passes requests on to a member of etcd with TLS, by plain HTTP on loopback, and prints its port. Of the
 * first transaction that stores some words it prints a line, and holds it until it reads one.
 *
 *   node etcd-proxy.mjs <URL of the member> <file of the CA> <words>
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { request as requestHttps } from "node:https";

const [target = "", caFile = "", words = ""] = process.argv.slice(2);
const ca = readFileSync(caFile);
let isHeld = false;

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (request.url === "/v3/kv/txn" && !isHeld && stores(body.toString())) {
    isHeld = true;
    process.stdout.write("transaction\n");
    await once(process.stdin, "data");
  }
  const { host: _, ...headers } = request.headers;
  const onward = requestHttps(new URL(request.url ?? "/", target), { method: "POST", headers, ca });
  onward.on("error", () => response.destroy());
  onward.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  response.on("close", () => onward.destroy());
  onward.end(body);
});
/** Whether a transaction puts a value with these words. */
function stores(asked: string): boolean {
  const { success = [] }: { success?: { request_put?: { value?: string } }[] } = JSON.parse(asked);
  const values = success.map((it) => Buffer.from(it.request_put?.value ?? "", "base64"));
  return values.some((value) => value.includes(words));
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.stdout.write(`${address?.port}\n`);
});
