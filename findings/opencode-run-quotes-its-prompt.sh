#!/usr/bin/env bash
# opencode-ai 1.18.33: the model reads the prompt of `opencode run "..."` in quotation marks, with a backslash before each one of its own.
#
# Expected: the model reads the argument as it is, as it does with `claude -p`, `gemini -p` and `codex exec`, and with `opencode run` itself when the prompt
# comes by standard input.
# Seen: an argument with a blank in it is put in quotation marks, and those inside are escaped. JSON, code and quoted words in the prompt arrive changed, and a model that
# is told to repeat a text repeats the backslashes. A custom command gets the same in $ARGUMENTS. One word alone arrives as it is.
#
#   one argument: "Repeat \"a b\" and {\"c\": 1}"
#   as words: Repeat "a b" and
#   by standard input: Repeat "a b" and {"c": 1}
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
model=
trap 'kill $model 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit opencode-ai@1.18.33
cat >model.mjs <<'JS'
// Says "ok" to every turn and keeps what the user's last turn was.
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
  const { messages = [], tools = [] } = JSON.parse(body || "{}");
  // Without tools it is asked for a title.
  if (tools.length > 0) writeFileSync("said", messages.at(-1).content.map(({ text }) => text).join("\n"));
  response.setHeader("content-type", "text/event-stream");
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
model=$!
while [ ! -s port ]; do sleep 0.1; done
mkdir -p home/.config/opencode project
cat >home/.config/opencode/opencode.json <<JSON
{"model":"anthropic/claude-sonnet-4-5","small_model":"anthropic/claude-sonnet-4-5","autoupdate":false,"share":"disabled",
 "provider":{"anthropic":{"options":{"apiKey":"dummy","baseURL":"http://127.0.0.1:$(cat port)/v1"}}}}
JSON
run() { # arguments, standard input: prints what the model was told
  (cd project && HOME="$work/home" OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 \
    ../node_modules/.bin/opencode run "$@" >../out 2>../err)
  cat said
}
prompt='Repeat "a b" and {"c": 1}'
seen="one argument: $(run "$prompt" </dev/null)
as words: $(run Repeat '"a' 'b"' and </dev/null)
by standard input: $(printf '%s' "$prompt" | run)"
expected='one argument: "Repeat \"a b\" and {\"c\": 1}"
as words: Repeat "a b" and
by standard input: Repeat "a b" and {"c": 1}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
