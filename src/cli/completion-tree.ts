import type { Argument, Command, Option } from 'commander'
import { EVENT_TYPES } from '../core/event.ts'
import { firstSentence } from '../text/display.ts'

/** What completes a value: fixed words, files, folders, system commands, or nothing that the shell can complete. */
export type Value = readonly string[] | 'file' | 'folder' | 'command' | 'anything'

export type CompletedOption = {
  /** Its names with their dashes: `-n`, `--limit`. */
  readonly names: readonly string[]
  readonly about: string
  /** undefined if the option takes no value. */
  readonly value: Value | undefined
}

/** A command, or the program itself, as the completion scripts need it. */
export type CompletedCommand = {
  /** The words that lead to it: none for the program, `['clock', 'advance']`. */
  readonly path: readonly string[]
  /** Its subcommands. */
  readonly words: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletedOption[]
  /** Its arguments; the last one may be repeated. */
  readonly values: readonly Value[]
}

/** Lists a command and all its subcommands, parents first. */
export function completionTree(command: Command, path: readonly string[] = []): CompletedCommand[] {
  const help = command.createHelp()
  const below = help.visibleCommands(command).filter((child) => child.name() !== 'help')
  const own = {
    path,
    words: below.map((child) => ({ name: child.name(), about: firstSentence(child.description()) })),
    options: help.visibleOptions(command).map(completedOption),
    values: command.registeredArguments.map(completedArgument),
  }
  return [own, ...below.flatMap((child) => completionTree(child, [...path, child.name()]))]
}

const completedOption = (option: Option): CompletedOption => ({
  names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
  about: option.description,
  value:
    option.required || option.optional
      ? valueNamed(placeholderOf(option.flags), option.argChoices)
      : undefined,
})

const completedArgument = (argument: Argument): Value => valueNamed(argument.name(), argument.argChoices)

/** Extracts the placeholder from an option's flags: `TYPE` from `--stop-on <TYPE...>`. */
const placeholderOf = (flags: string): string => /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''

/** Derives the completion of a value from its placeholder: its literal words (`live|TIME`), or its kind, such as FILE. */
function valueNamed(name: string, choices: readonly string[] | undefined): Value {
  if (choices) return choices
  const words = name.split('|').filter((word) => /^[a-z0-9_-]+$/.test(word))
  return words.length > 0 && name.includes('|') ? words : (KINDS[name.toUpperCase()] ?? 'anything')
}

const KINDS: Readonly<Record<string, Value>> = {
  FILE: 'file',
  DIR: 'folder',
  COMMAND: 'command',
  TYPE: EVENT_TYPES,
  GLOB: EVENT_TYPES,
}
