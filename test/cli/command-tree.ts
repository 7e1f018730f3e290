import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { recordedIo } from './terminal.ts'

/** A command that does something, or a noun with verbs below it. */
export type Listed = {
  readonly path: readonly string[]
  readonly command: Command
  readonly examples: readonly string[][]
}

const { io, written } = recordedIo()

function listed(command: Command, path: readonly string[]): Listed[] {
  const below = command.commands.flatMap((child) => listed(child, [...path, child.name()]))
  return [{ path, command, examples: examplesOf(command) }, ...below]
}

/** The examples of a command's help, as arguments. */
function examplesOf(command: Command): string[][] {
  written.stdout = ''
  command.outputHelp()
  return [...written.stdout.matchAll(/^ {2}\$ paytwin (.*)$/gm)].map(([, example = '']) =>
    argumentsOf(example),
  )
}

/** Arguments as a shell splits them; what follows a pipe is another program's. */
export const argumentsOf = (example: string): string[] =>
  [...(example.split(' | ')[0] ?? '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )

const ALL = listed(await createProgram(io), []).filter(({ path }) => path.length > 0)

/** The commands that do something, new ones too. */
export const VERBS: readonly Listed[] = ALL.filter(({ command }) => command.commands.length === 0)
export const NOUNS: readonly Listed[] = ALL.filter(({ command }) => command.commands.length > 0)

export const nameOf = ({ path }: Pick<Listed, 'path'>): string => path.join(' ')
