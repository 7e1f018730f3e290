import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { firstSentence } from '../text/display.ts'

/** The groups of commands in the help, in this order. A command that is not listed joins the last group. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Daemon:', ['serve', 'start', 'open', 'stop', 'status', 'logs', 'run']],
  ['Time and billing:', ['clock', 'events', 'why', 'mail']],
  [
    'Resources:',
    [
      'customers',
      'subscriptions',
      'schedules',
      'invoices',
      'credit_notes',
      'coupons',
      'promotion_codes',
      'meters',
      'payment_intents',
      'charges',
      'refunds',
      'disputes',
      'checkout',
      'get',
      'post',
      'delete',
    ],
  ],
  [
    'Access and webhooks:',
    ['keys', 'merchants', 'apps', 'oauth', 'webhooks', 'listen', 'stripe', 'requests'],
  ],
  ['Test data and faults:', ['fixtures', 'trigger', 'faults', 'snapshots', 'reset']],
  ['More:', ['mcp', 'ids', 'completion', 'help']],
]

const [LAST] = GROUPS.at(-1) ?? ['']
const ORDER = GROUPS.flatMap(([, names]) => names)

/** Groups and orders a program's commands as the help shows them. */
export function arrange(program: Command): void {
  for (const command of program.commands) command.helpGroup(groupOf(command))
  program.commandsGroup(LAST).helpCommand('help [COMMAND...]', 'Show the help of a command.')
  const place = (command: Command) =>
    ORDER.includes(command.name()) ? ORDER.indexOf(command.name()) : ORDER.length
  ;(program.commands as Command[]).sort((left, right) => place(left) - place(right))
}

const groupOf = (command: Command): string =>
  GROUPS.find(([, names]) => names.includes(command.name()))?.[0] ?? LAST

/** The style of the help's lists: one line for each command and option where possible. */
export const helpStyle: HelpConfiguration = {
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  subcommandDescription: (command) => `${firstSentence(command.description())}.`,
  optionDescription: aboutOption,
  visibleCommands: (command) =>
    new Help().visibleCommands(command).filter((child) => child.name() !== 'help' || command.parent === null),
}

/** Describes an option with its choices, its default, and whether it is required. */
function aboutOption(option: Option): string {
  const { description, argChoices, mandatory } = option
  const defaultValue = option.defaultValueDescription ?? option.defaultValue
  const choices = argChoices ? `: ${argChoices.join(', ')}` : ''
  const byDefault = defaultValue === undefined ? '' : ` (default ${defaultValue})`
  return `${description}${choices}${byDefault}${mandatory ? ' (required)' : ''}`
}

function termOf(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? name : `[${name}]`
}

/** Rewrites `help clock advance` to `clock advance --help`, if there is such a command, and `version` and `-v` to `--version`. */
export function withoutSynonyms(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...names] = args
  if (names.length === 0 && (first === 'version' || first === '-v')) return ['--version']
  if (first !== 'help') return args
  let command: Command | undefined = program
  for (const name of names) command = command?.commands.find((child) => child.name() === name)
  return command ? [...names, '--help'] : names
}
