#!/usr/bin/env bash
# chokidar 4.0.3 (Linux, inotify): a file that is replaced by another one of the same modification time is not reported, once it was read.
#
# Expected: inotify tells of the rename whatever the times are, so the replacement is a `change`; size and inode differ.
# Seen: chokidar looks at the times again and drops the event when the new file's mtime is that of the old one and its atime
# is later, which is what `cp -p` or an unpacked archive leaves of a file that somebody read. With any other mtime,
# also an older one, the same replacement is a `change`.
#
#   same mtime, read before: []
#   older mtime, read before: ["change box/file"]
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
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const written = new Date("2026-03-01T10:00:00Z");
const before = new Date("2026-02-01T10:00:00Z");
const read = new Date("2026-03-02T10:00:00Z");

async function eventsAtReplacing(mtime) {
  mkdirSync("box");
  writeFileSync("box/file", "short");
  utimesSync("box/file", read, written);
  const events = [];
  const watcher = chokidar.watch(resolve("box"), { ignoreInitial: true });
  watcher.on("all", (event, at) => events.push(`${event} ${relative(".", at)}`));
  watcher.on("error", (error) => events.push(`error ${error.code}`));
  await new Promise((done) => watcher.on("ready", done));
  await sleep(300);
  writeFileSync("next", "a longer text");
  utimesSync("next", read, mtime);
  renameSync("next", "box/file");
  await sleep(1200);
  await watcher.close();
  rmSync("box", { recursive: true });
  return JSON.stringify(events);
}

const same = await eventsAtReplacing(written);
const older = await eventsAtReplacing(before);
console.log(`same mtime, read before: ${same}\nolder mtime, read before: ${older}`);
process.exit(same === "[]" && older === '["change box/file"]' ? 0 : 1);
JS
node watch.mjs || { echo "changed: see the head of this script"; exit 1; }
