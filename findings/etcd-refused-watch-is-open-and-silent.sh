#!/usr/bin/env bash
# etcd 3.4.23, HTTP gateway: a watch that is refused, or whose revision is compacted, is an answer of 200 that stays open and says nothing more.
#
# Expected: what other calls get: 401, 403 or 400 with an error; and a response of a watch that was canceled ends, so that a client's loop
# over its lines ends too and can begin again.
# Seen: 200 and `created: true`, in the same line `canceled: true` with the reason as a text, of a compacted revision `canceled` and `compact_revision` in a second
# line. Then the connection stays, without a byte, for as long as the client does. A client that waits for events waits for ever, and one that looks
# at the status or at `error`, as in all other answers of the gateway, finds nothing wrong.
#
#   range of a forbidden key: 403, ended
#   watch of a forbidden key: 200, created canceled, open after 5 s
#   range of a compacted revision: 400, ended
#   watch of a compacted revision: 200, created canceled, open after 5 s
#
# Exit 0: still so. Exit 1: it has changed. Wants `etcd` on the PATH, as Debian 12's etcd-server has it.
set -euo pipefail
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
etcd --version | sed -n 1p
port=$((20000 + RANDOM % 10000))
address=http://127.0.0.1:$port
etcd --data-dir data --listen-client-urls "$address" --advertise-client-urls "$address" \
  --listen-peer-urls "http://127.0.0.1:$((port + 1))" >log 2>&1 &
server=$!
token=
call() { curl --silent --header "Authorization: $token" "$address/v3/$1" --data "$2"; }
until call kv/range '{"key":"YQ=="}' >/dev/null; do sleep 0.2; done
outcome() { # call, body: its status, what it says of the watch, whether it has ended by itself
  local status ended=ended
  status=$(curl --silent --max-time 5 --output answer --write-out '%{http_code}' --header "Authorization: $token" \
    "$address/v3/$1" --data "$2") || ended="open after 5 s"
  echo "$status, $({ grep -oE '"(created|canceled)":true' answer || true; } | tr -d '":,' | sed 's/true$//' | xargs \
    | sed 's/..*/&, /')$ended"
}
for _ in 1 2 3; do call kv/put '{"key":"YQ==","value":"MQ=="}' >/dev/null; done
call kv/compaction '{"revision":"3"}' >/dev/null
compacted_range=$(outcome kv/range '{"key":"YQ==","revision":"2"}')
compacted_watch=$(outcome watch '{"create_request":{"key":"YQ==","start_revision":"2"}}')
for user in root ana; do call auth/user/add "{\"name\":\"$user\",\"password\":\"p\"}" >/dev/null; done
call auth/role/add '{"name":"root"}' >/dev/null
call auth/user/grant '{"user":"root","role":"root"}' >/dev/null
call auth/enable '{}' >/dev/null
token=$(call auth/authenticate '{"name":"ana","password":"p"}' | sed 's/.*"token":"\([^"]*\)".*/\1/')
seen="range of a forbidden key: $(outcome kv/range '{"key":"YQ=="}')
watch of a forbidden key: $(outcome watch '{"create_request":{"key":"YQ=="}}')
range of a compacted revision: $compacted_range
watch of a compacted revision: $compacted_watch"
expected='range of a forbidden key: 403, ended
watch of a forbidden key: 200, created canceled, open after 5 s
range of a compacted revision: 400, ended
watch of a compacted revision: 200, created canceled, open after 5 s'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo "changed: see the head of this script"; exit 1; }
