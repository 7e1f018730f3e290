import { type CompletedCommand, type CompletedOption, isIds, type Value } from './completion-tree.ts'

/** Writes the fish completion script for the program's commands, options and values. */
export const fishCompletion = (commands: readonly CompletedCommand[]): string => `\
# fish completion for paytwin. To load it in every shell: paytwin completion fish > ~/.config/fish/completions/paytwin.fish

# Succeeds if the words so far start with the given command; with --last, only if nothing follows the command.
function __paytwin_at
    argparse last -- $argv
    set -l words (commandline -opc)[2..]
    set -l wanted (count $argv)
    test (count $words) -ge $wanted; or return 1
    if test $wanted -gt 0
        test "$words[1..$wanted]" = "$argv"; or return 1
    end
    set -q _flag_last; or return 0
    test (count $words) -eq $wanted
end

complete -c paytwin -f
${commands.flatMap(linesOf).join('\n')}
`

function linesOf({ path, words, options, values }: CompletedCommand): string[] {
  const at = `__paytwin_at ${path.join(' ')}`.trim()
  const last = `__paytwin_at --last ${path.join(' ')}`.trim()
  const here = words.length > 0 ? last : at
  return [
    ...words.map(({ name, about }) => line(last, `-a ${name} -d ${quoted(about)}`)),
    ...options.map((option) => line(here, ofOption(option))),
    ...values.flatMap((value) => (value === 'anything' ? [] : [line(at, ofValue(value))])),
  ]
}

const line = (condition: string, what: string): string =>
  `complete -c paytwin -n ${quoted(condition)} ${what}`

function ofOption({ names, about, value }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  return [...flags, ...(value === undefined ? [] : [valueFlags(value)]), `-d ${quoted(about)}`].join(' ')
}

/** The flags for an option's value. Files are offered only where the value is a file. */
function valueFlags(value: Value): string {
  if (value === 'anything') return '-x'
  return value === 'file' ? '-r -F' : `-x ${ofValue(value)}`
}

function ofValue(value: Exclude<Value, 'anything'>): string {
  if (isIds(value)) return `-a '(paytwin ids ${value.ids} 2>/dev/null)'`
  return typeof value === 'string' ? ACTIONS[value] : `-a ${quoted(value.join(' '))}`
}

const ACTIONS = {
  file: '-F',
  folder: "-a '(__fish_complete_directories)'",
  command: "-F -a '(__fish_complete_command)'",
} as const

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
