#!/usr/bin/env bash
# @google/gemini-cli 0.61.0, --acp: session/load in the clock minute in which the conversation began loses it, for good; a later one
# answers before it has sent the history.
#
# Expected: session/load goes on in any conversation that session/new began in the same folder, and its answer comes after the last
# session/update of the history, as the protocol has it.
# Seen: a new record of the conversation is begun before the old one is looked for. Both files are named after the minute and the
# id: within one minute the new one overwrites the messages, and "No previous sessions found for this project." is the answer. In
# another minute it is found; what the model said there comes after the answer.
#
#   in the same minute: {"code":-32603,"details":"No previous sessions found for this project."}
#   in another one: answer before agent_message_chunk
#
# Exit 0: still so. Exit 1: it has changed. Takes up to two minutes: it waits for the clock.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @google/gemini-cli@0.61.0
cat >model.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer((request, response) => {
  request.resume();
  const content = { role: "model", parts: [{ text: "ok" }] };
  response.setHeader("content-type", "text/event-stream");
  response.end(`data: ${JSON.stringify({ candidates: [{ content, finishReason: "STOP", index: 0 }] })}\r\n\r\n`);
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
server=$!
mkdir -p home/.gemini project
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}' >home/.gemini/settings.json
while [ ! -s port ]; do sleep 0.1; done
cat >client.mjs <<'JS'
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const started = () => {
  const words = ["--acp", "-m", "gemini-2.5-flash", "--skip-trust"];
  const agent = spawn("../node_modules/.bin/gemini", words, { cwd: "project", detached: true, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  const came = [];
  createInterface({ input: agent.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "session/update") came.push(message.params.update.sessionUpdate);
    if (message.id === undefined) return;
    came.push("answer");
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const ask = (method, params) =>
    new Promise((done) => {
      last += 1;
      waiting.set(last, done);
      agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    });
  const end = () =>
    new Promise((done) => {
      agent.on("exit", done);
      process.kill(-agent.pid, "SIGTERM");
    });
  return { ask, end, came };
};
const hello = { protocolVersion: 1, clientCapabilities: {} };
const place = { cwd: `${process.cwd()}/project`, mcpServers: [] };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const minuteLeftMs = () => 60_000 - (Date.now() % 60_000);
async function begin() {
  const { ask, end } = started();
  await ask("initialize", hello);
  const { result } = await ask("session/new", place);
  const prompt = [{ type: "text", text: "Say ok" }];
  await ask("session/prompt", { sessionId: result.sessionId, prompt });
  await end();
  return result.sessionId;
}
async function load(sessionId) {
  const { ask, end, came } = started();
  await ask("initialize", hello);
  came.length = 0;
  const { error } = await ask("session/load", { ...place, sessionId });
  await sleep(1_000);
  await end();
  return error === undefined
    ? `${came.find((kind) => /answer|agent_message/.test(kind))} before ${came.findLast((kind) => /answer|agent_message/.test(kind))}`
    : JSON.stringify({ code: error.code, details: error.data?.details });
}
if (minuteLeftMs() < 40_000) await sleep(minuteLeftMs());
console.log(`in the same minute: ${await load(await begin())}`);
const id = await begin();
await sleep(minuteLeftMs());
console.log(`in another one: ${await load(id)}`);
JS
seen=$(HOME="$work/home" GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat port)" node client.mjs)
expected='in the same minute: {"code":-32603,"details":"No previous sessions found for this project."}
in another one: answer before agent_message_chunk'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
