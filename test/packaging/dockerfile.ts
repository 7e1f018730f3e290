import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { recordedIo } from '../cli/terminal.ts'

export const ROOT = join(import.meta.dirname, '../..')
export const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

export type Instruction = { readonly name: string; readonly rest: string }

/** The instructions of the Dockerfile, in their order. */
export const INSTRUCTIONS: readonly Instruction[] = textOf('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.+)$/.exec(line) ?? []
    return { name, rest }
  })

export const allOf = (wanted: string): string[] =>
  INSTRUCTIONS.filter(({ name }) => name === wanted).map(({ rest }) => rest)

/** The one instruction of a name. */
export function theOne(wanted: string): string {
  const [found, ...others] = allOf(wanted)
  if (found === undefined || others.length > 0)
    throw new Error(`the Dockerfile has not exactly one ${wanted}`)
  return found
}

/** What the image sets before a daemon starts. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    [...theOne('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )

const program = await createProgram(recordedIo().io)

/** Returns the command that arguments name, such as `clock advance`, and the remaining arguments. */
export function commandOf([name = '', ...rest]: readonly string[], parent: Command = program) {
  const command = parent.commands.find((each) => each.name() === name)
  if (!command) throw new Error(`${parent.name()} has no command '${name}'`)
  return { command, rest }
}

/** The environment variables of a daemon: one for each option of `serve`, and the token. See docs/contract/operator.md#options. */
export async function daemonVariables(): Promise<ReadonlySet<string>> {
  const { daemonOptions } = await import('../../src/cli/commands/serve.ts')
  const { Command } = await import('commander')
  const names = daemonOptions(new Command()).options.map(({ long = '' }) => long.slice(2))
  return new Set(
    ['admin-token', ...names].map((name) => `PAYTWIN_${name.replaceAll('-', '_').toUpperCase()}`),
  )
}
