# What a hook's command runs first, in the shell of its CLI, with `cli`, `event` and `scripts` set: where the hook
# has nothing to do it ends that shell before any Node starts. It fails where there is no Node.
#
# The bell of a CLI's process is a file that its hook left when it had looked at everything (wake/bell.ts): the
# folder where that was, the events that need no hook as long as nothing rings, and the files in which what rings
# would be. A file rings that is not older than the bell.

# In a turn of consult, and in a CLI that the brain runs, a hook does nothing.
[ -z "${CONSULTA_FOLDER-}${CONSULTA_BRAIN_CHILD-}" ] || exit 0

consulta_rings() {
  IFS= read -r folder && IFS= read -r quiet && [ "$folder" = "$PWD" ] || return 0
  case " $quiet " in *" $event "*) ;; *) return 0 ;; esac
  while IFS= read -r file; do
    if [ -e "$file" ] && ! [ "$bell" -nt "$file" ]; then return 0; fi
  done
  return 1
}

# Whether Node must look for a workspace at a folder: one is there or above, or a worktree's main checkout may have it.
consulta_may_be_at() {
  folder=$1
  while :; do
    case $folder in /*) ;; *) return 0 ;; esac
    if [ -e "$folder/.consulta/config.json" ] || [ -e "$folder/.consulta/sessions" ]; then return 0; fi
    if [ -e "$folder/.consulta" ] && [ "$folder" != "$HOME" ]; then return 0; fi
    if [ -d "$folder/.git" ]; then return 1; fi
    if [ -e "$folder/.git" ]; then return 0; fi
    folder=${folder%/*}
    [ -n "$folder" ] || return 1
  done
}

case $cli in
claude) process=${CLAUDE_PID:-$PPID} project=${CLAUDE_PROJECT_DIR:-$PWD} ;;
gemini) process=$PPID project=${GEMINI_PROJECT_DIR:-$PWD} ;;
# Its windows share a process, and the event begins with the name of the conversation. Node is given what is read here.
codex) CONSULTA_READ=$(dd bs=1 count=60 2>/dev/null)
  export CONSULTA_READ
  process=${CONSULTA_READ#'{"session_id":"'} project=$PWD
  process=${process%%'"'*}
  case $process in *[!0-9A-Za-z-]*) process=none ;; esac
  # No longer one ends in what was read.
  [ ${#process} -ge 8 ] && [ ${#process} -le 44 ] || process=none ;;
*) process=$PPID project=$PWD ;;
esac
bell=$HOME/.consulta/seats/$process

if [ -n "${HOME-}" ] && cd -P .; then
  if [ -f "$bell.bell" ]; then
    bell=$bell.bell
    consulta_rings <"$bell" || exit 0
  elif ! [ -e "$bell.json" ] && ! consulta_may_be_at "$PWD" && ! consulta_may_be_at "$project"; then
    exit 0
  fi
fi
command -v node >/dev/null
