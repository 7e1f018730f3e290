import { type CompletedCommand, type CompletedOption, isIds, type Value } from './completion-tree.ts'

/** Writes the zsh completion script for the program's commands, options and values. */
export const zshCompletion = (commands: readonly CompletedCommand[]): string => `\
#compdef paytwin
# zsh completion for paytwin. To load it in every shell: paytwin completion zsh > "\${fpath[1]}/_paytwin"

_paytwin() {
  local command='' word
  local -i place=1
  local -a below
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command/$word" in
      ${commands
        .filter(({ path }) => path.length > 0)
        .map(({ path }) => patternOf(path))
        .join('|')}) command="$command/$word"; place+=1 ;;
      *) break ;;
    esac
  done
  # From here on, the command is the first word.
  words=("\${(@)words[place,-1]}")
  CURRENT=$((CURRENT - place + 1))

  case "$command" in
${commands.map(branchOf).join('\n')}
  esac
}

if [[ $funcstack[1] == _paytwin ]]; then
  _paytwin "$@"
else
  compdef _paytwin paytwin
fi
`

const patternOf = (path: readonly string[]): string => path.map((name) => `/${name}`).join('')

function branchOf({ path, words, options, values }: CompletedCommand): string {
  const specs = options.map(ofOption)
  if (words.length > 0) {
    const below = words.map(({ name, about }) => quoted(`${name}:${about}`)).join(' ')
    return `    ${quoted(patternOf(path))})
      below=(${below})
      _arguments -s -S ${[...specs, `'1:command:{ _describe command below }'`].join(' ')} ;;`
  }
  const places = values.map((value, index) => {
    const place = index === values.length - 1 ? '*' : index + 1
    return quoted(`${place}:value:${ofValue(value)}`)
  })
  return `    ${quoted(patternOf(path))}) _arguments -s -S ${[...specs, ...places].join(' ')} ;;`
}

/** One spec for each name. The star allows the option to be repeated. */
function ofOption({ names, about, value }: CompletedOption): string {
  const text = about.replaceAll(/[[\]:\\]/g, '\\$&')
  const takes = value === undefined ? '' : `:value:${ofValue(value)}`
  return names.map((name) => quoted(`*${name}[${text}]${takes}`)).join(' ')
}

function ofValue(value: Value): string {
  if (isIds(value)) return `{ compadd -- $(paytwin ids ${value.ids} 2>/dev/null) }`
  return typeof value === 'string' ? ACTIONS[value] : `(${value.join(' ')})`
}

const ACTIONS = {
  file: '_files',
  folder: '_files -/',
  command: '{ _command_names -e; _files }',
  anything: ' ',
} as const

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
