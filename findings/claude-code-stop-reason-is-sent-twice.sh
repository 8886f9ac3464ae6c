#!/usr/bin/env bash
# @anthropic-ai/claude-code 2.1.330, headless: the reason of a Stop hook that blocks is sent to the model twice.
#
# Expected: the model reads the reason once, in the message that makes it go on.
# Seen: the next request has it as a message of the user ("Stop hook feedback") and once more as a message of the system ("Stop hook
# blocking error from command"), so what a hook prints costs twice its tokens at each stop. Context of a
# UserPromptSubmit hook comes once.
#
#   reason of a Stop hook: 2 (1 of the user, 1 of the system)
#   context of a UserPromptSubmit hook: 1
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @anthropic-ai/claude-code@2.1.330
cat >model.mjs <<'JS'
// Says "ok" to every turn and keeps the messages of the last request as one text.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (request.url.startsWith("/v1/messages?")) writeFileSync("told.json", JSON.stringify(JSON.parse(body).messages));
  const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  response.setHeader("content-type", "text/event-stream");
  response.write(event("message_start", { message }));
  response.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
  response.write(event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "ok" } }));
  response.write(event("content_block_stop", { index: 0 }));
  response.write(event("message_delta", { delta: { stop_reason: "end_turn" }, usage }));
  response.end(event("message_stop", {}));
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
server=$!
mkdir -p home project/.claude
while [ ! -s port ]; do sleep 0.1; done
claude() { # hooks of an event as one command each: a prompt is answered, told.json has what the model was told
  node -e 'const [event, ...commands] = process.argv.slice(1);
    const hooks = commands.map((command) => ({ type: "command", command }));
    console.log(JSON.stringify({ hooks: { [event]: [{ hooks }] } }));' "$@" >project/.claude/settings.json
  (cd project && HOME="$work/home" ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port)" \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 ../node_modules/.bin/claude -p Hello </dev/null >../out 2>../err)
}
times() { { grep -o "$1" told.json || true; } | wc -l | xargs; }
printf '%s' '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"rain-today"}}' >project/context.json
printf '%s' '{"decision":"block","reason":"run-the-tests"}' >project/block.json
claude Stop 'if mkdir stopped; then cat block.json; fi'
reason="$(times run-the-tests) ($(times 'Stop hook feedback') of the user, $(times 'Stop hook blocking error') of the system)"
claude UserPromptSubmit 'cat context.json'
seen="reason of a Stop hook: $reason
context of a UserPromptSubmit hook: $(times rain-today)"
expected='reason of a Stop hook: 2 (1 of the user, 1 of the system)
context of a UserPromptSubmit hook: 1'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
