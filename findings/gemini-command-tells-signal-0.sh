#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: the output of a command that a custom slash command runs says that it was ended by a signal, when it succeeded.
#
# Expected: `!{...}` in a command's prompt is replaced by what the shell command printed; a note follows only where it failed.
# Seen: after a command that ended with 0 the model reads "terminated by signal 0"; after one that ended with 3 it reads
# "exited with code 3". A model takes the first for a crash.
#
#   ended with 0: ["Log: fine\n[Shell command '"'"'echo fine'"'"' terminated by signal 0]"]
#   ended with 3: ["Log: bad\n[Shell command '"'"'echo bad; exit 3'"'"' exited with code 3]"]
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
echo 'prompt = "Log: !{echo fine}"' >project/.gemini/commands/good.toml
echo 'prompt = "Log: !{echo bad; exit 3}"' >project/.gemini/commands/bad.toml
seen="ended with 0: $(gemini /good)
ended with 3: $(gemini /bad)"
expected='ended with 0: ["Log: fine\n[Shell command '"'"'echo fine'"'"' terminated by signal 0]"]
ended with 3: ["Log: bad\n[Shell command '"'"'echo bad; exit 3'"'"' exited with code 3]"]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
