#!/usr/bin/env bash
# @google/gemini-cli 0.61.0, headless: with `-o json` or `stream-json` a request that the API rejects ends the CLI with the HTTP status as its exit
# code, of which the system keeps the lowest eight bits.
#
# Expected: 1, "general error or API failure" in the table of its documentation, whatever the form of the output.
# Seen: 400 ends with 144, 403 with 147. A script takes more than 128 for a signal (144 is SIGSTKFLT, 147 a SIGSTOP), and one that looks for 1 takes it for something
# else than a failure of the API. With text as the output it is 1.
#
#   400: text 1, json 144, stream-json 144
#   403: text 1, json 147, stream-json 147
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @google/gemini-cli@0.61.0
cat >model.mjs <<'JS'
// Rejects every request, with the status that the file names.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer((request, response) => {
  const code = Number(readFileSync("status", "utf8"));
  const status = { 400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED" }[code];
  request.resume();
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code, message: "rejected", status } }));
}).listen(0, "127.0.0.1", () => writeFileSync("port", `${server.address().port}`));
JS
node model.mjs &
server=$!
mkdir -p home/.gemini project
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}' >home/.gemini/settings.json
while [ ! -s port ]; do sleep 0.1; done
code() { # a form of output: prints the exit code
  local code=0
  (cd project && HOME="$work/home" GEMINI_API_KEY=none GEMINI_CLI_TRUST_WORKSPACE=true \
    GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat ../port)" ../node_modules/.bin/gemini -m gemini-2.5-flash \
    -o "$1" -p Hello </dev/null >../out 2>../err) || code=$?
  echo "$1 $code"
}
seen=
for status in 400 403; do
  echo "$status" >status
  seen="$seen$status: $(code text), $(code json), $(code stream-json)
"
done
expected='400: text 1, json 144, stream-json 144
403: text 1, json 147, stream-json 147
'
printf '%s' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
