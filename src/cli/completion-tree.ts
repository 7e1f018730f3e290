import type { Argument, Command, Option } from 'commander'
import { EVENT_TYPES } from '../core/event.ts'
import { firstSentence } from '../text/display.ts'

/** What can stand for a value: one of some words, a file, a folder, a command of the system, or what no shell can know. */
export type Value = readonly string[] | 'file' | 'folder' | 'command' | 'anything'

export type CompletedOption = {
  /** As they are typed: `-n`, `--limit`. */
  readonly names: readonly string[]
  readonly about: string
  /** undefined for one that takes none. */
  readonly value: Value | undefined
}

/** A command, or the program itself, as a shell has to know it. */
export type CompletedCommand = {
  /** The words that lead to it: none for the program, `['clock', 'advance']`. */
  readonly path: readonly string[]
  /** The commands below it. */
  readonly words: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletedOption[]
  /** Its arguments; the last one may be repeated. */
  readonly values: readonly Value[]
}

/** A program with all that is below it, from the top down. */
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

/** The value's name in the flags: `TYPE` of `--stop-on <TYPE...>`. */
const placeholderOf = (flags: string): string => /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''

/** What a value's name tells of it: words of its own (`live|TIME`), or a kind that all commands call the same. */
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
