#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: what a failed BeforeAgent hook printed is put into the prompt all the same.
#
# Expected: a hook that ended with 1 is told as failed, and its output goes to nobody but the person.
# Seen: the CLI says that the hook failed, and the model gets its context as from one that succeeded. Where a line that is no JSON
# comes before it the hook "succeeded" and its context is lost.
#
#   exit 1: failed, ["Hello","<hook_context>half a list</hook_context>"]
#   exit 0 after a line of text: succeeded, ["Hello"]
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @google/gemini-cli@0.61.0
cat >model.mjs <<'JS'
// Says "ok" to every turn and keeps what the user's last turn was, without the CLI's own description of the folder.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { parts } = JSON.parse(body).contents.findLast(({ role }) => role === "user");
  const said = parts.map(({ text }) => text).filter((text) => !text.startsWith("<session_context>"));
  writeFileSync("said.json", JSON.stringify(said));
  const content = { role: "model", parts: [{ text: "ok" }] };
  response.setHeader("content-type", "text/event-stream");
  response.end(`data: ${JSON.stringify({ candidates: [{ content, finishReason: "STOP", index: 0 }] })}\r\n\r\n`);
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
server=$!
mkdir -p home/.gemini project/.gemini
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}' >home/.gemini/settings.json
while [ ! -s port ]; do sleep 0.1; done
gemini() { # a prompt: prints what the model was told
  (cd project && HOME="$work/home" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
    GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat ../port)" ../node_modules/.bin/gemini -m gemini-2.5-flash \
    --approval-mode yolo -p "$1" </dev/null >../out 2>../err)
  cat said.json
}
context='{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"half a list"}}'
printf '%s' "$context" >project/context.json
settings() { echo "{\"hooks\":{\"BeforeAgent\":[{\"hooks\":[{\"type\":\"command\",\"name\":\"list\",\"command\":\"$1\"}]}]}}" >project/.gemini/settings.json; }
told() { grep -q "1 failed (list)" err && echo failed || echo succeeded; }
settings 'cat context.json; exit 1'
failed=$(gemini Hello)
failed="$(told), $failed"
settings 'echo Loading; cat context.json'
noisy=$(gemini Hello)
noisy="$(told), $noisy"
seen="exit 1: $failed
exit 0 after a line of text: $noisy"
expected='exit 1: failed, ["Hello","<hook_context>half a list</hook_context>"]
exit 0 after a line of text: succeeded, ["Hello"]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
