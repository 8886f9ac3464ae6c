#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: when one AfterAgent hook blocks and another allows, the reason of the one that allows becomes part of the next prompt.
#
# Expected: the turn goes on with the reason of the hook that blocked; the reason why another one has no objection is for the log.
# Seen: the reasons are joined, and the model is prompted with both as if the user had written them, so that a hook which only
# says "nothing to add" speaks to the model whenever some other hook blocks. Alone, its reason is sent to nobody.
#
#   allowed by the only hook, last prompt: ["Hello"]
#   blocked by one, allowed by the other, last prompt: ["Run the tests.\nNothing to add."]
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
cat >project/block.sh <<'SH'
[ -e blocked ] && exit 0
touch blocked
echo '{"decision":"block","reason":"Run the tests."}'
SH
echo '{"decision":"allow","reason":"Nothing to add."}' >project/allow.json
hooks() { echo "{\"hooks\":{\"AfterAgent\":[{\"hooks\":[$1]}]}}" >project/.gemini/settings.json; }
allow='{"type":"command","command":"cat allow.json"}'
hooks "$allow"
alone=$(gemini Hello)
hooks "{\"type\":\"command\",\"command\":\"sh block.sh\"},$allow"
both=$(gemini Hello)
seen="allowed by the only hook, last prompt: $alone
blocked by one, allowed by the other, last prompt: $both"
expected='allowed by the only hook, last prompt: ["Hello"]
blocked by one, allowed by the other, last prompt: ["Run the tests.\nNothing to add."]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
