import type { Command } from 'commander'
import type { Fixtures, FixturesFile } from '../../client/types.ts'
import { MAX_FIXTURE_BYTES, sizeError } from '../../core/fixture-limits.ts'
import { counted } from '../../text/display.ts'
import { readGivenFile } from '../../text/given-file.ts'
import { JsonSyntaxError, parseJsonFile } from '../../text/json-text.ts'
import { addVerb } from '../command.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { Io } from '../io.ts'
import type { Column } from '../show/output.ts'

/** `paytwin fixtures`. */
export function fixtureCommands(program: Command, io: Io): void {
  const fixtures = program
    .command('fixtures')
    .description('Load and validate fixtures: JSON files that describe objects to create.')

  addVerb(fixtures, io, {
    usage: 'load <FILE...>',
    about:
      'Create all objects that the files describe, or none if one is invalid. Loading a file again creates new objects. ' +
      'Secrets are shown only once.',
    arguments: { FILE: "JSON fixtures files, which can refer to each other's objects" },
    examples: [
      'paytwin fixtures load fixtures/default.json',
      'paytwin fixtures load fixtures/default.json --json',
    ],
    run: async ({ client, out }, _options, paths) =>
      out.show(await client.loadFixtures({ files: readAll(paths) }), ({ made }) =>
        out.table(COLUMNS, made, 'The files contain no objects.'),
      ),
  })

  addVerb(fixtures, io, {
    usage: 'validate <FILE...>',
    about: 'Check whether fixtures files can be loaded, and list all mistakes. Creates nothing.',
    arguments: { FILE: "JSON fixtures files, which can refer to each other's objects" },
    examples: ['paytwin fixtures validate fixtures/default.json'],
    run: async ({ client, out }, _options, paths) =>
      out.show(await client.loadFixtures({ files: readAll(paths), validate_only: true }), (response) => {
        for (const path of paths) out.line(path, ' is ', { text: 'valid', colour: 'green' })
        out.line('Loading creates ', contents(response), '.')
      }),
  })
}

const COLUMNS: readonly Column<Fixtures['made'][number]>[] = [
  { title: 'OBJECT', cell: ({ object }) => object },
  { title: 'REF', cell: ({ ref }) => ref ?? '–' },
  { title: 'ID', cell: ({ id }) => id },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id ?? '–' },
  { title: 'SECRET', cell: ({ secret }) => secret ?? '–' },
]

/** Lists the number of objects by kind: `2 products, 1 payment method`, or `nothing`. */
function contents({ counts }: Fixtures): string {
  const kinds = Object.entries(counts).map(([kind, count]) => counted(count, kind.replaceAll('_', ' ')))
  return kinds.length === 0 ? 'nothing' : kinds.join(', ')
}

/**
 * Reads and parses all files.
 * @throws Failure 2 if a file cannot be read; Failure 1 if the files are too large in total, or if a file is not valid JSON
 */
function readAll(paths: readonly string[]): FixturesFile[] {
  const read = paths.map((name) => ({
    name,
    ...orUnreadable(() => readGivenFile(name, { maxBytes: MAX_FIXTURE_BYTES })),
  }))
  const why = sizeError(read.reduce((sum, { size }) => sum + size, 0))
  if (why !== undefined) throw new Failure(1, why)
  const mistakes: string[] = []
  const files = read.flatMap(({ name, content }): FixturesFile[] => {
    try {
      return [{ name, content: parseJsonFile(content) }]
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error
      mistakes.push(error.in(name))
      return []
    }
  })
  const [first, ...others] = mistakes
  if (first !== undefined) throw new Failure(1, first, others)
  return files
}

function orUnreadable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw wrongUsage(`The fixtures file cannot be read: ${(error as Error).message}`)
  }
}
