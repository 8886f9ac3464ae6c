#!/usr/bin/env bash
# chrono-node 2.10.3, with `forwardDate`: a time of day that names its zone, as AI CLIs tell when a quota is renewed
# ("resets 11pm (UTC)"), is a day late while the reader's own zone is in the next day already; and a zone by its IANA
# name, which Claude Code prints, is passed over in silence.
#
# Expected: at 22:15 UTC "11pm (UTC)" is 45 minutes away, wherever it is read: the zone stands in the text, and
# `forwardDate` asks for the next such time. "(Asia/Riyadh)" shifts the time or keeps it from being read.
# Seen: read in UTC+2, where it is 00:15 of the next day, the day is the reader's and the hour that of the text.
# Whoever waits for that waits for 24 hours and 45 minutes. Handing over the text's own zone as the reader's helps.
#
#   11pm (UTC), read in UTC: in 45 minutes
#   11pm (UTC), read in UTC+2: in 1485 minutes
#   11pm (Asia/Riyadh), read in UTC: in 45 minutes
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit chrono-node@2.10.3
cat >run.mjs <<'JS'
import { parseDate } from "chrono-node/en";
const instant = new Date("2026-11-28T22:15:00Z");
const cases = [
  ["11pm (UTC)", "UTC", 0],
  ["11pm (UTC)", "UTC+2", 120],
  ["11pm (Asia/Riyadh)", "UTC", 0],
];
for (const [text, name, timezone] of cases) {
  const at = parseDate(`resets ${text}`, { instant, timezone }, { forwardDate: true });
  console.log(`${text}, read in ${name}: in ${(at - instant) / 60_000} minutes`);
}
JS
expected='11pm (UTC), read in UTC: in 45 minutes
11pm (UTC), read in UTC+2: in 1485 minutes
11pm (Asia/Riyadh), read in UTC: in 45 minutes'
seen=$(node run.mjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
