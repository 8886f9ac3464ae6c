#!/usr/bin/env bash
# git 2.39.5, protocol version 2: `ls-remote` with the full name of one ref moves the names of all refs; `fetch` of
# that name moves one.
#
# Expected: the name is sent to the server as a prefix, as protocol 2 allows, and one line comes back.
# Seen: with 2,000 other refs `ls-remote REMOTE refs/jobs/one` prints one line, and 2,001 were transferred and
# thrown away by the client. `fetch REMOTE refs/jobs/one` sends `ref-prefix` lines and gets that ref alone. (With
# --heads or --tags `ls-remote` sends a prefix too.)
#
#   ls-remote of one name: 1 printed, 2001 received
#   fetch of one name: 1 received
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version
git init --quiet --bare remote.git
git init --quiet clone
git -C clone commit --quiet --allow-empty --message one
git -C clone push --quiet ../remote.git HEAD:refs/jobs/one
tip=$(git -C clone rev-parse HEAD)
for number in $(seq 2000); do echo "create refs/jobs/other-$number $tip"; done | git -C remote.git update-ref --stdin

# The refs that the server names, as the client's packet trace shows them.
received() { grep -c "< $tip refs/jobs/" "$1" || true; }
cd clone
printed=$(GIT_TRACE_PACKET=$work/ls git -c protocol.version=2 ls-remote ../remote.git refs/jobs/one | wc -l)
GIT_TRACE_PACKET=$work/fetch git -c protocol.version=2 fetch --quiet ../remote.git refs/jobs/one
listed=$(received "$work/ls")
fetched=$(received "$work/fetch")
echo "ls-remote of one name: $printed printed, $listed received"
echo "fetch of one name: $fetched received"
[ "$printed" = 1 ] && [ "$listed" = 2001 ] && [ "$fetched" = 1 ] || { echo "changed: see the head of this script"; exit 1; }
