#!/bin/sh
# Stands in for ConsultaSkill's watcher: <inbox> <presence file> [poll seconds] [heartbeat seconds]
exec node "$(dirname "$0")/wait-for-turn.cjs" --follow --inbox "$1" --presence "$2" --interval "${3:-3}"
