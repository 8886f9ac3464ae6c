#!/usr/bin/env bash
# chokidar 4.0.3 (Linux, inotify): a watched path whose parent folder does not exist yet is never seen.
#
# Expected: the path is reported once it is made, as chokidar does for a missing file in a folder that exists, or
# an error says that it cannot be watched.
# Seen: `ready` is emitted, no `error`; the folder, its file and later changes are made and no event comes, until
# the watcher is closed. Beside it, in the same run, a missing file of an existing folder is reported.
#
#   missing file, folder exists: ["add near"]
#   missing file, folder missing: []
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit chokidar@4.0.3
cat >watch.mjs <<'JS'
import chokidar from "chokidar";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

async function eventsOf(path, act) {
  const events = [];
  const watcher = chokidar.watch(resolve(path), { ignoreInitial: true });
  watcher.on("all", (event, at) => events.push(`${event} ${relative(".", at)}`));
  watcher.on("error", (error) => events.push(`error ${error.code}`));
  await new Promise((done) => watcher.on("ready", done));
  await sleep(300);
  await act();
  await sleep(1500);
  await watcher.close();
  return JSON.stringify(events);
}

const beside = await eventsOf("near", () => writeFileSync("near", "1"));
const below = await eventsOf("folder/far", async () => {
  mkdirSync("folder");
  await sleep(300);
  writeFileSync("folder/far", "1");
  await sleep(300);
  appendFileSync("folder/far", "2");
});
console.log(`missing file, folder exists: ${beside}\nmissing file, folder missing: ${below}`);
process.exit(beside === '["add near"]' && below === "[]" ? 0 : 1);
JS
node watch.mjs || { echo "changed: see the head of this script"; exit 1; }
