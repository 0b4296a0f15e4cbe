/**
 * The completion scripts of shells. Each asks the program, with the line up to the cursor as one argument that no shell evaluates.
 * The answer has one word per line, with a tab and a description or without, and `:files` if paths fit. The scripts are ours, since
 * those of @bomb.sh/tab 0.0.22 and @pnpm/tabtab 0.5.4 evaluate parts of the line, and those of omelette 0.4.17 complete no paths.
 */

const REQUEST = 'airbench completion request --';

/** Bash completes the part of a word after `=` alone, unless its user has changed COMP_WORDBREAKS. */
const bash = `# Completion of airbench in bash
_airbench() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o default
    elif [[ $COMP_WORDBREAKS == *=* ]]; then
      COMPREPLY+=("\${word#--*=}")
    else
      COMPREPLY+=("$word")
    fi
  done < <(${REQUEST} "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _airbench airbench
`;

/** zsh runs a file in a folder of `fpath` as the body of the function at its first use. */
const zsh = `#compdef airbench
# Completion of airbench in zsh
_airbench() {
  local tab=$'\\t'
  local -a answer candidates
  answer=("\${(@f)$(${REQUEST} "\${(j: :)\${(@)words[1,CURRENT-1]}} $PREFIX" 2>/dev/null)}")
  candidates=("\${(@)\${(@)answer:#(|:files)}/$tab/:}")
  (( \${#candidates} )) && _describe -t airbench airbench candidates
  if (( \${answer[(Ie):files]} )); then
    compset -P '--*='
    _files
  fi
}
if [[ \${funcstack[1]} == _airbench ]]; then
  _airbench
else
  if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit -i; fi
  compdef _airbench airbench
fi
`;

/** Both lines of a TAB use one answer. */
const fish = `# Completion of airbench in fish
function __airbench_answer
    set -l line (commandline -cp | string collect)
    if test "$line" != "$__airbench_line"
        set -g __airbench_line $line
        set -g __airbench_words (${REQUEST} "$line" 2>/dev/null)
    end
    string join -- \\n $__airbench_words
end
complete -c airbench -e
complete -c airbench -f -a '(__airbench_answer | string match -v :files)'
complete -c airbench -n '__airbench_answer | string match -q :files' -F
`;

/** The script of each shell. */
export const SCRIPTS: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish }));
