#!/usr/bin/env bash
# opencode-ai 1.18.33: a turn that is aborted ends with two events `session.idle`, one that ends by itself with one.
#
# Expected: one `session.idle` for each turn. A plugin or program that skips the one that follows `MessageAbortedError`, because its
# person has just stopped the work, may act on the next.
# Seen: the second comes some milliseconds after the first, and nothing in it says that it is of the same turn.
#
#   a turn that ends: session.idle
#   one that is aborted: session.error MessageAbortedError, session.idle, session.idle
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
server= model=
trap 'kill $server $model 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit opencode-ai@1.18.33
cat >model.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const events = [
  { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "x", content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  // It thinks for ever about this one.
  if (body.includes("Think for ever")) return;
  response.setHeader("content-type", "text/event-stream");
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
model=$!
while [ ! -s port ]; do sleep 0.1; done
mkdir -p home/.config/opencode project
export HOME=$work/home OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1
cat >home/.config/opencode/opencode.json <<JSON
{"model":"anthropic/claude-sonnet-4-5","small_model":"anthropic/claude-sonnet-4-5","autoupdate":false,"share":"disabled",
 "provider":{"anthropic":{"options":{"apiKey":"dummy","baseURL":"http://127.0.0.1:$(cat port)/v1"}}}}
JSON
(cd project && exec ../node_modules/.bin/opencode serve --port 0 >../serve.log 2>&1) &
server=$!
until grep -q 'listening on http' serve.log; do sleep 0.2; done
cat >client.mjs <<'JS'
const [address] = process.argv.slice(2);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const post = async (path, body = {}) => {
  const headers = { "content-type": "application/json" };
  const text = await (await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) })).text();
  return text === "" ? undefined : JSON.parse(text);
};
let came = [];
const stream = await fetch(`${address}/event`);
void (async () => {
  let rest = "";
  for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop();
    for (const line of lines.filter((it) => it.startsWith("data:"))) {
      const { type, properties } = JSON.parse(line.slice(5));
      if (type === "session.idle") came.push(type);
      if (type === "session.error") came.push(`${type} ${properties.error?.name}`);
      if (type === "session.status" && properties.status.type === "busy") isBusy = true;
    }
  }
})();
let isBusy = false;
const until = async (holds) => {
  for (let tries = 0; !holds() && tries < 600; tries += 1) await sleep(100);
};
async function turn(text, abort) {
  came = [];
  isBusy = false;
  const { id } = await post("/session");
  await post(`/session/${id}/prompt_async`, { parts: [{ type: "text", text }] });
  await until(() => isBusy);
  await sleep(abort ? 2000 : 0);
  if (abort) await post(`/session/${id}/abort`);
  await until(() => came.includes("session.idle"));
  await sleep(2000);
  return came.join(", ");
}
console.log(`a turn that ends: ${await turn("Say ok", false)}`);
console.log(`one that is aborted: ${await turn("Think for ever", true)}`);
process.exit();
JS
node client.mjs "$(grep -o 'http://[0-9.:]*' serve.log | head -n 1)" | tee seen
grep -qx 'a turn that ends: session.idle' seen &&
  grep -qx 'one that is aborted: session.error MessageAbortedError, session.idle, session.idle' seen
