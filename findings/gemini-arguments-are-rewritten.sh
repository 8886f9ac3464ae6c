#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: what is typed behind a custom command reaches `{{args}}` with its line ends and runs of blanks as one blank each, and with
# `$$`, `$&` and the like replaced as patterns of JavaScript.
#
# Expected: its manual says that they "are injected exactly as the user typed them": a question of two lines, a pasted piece of code, a price and a shell
# variable arrive as they are.
# Seen: two lines are one; `$$5` is `$5`; `$&` is the placeholder itself. Without `{{args}}` in the command the typed line is put below the prompt, and
# there not a sign is changed.
#
#   with {{args}}: ["Asked: if a: pay $5 and {{args}}"]
#   without: ["Asked:\n\n/below if a:\n  pay  $$5 and $&"]
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
mkdir -p home/.gemini project/.gemini/commands
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}' >home/.gemini/settings.json
while [ ! -s port ]; do sleep 0.1; done
gemini() { # a prompt: prints what the model was told
  (cd project && HOME="$work/home" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
    GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat ../port)" ../node_modules/.bin/gemini -m gemini-2.5-flash \
    -p "$1" </dev/null >../out 2>../err)
  cat said.json
}
echo 'prompt = "Asked: {{args}}"' >project/.gemini/commands/inside.toml
echo 'prompt = "Asked:"' >project/.gemini/commands/below.toml
typed='if a:
  pay  $$5 and $&'
seen="with {{args}}: $(gemini "/inside $typed")
without: $(gemini "/below $typed")"
expected='with {{args}}: ["Asked: if a: pay $5 and {{args}}"]
without: ["Asked:\n\n/below if a:\n  pay  $$5 and $&"]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
