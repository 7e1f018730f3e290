import { type CompletedCommand, isIds, type Value } from './completion-tree.ts'

/** Writes the bash completion script for the program's commands, options and values. */
export const bashCompletion = (commands: readonly CompletedCommand[]): string => `\
# bash completion for paytwin. To load it in every shell: paytwin completion bash > ~/.local/share/bash-completion/completions/paytwin

# compgen would expand the words, and so run commands in them.
_paytwin_ids() {
  local id
  while IFS= read -r id; do
    [[ $id != "$current"* ]] || COMPREPLY+=("$id")
  done < <(paytwin ids "$1" 2>/dev/null)
}

_paytwin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" count=0 word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path/$word" in
      ${commands
        .filter(({ path }) => path.length > 0)
        .map(({ path }) => pattern(path))
        .join('|')}) path="$path/$word" ;;
      */-*) ;;
      *) count=$((count + 1)) ;;
    esac
  done

  case "$path $previous" in
${commands.flatMap(valuesOfOptions).join('\n')}
  esac

  if [[ $current == -* ]]; then
    case "$path" in
${commands.map(({ path, options }) => `      ${pattern(path)}) COMPREPLY=($(compgen -W ${quoted(options.flatMap(({ names }) => names))} -- "$current")) ;;`).join('\n')}
    esac
    return
  fi

  case "$path:$count" in
${commands.flatMap(wordsOf).join('\n')}
  esac
}

complete -F _paytwin paytwin
`

const pattern = (path: readonly string[]): string => `"${path.map((name) => `/${name}`).join('')}"`

/** The branches that complete the values of options. */
const valuesOfOptions = ({ path, options }: CompletedCommand): string[] =>
  options.flatMap(({ names, value }) =>
    value === undefined
      ? []
      : [
          `    ${names.map((name) => `"${pattern(path).slice(1, -1)} ${name}"`).join('|')}) ${reply(value)}return ;;`,
        ],
  )

/** The branches that complete subcommands and arguments. */
function wordsOf({ path, words, values }: CompletedCommand): string[] {
  const at = (count: string | number) => `    ${pattern(path).slice(0, -1)}:${count}")`
  if (words.length > 0) return [`${at(0)} ${reply(words.map(({ name }) => name))};;`]
  return values.map((value, index) =>
    index === values.length - 1
      ? `    ${pattern(path).slice(0, -1)}:"*) ${reply(value)};;`
      : `${at(index)} ${reply(value)};;`,
  )
}

function reply(value: Value): string {
  if (value === 'anything') return ''
  if (isIds(value)) return `_paytwin_ids ${value.ids}; `
  if (typeof value !== 'string') return `COMPREPLY=($(compgen -W ${quoted(value)} -- "$current")); `
  // Older versions of bash, such as that of macOS, have no compopt. They complete folders without a slash.
  return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${ACTIONS[value]} -- "$current")); `
}

const ACTIONS = { file: '-f', folder: '-d', command: '-c -f' } as const

const quoted = (words: readonly string[]): string => `'${words.join(' ')}'`
