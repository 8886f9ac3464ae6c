#!/usr/bin/env bash
# git 2.39.5: `git bundle create NEW --all --not OLD`, an incremental backup, leaves out refs that point to what the backup before has.
#
# Expected: --all is all refs; objects alone are what `--not` leaves out. A branch or tag that was made since then at an older commit, or was
# moved back to one, is in the bundle: its objects are in the one before.
# Seen: such a ref is not in the bundle. Exit 0, and no line says so. Who restores both bundles has no release tag, and the branch that was moved back is where
# the first bundle had it. A ref that was not touched is left out in the same way, so its absence means nothing.
#
#   refs of the repository: feature@1 main@4 tag@2
#   first bundle: feature@3 main@3
#   second bundle: exit 0, 0 lines told, main@4
#   both restored: feature@3 main@4
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version
git init --quiet --initial-branch main source
git init --quiet --bare --initial-branch none restored
commit() { git -C source commit --quiet --allow-empty --message "$1"; }
refs() { # a folder: name@subject of each ref
  git -C "$1" for-each-ref --format='%(refname)@%(subject)' | sed 's,.*/,,' | xargs
}
listed() { # a bundle: the same of its refs
  git bundle list-heads "$1" | grep -v ' HEAD$' | while read -r id name; do
    echo "${name##*/}@$(git -C source log -1 --format=%s "$id")"
  done | sort | xargs
}
commit 1
commit 2
commit 3
git -C source branch feature
git -C source bundle create --quiet ../first.bundle --all
commit 4
git -C source tag tag main~2
git -C source branch --force feature main~3
code=0
git -C source bundle create ../second.bundle --all --not main~1 2>told || code=$?
for bundle in first second; do git -C restored fetch --quiet --force "../$bundle.bundle" 'refs/*:refs/*'; done
seen="refs of the repository: $(refs source)
first bundle: $(listed first.bundle)
second bundle: exit $code, $(wc -l <told | xargs) lines told, $(listed second.bundle)
both restored: $(refs restored)"
expected='refs of the repository: feature@1 main@4 tag@2
first bundle: feature@3 main@3
second bundle: exit 0, 0 lines told, main@4
both restored: feature@3 main@4'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
