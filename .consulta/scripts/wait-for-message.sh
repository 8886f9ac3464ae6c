#!/bin/sh
# Stands in for ConsultaSkill's one-shot waiter: <inbox> [timeout seconds] [poll seconds]
exec node "$(dirname "$0")/wait-for-turn.cjs" --inbox "$1" --timeout "${2:-300}" --interval "${3:-3}"
