#!/usr/bin/env bash
# node-sqlite3-wasm 0.8.60: a prepared statement whose run failed fails once more at its next use, for no reason of its own.
#
# Expected: each run of a prepared statement stands for itself, as with node:sqlite: after a broken constraint the same
# statement takes other values.
# Seen: the run after the failed one throws "Could not reset statement prior to binding new values"; the row is not
# written, and the one after that works. sqlite3_reset() gives the result of the run before, as its manual says, and the
# package takes that for a failure of the reset. A retry after "disk full" so loses what it stores first.
#
#   the same value again: UNIQUE constraint failed: note.text
#   another value: Could not reset statement prior to binding new values
#   a third value: ok
#   kept: first, third
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-sqlite3-wasm@0.8.60
cat >reuse.cjs <<'JS'
const { Database } = require("node-sqlite3-wasm");
const db = new Database("a.db");
db.exec("CREATE TABLE note (text UNIQUE)");
const insert = db.prepare("INSERT INTO note VALUES (?)");
insert.run(["first"]);
const said = (text) => {
  try {
    insert.run([text]);
    return "ok";
  } catch (error) {
    return error.message;
  }
};
console.log(`the same value again: ${said("first")}`);
console.log(`another value: ${said("second")}`);
console.log(`a third value: ${said("third")}`);
insert.finalize();
console.log(`kept: ${db.all("SELECT text FROM note").map(({ text }) => text).join(", ")}`);
db.close();
JS
expected='the same value again: UNIQUE constraint failed: note.text
another value: Could not reset statement prior to binding new values
a third value: ok
kept: first, third'
seen=$(node reuse.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
