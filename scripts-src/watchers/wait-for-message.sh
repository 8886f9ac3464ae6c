#!/bin/sh
# Stands in for ConsultaSkill's one-shot waiter: <inbox> [timeout seconds] [poll seconds]
[ $# -ge 1 ] || { echo "usage: wait-for-message.sh <inbox> [timeout seconds] [poll seconds]" >&2; exit 1; }
exec node "$(dirname "$0")/wait-for-turn.cjs" --inbox "$1" --timeout "${2:-300}" --interval "${3:-3}"
