import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { firstSentence } from '../text/display.ts'

/** What help shows together, in this order; a command that is not here stands with the last. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['The daemon:', ['serve', 'start', 'stop', 'status', 'logs', 'run']],
  ['Time, and what it brings:', ['clock', 'events', 'customers', 'subscriptions', 'invoices']],
  ['Who calls, and who is called:', ['keys', 'merchants', 'apps', 'oauth', 'webhooks', 'requests']],
  ['Scenes for a test:', ['fixtures', 'trigger', 'faults', 'snapshots']],
  ['More:', ['completion', 'help']],
]

const [LAST] = GROUPS.at(-1) ?? ['']
const ORDER = GROUPS.flatMap(([, names]) => names)

/** Puts a program's commands into the groups and the order in which help shows them. */
export function arrange(program: Command): void {
  for (const command of program.commands) command.helpGroup(groupOf(command))
  program.commandsGroup(LAST).helpCommand('help [COMMAND...]', 'Show the help of a command.')
  const place = (command: Command) =>
    ORDER.includes(command.name()) ? ORDER.indexOf(command.name()) : ORDER.length
  ;(program.commands as Command[]).sort((left, right) => place(left) - place(right))
}

const groupOf = (command: Command): string =>
  GROUPS.find(([, names]) => names.includes(command.name()))?.[0] ?? LAST

/** How lists of commands and options read: a line each, where that is enough. */
export const helpStyle: HelpConfiguration = {
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  subcommandDescription: (command) => `${firstSentence(command.description())}.`,
  optionDescription: aboutOption,
  visibleCommands: (command) =>
    new Help().visibleCommands(command).filter((child) => child.name() !== 'help' || command.parent === null),
}

/** What an option is for, what it can be, and what it is unless given; words of its own tell that of many. */
export function aboutOption({ description, argChoices, defaultValue, mandatory }: Option): string {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
  const unlessGiven = defaultValue === undefined ? '' : ` (default ${defaultValue})`
  return `${description}${choices}${unlessGiven}${mandatory ? ' (required)' : ''}`
}

function termOf(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? name : `[${name}]`
}

/** `help clock advance` asks for what `clock advance --help` does, if there is such a command. */
export function helpAsOption(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...names] = args
  if (first !== 'help') return args
  let command: Command | undefined = program
  for (const name of names) command = command?.commands.find((child) => child.name() === name)
  return command ? [...names, '--help'] : names
}
