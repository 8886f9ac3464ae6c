#!/usr/bin/env bash
# chokidar 4.0.3 (Linux, inotify): a watched folder that is removed and made again is lost without an event.
#
# Expected: `unlinkDir` for the watched folder, then `addDir` and `add` for the one that takes its place; a folder
# below the watched one is treated so.
# Seen: for the watched folder itself neither its removal nor anything in its successor is reported, and there is
# no `error`: the watcher looks alive. One level down, in the same run, all of it is reported.
#
#   the watched folder: []
#   a folder in it: ["unlinkDir box/inner","addDir box/inner","add box/inner/file"]
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
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

async function eventsAtRemaking(folder) {
  const events = [];
  mkdirSync(folder, { recursive: true });
  const watcher = chokidar.watch(resolve("box"), { ignoreInitial: true });
  watcher.on("all", (event, at) => events.push(`${event} ${relative(".", at)}`));
  watcher.on("error", (error) => events.push(`error ${error.code}`));
  await new Promise((done) => watcher.on("ready", done));
  await sleep(300);
  rmdirSync(folder);
  await sleep(700);
  mkdirSync(folder);
  await sleep(700);
  writeFileSync(`${folder}/file`, "1");
  await sleep(1200);
  await watcher.close();
  rmSync("box", { recursive: true, force: true });
  return JSON.stringify(events);
}

const itself = await eventsAtRemaking("box");
const below = await eventsAtRemaking("box/inner");
console.log(`the watched folder: ${itself}\na folder in it: ${below}`);
const expected = '["unlinkDir box/inner","addDir box/inner","add box/inner/file"]';
process.exit(itself === "[]" && below === expected ? 0 : 1);
JS
node watch.mjs || { echo "changed: see the head of this script"; exit 1; }
