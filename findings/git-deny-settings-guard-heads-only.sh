#!/usr/bin/env bash
# git 2.39.5: `receive.denyNonFastForwards` and `receive.denyDeletes` guard branches, and no other ref.
#
# Expected: with both set on a server, no ref can be rewound or deleted by a push; the manual says "a ref update
# which is not a fast-forward" and "a ref update that deletes the ref".
# Seen: a forced push and a deletion of refs/heads/main are rejected; the same two on refs/jobs/one, in the same
# repository, are carried out.
#
#   forced push: heads rejected, jobs accepted
#   deletion: heads rejected, jobs accepted
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
git -C remote.git config receive.denyNonFastForwards true
git -C remote.git config receive.denyDeletes true
git init --quiet clone
cd clone
git commit --quiet --allow-empty --message one
git push --quiet ../remote.git HEAD:refs/heads/main HEAD:refs/jobs/one
git commit --quiet --amend --allow-empty --message two

answer() { if git push --quiet ../remote.git "$1" 2>/dev/null; then echo accepted; else echo rejected; fi; }
forced="heads $(answer +HEAD:refs/heads/main), jobs $(answer +HEAD:refs/jobs/one)"
deleted="heads $(answer :refs/heads/main), jobs $(answer :refs/jobs/one)"
printf 'forced push: %s\ndeletion: %s\n' "$forced" "$deleted"
same='heads rejected, jobs accepted'
[ "$forced" = "$same" ] && [ "$deleted" = "$same" ] || { echo "changed: see the head of this script"; exit 1; }
