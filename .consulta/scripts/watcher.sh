#!/bin/sh
# Stands in for ConsultaSkill's watcher: <inbox> <presence file> [poll seconds] [heartbeat seconds]
[ $# -ge 2 ] || { echo "usage: watcher.sh <inbox> <presence file> [poll seconds] [heartbeat seconds]" >&2; exit 1; }
exec node "$(dirname "$0")/wait-for-turn.cjs" --follow --inbox "$1" --presence "$2" --interval "${3:-3}"
