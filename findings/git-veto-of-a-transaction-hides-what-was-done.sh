#!/usr/bin/env bash
# git 2.39.5, `receive-pack`: a server's hook `reference-transaction` that rejects one ref of a push ends the whole connection, after other
# refs were written.
#
# Expected: as with the hook `update`: each ref is told apart, `[remote rejected]` for the one and success for the others, exit 1; the hook
# `post-receive` runs for what was written, and starts what depends on it.
# Seen: the push ends with 128 and "the remote end hung up unexpectedly", and `--porcelain` prints no line for any ref. The ref before the rejected
# one is on the server all the same, for which no `post-receive` ran; the one behind it is not. A client that takes 128 for "nothing was done" is wrong. With
# --atomic nothing is written, and nothing is told either.
#
#   update: exit 1, told 3, written one three, post-receive for one three
#   reference-transaction: exit 128, told 0, written one, post-receive for nothing
#   reference-transaction, --atomic: exit 128, told 0, written nothing, post-receive for nothing
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version
git init --quiet clone
git -C clone commit --quiet --allow-empty --message one
hook() { # name, lines
  printf '#!/bin/sh\n%s\n' "$2" >"remote.git/hooks/$1"
  chmod +x "remote.git/hooks/$1"
}
names() { sed 's,.*/,,' | xargs | sed 's/^$/nothing/'; }
attempt() { # hook, its lines, options: three refs are pushed, of which the hook rejects the second
  rm -rf remote.git done.txt
  git init --quiet --bare remote.git
  hook "$1" "$2"
  hook post-receive "cat >>'$work/done.txt'"
  shift 2
  local code=0
  git -C clone push --porcelain "$@" ../remote.git HEAD:refs/jobs/one HEAD:refs/jobs/two HEAD:refs/jobs/three \
    >told.txt 2>/dev/null || code=$?
  touch done.txt
  local written
  written=$(git -C remote.git for-each-ref --format='%(refname)' refs/jobs | names)
  echo "exit $code, told $(grep -c refs/jobs told.txt || true), written $written, post-receive for $(names <done.txt)"
}
veto='[ "$1" != prepared ] || ! grep -q refs/jobs/two'
seen="update: $(attempt update '[ "$1" != refs/jobs/two ]')
reference-transaction: $(attempt reference-transaction "$veto")
reference-transaction, --atomic: $(attempt reference-transaction "$veto" --atomic)"
expected='update: exit 1, told 3, written one three, post-receive for one three
reference-transaction: exit 128, told 0, written one, post-receive for nothing
reference-transaction, --atomic: exit 128, told 0, written nothing, post-receive for nothing'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
