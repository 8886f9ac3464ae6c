#!/usr/bin/env bash
# @anthropic-ai/claude-code 2.1.330, headless: the JSON of a hook that ended with 1 counts as if it had ended with 0.
#
# Expected: its documentation reads JSON from hooks that end with 0; another code than 0 and 2 is an error that stops nothing, and what was
# printed is shown to the person alone.
# Seen: the context of a UserPromptSubmit hook that ended with 1 is in the prompt, and the decision of a Stop hook that ended with 1
# makes the model go on. Nothing says that a hook failed. Without JSON, text printed before an exit with 1 is passed over.
#
#   UserPromptSubmit, exit 1 with context: told 1 time
#   Stop, exit 1 with a block: 1 turn more
#   UserPromptSubmit, exit 1 with text: told 0 times
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
printf '%s' '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"half-a-list"}}' >project/context.json
printf '%s' '{"decision":"block","reason":"go-on-please"}' >project/block.json
claude UserPromptSubmit 'cat context.json; exit 1'
context=$(times half-a-list)
claude Stop 'if mkdir stopped; then cat block.json; exit 1; fi'
blocked=$(times "Stop hook feedback")
claude UserPromptSubmit 'echo half-a-list; exit 1'
text=$(times half-a-list)
seen="UserPromptSubmit, exit 1 with context: told $context time
Stop, exit 1 with a block: $blocked turn more
UserPromptSubmit, exit 1 with text: told $text times"
expected='UserPromptSubmit, exit 1 with context: told 1 time
Stop, exit 1 with a block: 1 turn more
UserPromptSubmit, exit 1 with text: told 0 times'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
