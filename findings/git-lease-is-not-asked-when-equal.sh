#!/usr/bin/env bash
# git 2.39.5: `push --force-with-lease=REF:EXPECTED` succeeds though the remote's REF is not EXPECTED, if it is already what is pushed.
#
# Expected: a lease is a compare and swap: where REF is something else than EXPECTED (or exists, with an empty one) the push is
# rejected as stale, like `update-ref REF NEW OLD` on the same repository; and `--atomic` then takes nothing else along.
# Seen: "up to date" and exit 0. Two writers that push an equal commit both believe that they made the step. In an atomic push such a
# ref guards nothing: the other ref is written. A lease on a name that is not among those pushed is passed over as well.
#
#   is B, expected A, push B: 0
#   is B, expected none, push B: 0
#   is B, expected A, push C: 1
#   atomic, the same stale lease on B, and a new ref: 0, the new ref exists
#   lease on a ref that is not pushed, and a new ref: 0, the new ref exists
#   update-ref, is B, expected A: 128
#
# Exit 0: still so. Exit 1: it has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q --bare remote.git
git init -q clone
cd clone
for name in A B C; do
  git commit -q --allow-empty -m "$name"
  git tag "$name"
done
ref=refs/store/log
git push -q ../remote.git "B:$ref"
stale=--force-with-lease=$ref:$(git rev-parse A)
ends() { # runs a command, prints its exit code
  local code=0
  "$@" >/dev/null 2>&1 || code=$?
  printf %s "$code"
}
made() { git --git-dir ../remote.git rev-parse -q --verify "$1" >/dev/null && echo "the new ref exists" || echo "no new ref"; }
unpushed=--force-with-lease=refs/store/other:$(git rev-parse A)
seen="is B, expected A, push B: $(ends git push "$stale" ../remote.git "B:$ref")
is B, expected none, push B: $(ends git push "--force-with-lease=$ref:" ../remote.git "B:$ref")
is B, expected A, push C: $(ends git push "$stale" ../remote.git "C:$ref")
atomic, the same stale lease on B, and a new ref: $(ends git push --atomic "$stale" ../remote.git "B:$ref" C:refs/store/one), $(made refs/store/one)
lease on a ref that is not pushed, and a new ref: $(ends git push --atomic "$unpushed" ../remote.git C:refs/store/two), $(made refs/store/two)
update-ref, is B, expected A: $(ends git --git-dir ../remote.git update-ref "$ref" "$(git rev-parse B)" "$(git rev-parse A)")"
printf '%s\n' "$seen"
expected="is B, expected A, push B: 0
is B, expected none, push B: 0
is B, expected A, push C: 1
atomic, the same stale lease on B, and a new ref: 0, the new ref exists
lease on a ref that is not pushed, and a new ref: 0, the new ref exists
update-ref, is B, expected A: 128"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
