#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60: a text that begins with U+FEFF is read without it, but only if it is longer than 16 bytes.
#
# Expected: a text is read as it was stored, whatever its length; node:sqlite does so.
# Seen: the database holds the character, SQLite counts it, and a short text has it; a longer one comes back without.
# Texts above 16 bytes are decoded by a TextDecoder without `ignoreBOM`, shorter ones by the package's own loop. A key
# that was read is so not found again.
#
#   short: stored 3 characters, read 3
#   long: stored 36 characters, read 35
#   found by the key that was read: 0
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-sqlite3-wasm@0.8.60
cat >mark.cjs <<'JS'
const { Database } = require("node-sqlite3-wasm");
const db = new Database("a.db");
db.exec("CREATE TABLE note (key TEXT PRIMARY KEY)");
const texts = { short: "\ufeffab", long: "\ufeff a text that is longer than sixteen" };
let read = "";
for (const [name, text] of Object.entries(texts)) {
  db.run("INSERT INTO note VALUES (?)", [text]);
  const row = db.get("SELECT key, length(key) AS length FROM note WHERE key = ?", [text]);
  read = row.key;
  console.log(`${name}: stored ${row.length} characters, read ${read.length}`);
}
const { count } = db.get("SELECT count(*) AS count FROM note WHERE key = ?", [read]);
console.log(`found by the key that was read: ${count}`);
db.close();
JS
expected='short: stored 3 characters, read 3
long: stored 36 characters, read 35
found by the key that was read: 0'
seen=$(node mark.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
