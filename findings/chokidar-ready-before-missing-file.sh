#!/usr/bin/env bash
# chokidar 4.0.3 (Linux, inotify): `ready` comes before a missing file is watched for.
#
# Expected: what happens after `ready` is reported; that is what the event is for.
# Seen: with `ignoreInitial`, a watched file that does not exist yet and is made as `ready` is handled is taken for
# an initial one: no `add`, 10 times of 10. Its next change is then called `add`. A folder watched in the same way
# reports the file each time.
#
#   made at ready, the file is watched: 0 of 10 reported, next change: add
#   made at ready, its folder is watched: 10 of 10 reported
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
import { setTimeout as sleep } from "node:timers/promises";

/** The events of a file that is made as soon as its watcher is ready, and of its next change. */
async function eventsOf(round, target) {
  mkdirSync(round);
  const events = [];
  const watcher = chokidar.watch(target, { ignoreInitial: true });
  watcher.on("all", (event) => events.push(event));
  await new Promise((done) => watcher.on("ready", done));
  writeFileSync(`${round}/file`, "1");
  await sleep(400);
  const atOnce = events.splice(0);
  appendFileSync(`${round}/file`, "2");
  await sleep(400);
  await watcher.close();
  return { atOnce, next: events[0] };
}

const [asFile, asFolder] = [[], []];
for (let round = 0; round < 10; round += 1) {
  asFile.push(await eventsOf(`file-${round}`, `file-${round}/file`));
  asFolder.push(await eventsOf(`folder-${round}`, `folder-${round}`));
}
const reported = (rounds) => rounds.filter(({ atOnce }) => atOnce.length > 0).length;
const [next] = asFile.map((it) => it.next);
console.log(`made at ready, the file is watched: ${reported(asFile)} of 10 reported, next change: ${next}`);
console.log(`made at ready, its folder is watched: ${reported(asFolder)} of 10 reported`);
process.exit(reported(asFile) === 0 && reported(asFolder) === 10 ? 0 : 1);
JS
node watch.mjs || { echo "changed: see the head of this script"; exit 1; }
