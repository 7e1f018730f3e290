import { type Command, InvalidArgumentError, Option } from 'commander'
import { Client } from '../client/client.ts'
import { type ConnectionOptions, findDaemon } from './connection.ts'
import type { Io } from './io.ts'
import { Output } from './output.ts'

/** A command as it was called: whom it asks, and where its answer goes. */
export type Invocation = {
  readonly client: Client
  readonly out: Output
  readonly io: Io
}

/** A command that asks the daemon for something: `paytwin <noun> <verb>`. */
export type Verb<Options> = {
  /** Its name and arguments in commander's form, as in `revoke <ID>`. */
  readonly usage: string
  readonly about: string
  /** What its arguments stand for, by their names. */
  readonly arguments?: Readonly<Record<string, string>>
  /** Adds the options that it has beside those of every command. */
  readonly options?: (command: Command) => Command
  readonly examples: readonly string[]
  readonly run: (invocation: Invocation, options: Options, args: readonly string[]) => Promise<void>
}

/** Adds a command to a noun, or to the program itself. */
export function addVerb<Options extends object = object>(noun: Command, io: Io, verb: Verb<Options>): void {
  const command = noun.command(verb.usage).description(verb.about)
  for (const argument of command.registeredArguments) {
    argument.description = verb.arguments?.[argument.name()] ?? ''
  }
  verb.options?.(command)
  commonOptions(command)
    .addHelpText('after', examplesText(verb.examples))
    .action(async () => {
      const options = command.opts<Options & ConnectionOptions & { json?: boolean }>()
      const client = new Client(findDaemon(options, io))
      await verb.run({ client, out: new Output(io, options), io }, options, command.args)
    })
}

/** The options of every command that asks a daemon. */
export const commonOptions = (command: Command): Command =>
  command
    .option('--json', 'print the answer of the API as JSON')
    .option('--url <URL>', 'the address of the daemon (PAYTWIN_URL)')
    .option('--data <DIR>', 'the data folder that tells where the daemon is (PAYTWIN_DATA; default .paytwin)')

export const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`

/** An option whose help and completion name what it takes, and whose value is checked where it is used. */
export const optionWithChoices = (flags: string, about: string, choices: readonly string[]): Option =>
  new Option(flags, about).choices(choices).argParser((value) => value)

/** An option's value that is a whole number. @throws InvalidArgumentError, which is wrong usage */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.')
  return Number(text)
}
