#!/usr/bin/env bash
# @agentclientprotocol/sdk 2.4.0, client side: an agent's results are not checked against the schema, its updates are, and an update
# of a kind that this version does not know never reaches the handler.
#
# Expected: both directions are parsed by the schemas that the package carries: a result of another shape rejects the request. An
# update of a newer kind reaches the client, which may pass over it, as an unknown stop reason does.
# Seen: `session/new` without a session id, a protocol version that was not asked for and an unknown stop reason resolve as they came,
# typed as if they were right. An update of an unknown kind is dropped: a line on standard error, no event, no answer,
# and the turn ends as if the agent had said nothing.
#
#   initialize asked for 1: {"protocolVersion":99}
#   session/new: {}
#   session/prompt: {"stopReason":"paused"}
#   updates handled: agent_message_chunk
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @agentclientprotocol/sdk@2.4.0
cat >agent.mjs <<'JS'
import { createInterface } from "node:readline";
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
const results = {
  initialize: { protocolVersion: 99 },
  "session/new": {},
  "session/prompt": { stopReason: "paused" },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "session/prompt") {
    update({ sessionUpdate: "headline_of_a_newer_version", text: "1" });
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "2" } });
  }
  send({ id, result: results[method] });
});
JS
cat >client.mjs <<'JS'
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const agent = spawn(process.execPath, ["agent.mjs"], { stdio: ["pipe", "pipe", "inherit"] });
const handled = [];
const { agent: peer } = client({ name: "finding" })
  .onNotification(methods.client.session.update, ({ params }) => {
    handled.push(params.update.sessionUpdate);
  })
  .connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
const ask = async (method, params) => JSON.stringify(await peer.request(method, params));
const initialized = await ask(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
const opened = await ask(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
const prompt = [{ type: "text", text: "Hello" }];
const ended = await ask(methods.agent.session.prompt, { sessionId: "s", prompt });
console.log(`initialize asked for 1: ${initialized}
session/new: ${opened}
session/prompt: ${ended}
updates handled: ${handled.join(", ")}`);
agent.kill();
process.exit();
JS
expected='initialize asked for 1: {"protocolVersion":99}
session/new: {}
session/prompt: {"stopReason":"paused"}
updates handled: agent_message_chunk'
seen=$(node client.mjs 2>/dev/null)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
