#!/usr/bin/env bash
# git 2.39.5, `receive-pack`: a push that deletes a symbolic ref of the server deletes the ref that it stands for, and leaves the symbolic one.
#
# Expected: "[deleted] stable" takes the alias away and the branch stays, as `git branch --delete` does on the server itself.
# Seen: where refs/heads/stable is an alias of refs/heads/release-2, `push --delete stable` ends with 0 and release-2 is gone, which the push did not
# name. What is left is stable, which points to nothing; nobody who fetches sees it any more. Other namespaces are treated the same.
#
#   branch --delete on the server: release-2 kept, stable gone
#   push --delete: exit 0, release-2 gone, stable kept
#   push --delete, refs/jobs: exit 0, release-2 gone, stable kept
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version
git init --quiet --initial-branch main clone
git -C clone commit --quiet --allow-empty --message one
serve() { # a namespace: a new server with two branches, of which main is current, and an alias of the other
  rm -rf remote.git
  git init --quiet --bare --initial-branch main remote.git
  git -C clone push --quiet ../remote.git main "main:$1/release-2"
  git -C remote.git symbolic-ref "$1/stable" "$1/release-2"
}
left() { # a namespace
  local branch=gone alias=gone
  if git -C remote.git rev-parse --quiet --verify "$1/release-2" >/dev/null; then branch=kept; fi
  if git -C remote.git symbolic-ref --quiet "$1/stable" >/dev/null; then alias=kept; fi
  echo "release-2 $branch, stable $alias"
}
delete() { # a namespace
  local code=0
  git -C clone push --quiet --delete ../remote.git "$1/stable" || code=$?
  echo "exit $code, $(left "$1")"
}
serve refs/heads
git -C remote.git branch --quiet --delete --force stable
seen="branch --delete on the server: $(left refs/heads)"
for place in refs/heads refs/jobs; do
  serve $place
  seen="$seen
push --delete$([ $place = refs/heads ] || echo ", $place"): $(delete $place)"
done
expected='branch --delete on the server: release-2 kept, stable gone
push --delete: exit 0, release-2 gone, stable kept
push --delete, refs/jobs: exit 0, release-2 gone, stable kept'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
