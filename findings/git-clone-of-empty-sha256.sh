#!/usr/bin/env bash
# git 2.39.5: the clone of an empty SHA-256 repository is a SHA-1 repository, by path and by file:// alike.
#
# Expected: the clone takes the remote's object format, as it does once the remote has a commit (and as newer
# versions of git do, whose servers name the format of an empty repository).
# Seen: `clone` warns that the repository is empty, exits 0 and makes a SHA-1 repository. The first push from it
# fails, since the two formats cannot be mixed. What tells the truth is the remote's own capability line.
#
#   empty: remote sha256, clone sha1
#   with a commit: remote sha256, clone sha256
#   first push: rejected
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version
format() { git -C "$1" rev-parse --show-object-format; }
git init --quiet --bare --object-format=sha256 remote.git
git clone --quiet "file://$work/remote.git" early 2>/dev/null
empty="remote $(format remote.git), clone $(format early)"

git init --quiet --object-format=sha256 writer
git -C writer commit --quiet --allow-empty --message one
git -C writer push --quiet ../remote.git HEAD:refs/heads/master
git clone --quiet "file://$work/remote.git" late
filled="remote $(format remote.git), clone $(format late)"

git init --quiet --bare --object-format=sha256 second.git
git clone --quiet "file://$work/second.git" pusher 2>/dev/null
git -C pusher commit --quiet --allow-empty --message one
if git -C pusher push --quiet origin HEAD 2>/dev/null; then pushed=accepted; else pushed=rejected; fi
printf 'empty: %s\nwith a commit: %s\nfirst push: %s\n' "$empty" "$filled" "$pushed"
[ "$empty" = 'remote sha256, clone sha1' ] && [ "$filled" = 'remote sha256, clone sha256' ] && [ "$pushed" = rejected ] ||
  { echo "changed: see the head of this script"; exit 1; }
