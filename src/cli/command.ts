import { type Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { Client } from '../client/client.ts'
import { addressAfterRestart, type ConnectionOptions, findDaemon } from './daemon/connection.ts'
import { explainConnection } from './daemon/explain-connection.ts'
import type { Io } from './io.ts'
import { Output } from './show/output.ts'

/** The daemon's client, the output and the streams of a running command. */
export type Invocation = {
  readonly client: Client
  readonly out: Output
  readonly io: Io
}

/** A command that calls the daemon: `paytwin <noun> <verb>`. */
export type Verb<Options> = {
  /** Its name and arguments in commander's syntax, such as `revoke <ID>`. */
  readonly usage: string
  readonly about: string
  /** The descriptions of its arguments, by name. */
  readonly arguments?: Readonly<Record<string, string>>
  /** An argument with a fixed set of values, which commander checks. */
  readonly takes?: Argument
  /** Adds the command's own options; the common options are added to every command. */
  readonly options?: (command: Command) => Command
  readonly examples: readonly string[]
  readonly run: (invocation: Invocation, options: Options, args: readonly string[]) => Promise<void>
}

/** Adds a command below a noun, or to the program itself. */
export function addVerb<Options extends object = object>(noun: Command, io: Io, verb: Verb<Options>): void {
  const command = noun.command(verb.usage).description(verb.about)
  for (const argument of command.registeredArguments) {
    argument.description = verb.arguments?.[argument.name()] ?? ''
  }
  if (verb.takes) command.addArgument(verb.takes)
  verb.options?.(command)
  commonOptions(command)
    .addHelpText('after', examplesText(verb.examples))
    .action(async () => {
      const options = command.opts<Options & ConnectionOptions & { json?: boolean }>()
      const found = findDaemon(options, io)
      const client = new Client(found, () => addressAfterRestart(found, options, io))
      try {
        await verb.run({ client, out: new Output(io, options), io }, options, command.args)
      } catch (error) {
        throw explainConnection(error, client.address, options, io)
      }
    })
}

/** Adds the options of every command that calls a daemon. */
const commonOptions = (command: Command): Command =>
  command
    .option('--json', "print the API's response as JSON")
    .option('--url <URL>', 'the URL of the daemon (PAYTWIN_URL)')
    .option('--data <DIR>', 'the data folder of the daemon (PAYTWIN_DATA; default .paytwin)')

export const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`

/**
 * Creates an option whose help and completion list its choices. The code that uses the value checks it, and applies the
 * default.
 */
export const optionWithChoices = (
  flags: string,
  about: string,
  { choices, byDefault }: { choices: readonly string[]; byDefault?: string },
): Option =>
  new Option(flags, about)
    .choices(choices)
    .argParser((value) => value)
    .default(undefined, byDefault)

/** Parses an option's value as an integer. @throws InvalidArgumentError, which is reported as wrong usage */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be an integer.')
  return Number(text)
}
