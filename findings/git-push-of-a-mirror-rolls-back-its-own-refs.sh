#!/usr/bin/env bash
# git 2.39.5: `git push NAME` in a repository that `git clone --mirror` made moves the refs of that repository itself back to what they
# were when the push began.
#
# Expected: a push changes the other side. What somebody pushes into this repository meanwhile, as a server takes it in at any time, is not
# touched: it goes with the next push.
# Seen: `clone --mirror` maps refs/* onto refs/*, so the repository's own refs count as what it knows of the remote. Once the push is through, git
# writes there what it has sent: a commit that came in between and was acknowledged is off its ref, of branches and of other refs alike, without
# a hook, a lock or a word, and the push ends with 0. By the address in place of the name nothing of that happens.
#
#   by name: exit 0, branch rolled back, jobs rolled back
#   by address: exit 0, branch kept, jobs kept
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git version

play() { # what the server pushes, and where
  rm -rf old.git server.git person
  git init --quiet --bare old.git
  git clone --quiet --mirror "$work/old.git" server.git 2>/dev/null
  git init --quiet person
  git -C person commit --quiet --allow-empty --message one
  git -C person push --quiet "$work/server.git" HEAD:refs/heads/main HEAD:refs/jobs/one
  git -C person commit --quiet --allow-empty --message two
  # Somebody's push, acknowledged after the server's own has begun.
  cat >server.git/hooks/pre-push <<SH
#!/bin/sh
unset GIT_DIR
git -C "$work/person" push --quiet "$work/server.git" HEAD:refs/heads/main HEAD:refs/jobs/one && echo acknowledged >"$work/answer"
SH
  chmod +x server.git/hooks/pre-push
  rm -f answer
  local code=0
  git -C server.git push --quiet "$@" || code=$?
  [ "$(cat answer)" = acknowledged ]
  local tip state=()
  tip=$(git -C person rev-parse HEAD)
  for ref in refs/heads/main refs/jobs/one; do
    if [ "$(git -C server.git rev-parse "$ref")" = "$tip" ]; then state+=(kept); else state+=("rolled back"); fi
  done
  echo "exit $code, branch ${state[0]}, jobs ${state[1]}"
}
name=$(play origin)
address=$(play --mirror "$work/old.git")
printf 'by name: %s\nby address: %s\n' "$name" "$address"
[ "$name" = 'exit 0, branch rolled back, jobs rolled back' ] && [ "$address" = 'exit 0, branch kept, jobs kept' ] ||
  { echo "changed: see the head of this script"; exit 1; }
