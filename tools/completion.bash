# Completion for bash of commprof and mpisee-through: the options that --help lists, commands, and names of files.
_commprof_options() {
  local help
  help=$("$@" --help 2>/dev/null) && mapfile -t COMPREPLY < <(compgen -W "$(grep -oE '^  -[a-zA-Z,-]+' <<<"$help" | tr , ' ')" -- "$word")
}

_mpisee_through() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  local commands="report compare scaling resolve now collect links place"
  [[ " $commands " == *" $command "* && $COMP_CWORD -gt 1 ]] || command=
  if [[ $word == -* ]]; then
    _commprof_options mpisee-through $command
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word"; [[ $COMP_CWORD -gt 1 ]] || compgen -W "$commands" -- "$word")
  fi
}

# Behind commprof's own options, the command as bash completes it.
_commprof() {
  local word=${COMP_WORDS[COMP_CWORD]} at=1
  while [[ $at -lt $COMP_CWORD && ${COMP_WORDS[at]} == -* ]]; do ((at++)); done
  if [[ $at -lt $COMP_CWORD ]] && declare -F _command_offset >/dev/null; then
    _command_offset "$at"
  elif [[ $at -eq $COMP_CWORD && $word == -* ]]; then
    _commprof_options commprof
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -W doctor -- "$word")
  fi
}

complete -F _mpisee_through mpisee-through
complete -F _commprof commprof
