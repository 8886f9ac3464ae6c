#!/bin/sh
# Announces the messages in an inbox, with the arguments and the lines of ConsultaSkill's watcher:
#   watcher.sh <inbox> <presence file> [poll seconds, 3] [heartbeat seconds, 30]
# Prints WATCHER:STARTED:<agent>:<pid>, then NEW:<file> for each message, unread mail first.
[ $# -ge 2 ] || {
  echo "usage: watcher.sh <inbox> <presence file> [poll seconds] [heartbeat seconds]" >&2
  exit 1
}
inbox=${1%/} ready=$2 poll=${3:-3} heartbeat=${4:-30}
mkdir -p "$inbox" "$(dirname "$ready")" || exit 1
agent=$(basename "$inbox")
agent=${agent#inbox-}

be_present() {
  printf '{"agent":"%s","pid":%s,"started_at":"%s","session_mode":"active","listening_inbox":"%s"}\n' \
    "$agent" $$ "$started" "inbox-$agent" >"$ready.$$" && mv -f "$ready.$$" "$ready"
}

# Not another watcher's, which may have come in between.
leave() {
  grep -q "\"pid\":$$," "$ready" 2>/dev/null && rm -f "$ready"
}

# A file that its sender is still writing does not end with a brace yet; an old one is told anyway.
settle() {
  for _ in 1 2 3 4 5; do
    case $(tail -c 64 "$1" 2>/dev/null | tr -d ' \t\r\n') in *'}') return ;; esac
    sleep 0.3
  done
}

started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
be_present || exit 1
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
echo "WATCHER:STARTED:$agent:$$"

beat=$(date +%s)
known=/
while :; do
  now=$(date +%s)
  if [ $((now - beat)) -ge "$heartbeat" ]; then
    if grep -q "\"pid\":$$," "$ready" 2>/dev/null; then touch "$ready"; else be_present; fi
    beat=$now
  fi
  # What has gone is forgotten: a second file of the same name is news again.
  seen=/
  for file in "$inbox"/*.json; do
    [ -f "$file" ] || continue
    name=${file##*/}
    case $known in
      */"$name"/*) ;;
      *)
        settle "$file"
        echo "NEW:$name"
        ;;
    esac
    seen=$seen$name/
  done
  known=$seen
  # In the background, so that a signal ends the wait at once.
  sleep "$poll" >/dev/null 2>&1 &
  wait $!
done
