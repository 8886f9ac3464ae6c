#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60 (SQLite 3.53): write-ahead logging works in exclusive locking mode only, and a database
# that another program left in WAL mode does not open in the default mode.
#
# Expected: `PRAGMA journal_mode = wal` answers `wal`, or the build fails at once; a WAL database that was closed
# cleanly, without -wal and -shm files, opens like any other.
# Seen: the pragma answers `delete` without an error unless `locking_mode = exclusive` came before it. Once a
# database is in WAL mode its first read in the default mode fails with "unable to open database file", though the
# file is there and readable; with the exclusive mode first, the same file reads.
#
#   wal asked for: delete
#   exclusive, then wal: wal
#   opened again: unable to open database file
#   opened again, exclusive first: 1 row
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-sqlite3-wasm@0.8.60
cat >wal.cjs <<'JS'
const { Database } = require("node-sqlite3-wasm");
const lines = [];
let db = new Database("a.db");
db.exec("CREATE TABLE note (text)");
db.run("INSERT INTO note VALUES ('kept')");
lines.push(`wal asked for: ${db.get("PRAGMA journal_mode = wal").journal_mode}`);
db.close();

db = new Database("a.db");
db.exec("PRAGMA locking_mode = exclusive");
lines.push(`exclusive, then wal: ${db.get("PRAGMA journal_mode = wal").journal_mode}`);
db.close();

db = new Database("a.db");
try {
  lines.push(`opened again: ${db.all("SELECT * FROM note").length} row`);
} catch (error) {
  lines.push(`opened again: ${error.message}`);
}
db.close();

db = new Database("a.db");
db.exec("PRAGMA locking_mode = exclusive");
lines.push(`opened again, exclusive first: ${db.all("SELECT * FROM note").length} row`);
db.close();
console.log(lines.join("\n"));
JS
expected='wal asked for: delete
exclusive, then wal: wal
opened again: unable to open database file
opened again, exclusive first: 1 row'
seen=$(node wal.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
