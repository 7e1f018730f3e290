import type { Argument, Command, Option } from 'commander'
import { EVENT_TYPES } from '../../core/kinds.ts'
import { STRIPE_EVENT_NAMES } from '../../core/stripe-event-names.ts'
import { firstSentence } from '../../text/display.ts'

/** IDs that a running daemon knows, as `paytwin ids` prints them. */
export type Ids = { readonly ids: string }

/** The completions of a value: fixed words, IDs, files, folders or system commands. `anything` has no completions. */
export type Value = readonly string[] | Ids | 'file' | 'folder' | 'command' | 'anything'

export const isIds = (value: Value): value is Ids => typeof value === 'object' && 'ids' in value

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
    options: help.visibleOptions(command).map((option) => completedOption(option)),
    values: command.registeredArguments.map((argument) => completedArgument(argument, path)),
  }
  return [own, ...below.flatMap((child) => completionTree(child, [...path, child.name()]))]
}

const completedOption = (option: Option): CompletedOption => ({
  names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
  about: option.description,
  value:
    option.required || option.optional
      ? (idsOf(OPTION_IDS, option.attributeName()) ??
        valueNamed(placeholderOf(option.flags), option.argChoices))
      : undefined,
})

function completedArgument(argument: Argument, [noun = '']: readonly string[]): Value {
  const ids = argument.name() === 'ID' || argument.name() === 'NAME' ? idsOf(NOUN_IDS, noun) : undefined
  return ids ?? valueNamed(argument.name(), argument.argChoices)
}

const idsOf = (table: ReadonlyMap<string, string>, name: string): Ids | undefined => {
  const ids = table.get(name)
  return ids === undefined ? undefined : { ids }
}

/** The kind of IDs that the commands of a noun take as arguments, such as `paytwin invoices show <ID>`. */
const NOUN_IDS: ReadonlyMap<string, string> = new Map([
  ['customers', 'customers'],
  ['subscriptions', 'subscriptions'],
  ['invoices', 'invoices'],
  ['keys', 'keys'],
  ['merchants', 'merchants'],
  ['events', 'events'],
  ['webhooks', 'webhooks'],
  ['apps', 'apps'],
  ['oauth', 'authorizations'],
  ['faults', 'faults'],
  ['snapshots', 'snapshots'],
])

/** The kind of IDs that an option takes, by the option's name. */
const OPTION_IDS: ReadonlyMap<string, string> = new Map([
  ['merchant', 'merchants'],
  ['customer', 'customers'],
  ['subscription', 'subscriptions'],
  ['price', 'prices'],
  ['charge', 'charges'],
  ['paymentIntent', 'payment_intents'],
])

/** Extracts the placeholder from an option's flags: `TYPE` from `--stop-on <TYPE...>`. */
const placeholderOf = (flags: string): string => /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? ''

/** Derives the completion of a value from its placeholder: its literal words (`live|TIME`), or its kind, such as FILE. */
function valueNamed(name: string, choices: readonly string[] | undefined): Value {
  if (choices) return choices
  const words = name.split('|').filter((word) => /^[a-z0-9_-]+$/.test(word))
  return words.length > 0 && name.includes('|') ? words : (KINDS[name.toUpperCase()] ?? 'anything')
}

/** The event types of both APIs, because only the daemon knows which API a merchant uses. */
const NAMES_OF_EVENTS = [...new Set<string>([...EVENT_TYPES, ...STRIPE_EVENT_NAMES])]

const KINDS: Readonly<Record<string, Value>> = {
  FILE: 'file',
  DIR: 'folder',
  COMMAND: 'command',
  TYPE: NAMES_OF_EVENTS,
  GLOB: NAMES_OF_EVENTS,
}
