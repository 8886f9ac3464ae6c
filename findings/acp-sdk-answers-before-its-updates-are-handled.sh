#!/usr/bin/env bash
# @agentclientprotocol/sdk 2.4.0, client side: handlers of updates run at the same time, and the prompt's promise resolves while they still do.
#
# Expected: an agent's messages are handled in the order in which it sent them: the next update waits for the handler of the one before, and
# `request(session/prompt)` resolves when all updates of the turn were handled, for the protocol has an agent send them before its answer.
# Seen: a handler that returns a promise is called and not waited for. An update that takes longer (a file written, a page rendered) ends after later ones, and
# code behind `await ... prompt` finds nothing of it. With handlers that return at once all is in order, so it shows under load only.
#
#   handlers that return at once: one two three, answered
#   handlers that wait: answered, two three one
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
const results = {
  initialize: { protocolVersion: 1 },
  "session/new": { sessionId: "s" },
  "session/prompt": { stopReason: "end_turn" },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  for (const text of method === "session/prompt" ? ["one", "two", "three"] : []) {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId: "s", update } });
  }
  send({ id, result: results[method] });
});
JS
cat >client.mjs <<'JS'
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
async function play(waits) {
  const agent = spawn(process.execPath, ["agent.mjs"], { stdio: ["pipe", "pipe", "inherit"] });
  const seen = [];
  const { agent: peer } = client({ name: "finding" })
    .onNotification(methods.client.session.update, ({ params }) => {
      const { text } = params.update.content;
      if (!waits) return void seen.push(text);
      return sleep({ one: 900, two: 300, three: 600 }[text]).then(() => void seen.push(text));
    })
    .connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
  await peer.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  await peer.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
  await peer.request(methods.agent.session.prompt, { sessionId: "s", prompt: [{ type: "text", text: "Hello" }] });
  seen.push("answered");
  await sleep(1500);
  agent.kill();
  return seen.join(" ").replace(/ ?answered ?/, (it) => (it.startsWith(" ") ? ", answered" : "answered, "));
}
console.log(`handlers that return at once: ${await play(false)}
handlers that wait: ${await play(true)}`);
process.exit();
JS
expected='handlers that return at once: one two three, answered
handlers that wait: answered, two three one'
seen=$(node client.mjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
