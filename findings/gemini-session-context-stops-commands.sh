#!/usr/bin/env bash
# @google/gemini-cli 0.61.0, headless: a SessionStart hook that gives context stops slash commands from being expanded.
#
# Expected: `gemini -p "/greet Ann"` sends the command's prompt with or without a hook; the context comes beside it.
# Seen: the context is put in front of what the user typed before commands are looked for. The text no longer begins with a
# slash, so the model gets "/greet Ann" as it is, and the exit code is 0. Without the hook, in the same project, the command
# is expanded.
#
#   without the hook: ["Say hello to Ann."]
#   with it: ["<hook_context>It is raining.</hook_context>\n\n/greet Ann"]
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
mkdir project/.gemini/commands
echo 'prompt = "Say hello to {{args}}."' >project/.gemini/commands/greet.toml
context='{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"It is raining."}}'
printf '%s' "$context" >project/context.json
without=$(gemini "/greet Ann")
echo '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cat context.json"}]}]}}' >project/.gemini/settings.json
with=$(gemini "/greet Ann")
seen="without the hook: $without
with it: $with"
expected='without the hook: ["Say hello to Ann."]
with it: ["<hook_context>It is raining.</hook_context>\n\n/greet Ann"]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
