#!/usr/bin/env bash
# chokidar 4.0.3 (Linux, inotify): after a folder below the watched one is swapped for another, the watcher goes on with the old one.
#
# Expected: when a link is led to another folder (a new link renamed over it, as releases are put in place), or a folder
# takes another's place by two renames, files that differ are `change`, and later changes are those of the new folder.
# Seen: only names that the new folder alone has are added. A file of both is not reported, though its size differs; its
# later changes are not either, and there is no `error`. Behind a link, changes of the folder that is no longer
# reached by that path go on being reported under it.
#
#   link, changed in the new folder: ["add box/current/extra"]
#   link, changed in the old folder: ["add box/current/extra","change box/current/file"]
#   folder, changed in the new folder: ["add box/current/extra"]
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
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

async function eventsOf(begin, swap, changed) {
  for (const release of ["first", "second"]) mkdirSync(release);
  writeFileSync("first/file", "1");
  writeFileSync("second/file", "another size");
  writeFileSync("second/extra", "1");
  mkdirSync("box");
  begin();
  const events = [];
  const watcher = chokidar.watch(resolve("box"), { ignoreInitial: true });
  watcher.on("all", (event, at) => events.push(`${event} ${relative(".", at)}`));
  watcher.on("error", (error) => events.push(`error ${error.code}`));
  await new Promise((done) => watcher.on("ready", done));
  await sleep(300);
  swap();
  await sleep(1000);
  appendFileSync(changed, "2");
  await sleep(1000);
  await watcher.close();
  for (const name of ["first", "second", "box", "old"]) rmSync(name, { recursive: true, force: true });
  return JSON.stringify(events);
}

const link = () => symlinkSync("../first", "box/current");
const relink = () => {
  symlinkSync("../second", "next");
  renameSync("next", "box/current");
};
const folder = () => renameSync("first", "box/current");
const replace = () => {
  renameSync("box/current", "old");
  renameSync("second", "box/current");
};
const seen = `link, changed in the new folder: ${await eventsOf(link, relink, "second/file")}
link, changed in the old folder: ${await eventsOf(link, relink, "first/file")}
folder, changed in the new folder: ${await eventsOf(folder, replace, "box/current/file")}`;
console.log(seen);
const expected = `link, changed in the new folder: ["add box/current/extra"]
link, changed in the old folder: ["add box/current/extra","change box/current/file"]
folder, changed in the new folder: ["add box/current/extra"]`;
process.exit(seen === expected ? 0 : 1);
JS
node watch.mjs || { echo "changed: see the head of this script"; exit 1; }
