import { parseArgs } from 'node:util'

/** The parsed command line. */
export type BenchOptions = {
  readonly parts: readonly string[]
  readonly rounds: number
  readonly size: number | undefined
  readonly json: boolean
  readonly help: boolean
}

/** The command line is invalid. The message is a sentence for the user. */
export class WrongUsage extends Error {}

/**
 * Parses the command line.
 * @param args - the arguments after `npm run bench --`
 * @param known - the names of all parts
 * @throws WrongUsage
 */
export function benchOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args)
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new WrongUsage(`There is no part '${unknown}'. The parts are ${known.join(', ')}.`)
  }
  return {
    parts: positionals,
    rounds: wholeNumber('--rounds', values.rounds) ?? 3,
    size: wholeNumber('--size', values.size),
    json: values.json,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        size: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new WrongUsage((error as Error).message)
  }
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new WrongUsage(`${option} takes a whole number from 1, not '${text}'.`)
}
