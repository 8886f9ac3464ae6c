#!/bin/sh
# Waits for one message, with the arguments and the answers of ConsultaSkill's one-shot waiter:
#   wait-for-message.sh <inbox> [timeout seconds, 300] [poll seconds, 3]
# Prints the name of the oldest message and gives 0, unread mail at once; or TIMEOUT and gives 1.
[ $# -ge 1 ] || {
  echo "usage: wait-for-message.sh <inbox> [timeout seconds] [poll seconds]" >&2
  exit 1
}
inbox=${1%/} timeout=${2:-300} poll=${3:-3}
[ -d "$inbox" ] || {
  echo "wait-for-message.sh: there is no folder $inbox" >&2
  exit 1
}

# By the stamp that each name carries: names begin with the session's.
oldest() {
  for file in "$inbox"/*.json; do
    [ -f "$file" ] || continue
    name=${file##*/}
    stamp=$(expr "$name" : '.*-\([0-9]\{8\}T[0-9]\{6\}Z\)-')
    printf '%s %s\n' "${stamp:-0}" "$name"
  done | sort | head -n 1 | cut -d ' ' -f 2-
}

# A file that its sender is still writing does not end with a brace yet; an old one is told anyway.
settle() {
  for _ in 1 2 3 4 5; do
    case $(tail -c 64 "$1" 2>/dev/null | tr -d ' \t\r\n') in *'}') return ;; esac
    sleep 0.3
  done
}

end=$(($(date +%s) + timeout))
while :; do
  name=$(oldest)
  if [ -n "$name" ]; then
    settle "$inbox/$name"
    printf '%s\n' "$name"
    exit 0
  fi
  [ "$(date +%s)" -lt "$end" ] || break
  sleep "$poll"
done
echo TIMEOUT
exit 1
