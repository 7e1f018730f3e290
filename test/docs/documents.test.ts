import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scripts } from '../../package.json'
import { paytwin, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { commandOf } from '../packaging/dockerfile.ts'
import { type Block, blocksIn, DOCUMENTS, deadLinks, isAsTold, textOf } from './blocks.ts'
import { runBlocks } from './shell.ts'

const documents = DOCUMENTS.map((document) => ({ document, blocks: blocksIn(textOf(document)) }))
const run = documents
  .map(({ document, blocks }) => ({ document, blocks: blocks.filter(({ way }) => way !== 'elsewhere') }))
  .filter(({ blocks }) => blocks.length > 0)

test('the documents are found, and have something to run', () => {
  expect(DOCUMENTS).toContain('README.md')
  expect(run.map(({ document }) => document)).toEqual(expect.arrayContaining(['README.md', 'docs/tour.md']))
})

test.each(DOCUMENTS)('%s links to what there is', (document) => {
  expect(deadLinks(document)).toEqual([])
})

describe.each(run)('$document', ({ blocks }) => {
  test('does and shows what it says', { timeout: 240_000 }, async () => {
    const { shown, onTerminal } = await runBlocks(blocks)
    expect(shown).toHaveLength(blocks.length)
    if (!onTerminal) return
    for (const { block, output } of shown) {
      if (block.shows !== undefined && !isAsTold(output, block.shows)) expect(output).toBe(block.shows)
    }
  })
})

const elsewhere = documents.flatMap(({ document, blocks }) =>
  blocks.filter(({ way }) => way === 'elsewhere').map((block) => ({ document, ...block })),
)

test('the example of fixtures is one that loads', async () => {
  const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(textOf('docs/fixtures.md')) ?? []
  const folder = temporaryFolder()
  const [file, daemon] = [join(folder.path, 'example.json'), await startDaemon()]
  try {
    writeFileSync(file, example)
    const loaded = await paytwin(['fixtures', 'load', file], { env: daemon.env })
    expect(loaded).toMatchObject({ status: 0, stderr: '' })
    expect(loaded.stdout).toMatch(/^subscription\t/m)
  } finally {
    await daemon.stop()
    folder.remove()
  }
})

/** The commands of a block that are paytwin's or npm's scripts, as words. Comments and what follows a pipe are left out. */
function commandsIn({ text }: Pick<Block, 'text'>): string[][] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines
    .flatMap((line) => line.replace(/(^|\s)#.*/, '').split(/&&|[|;]/))
    .map((command) => command.trim().replace(/^npx /, '').split(/\s+/))
    .filter(([first, second]) => first === 'paytwin' || (first === 'npm' && second === 'run'))
}

test.each(elsewhere)('$document:$line uses what there is', (block) => {
  for (const [program, ...words] of commandsIn(block)) {
    if (program === 'npm') {
      expect(Object.keys(scripts)).toContain(words[1])
      continue
    }
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
    const { command } = innermost(own)
    const known = command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long)
    expect(known).toEqual(
      expect.arrayContaining(own.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])),
    )
  }
})

/** `clock advance` of `clock advance 1mo`. */
function innermost(words: readonly string[]): ReturnType<typeof commandOf> {
  let { command, rest } = commandOf(words)
  while (command.commands.length > 0) ({ command, rest } = commandOf(rest, command))
  return { command, rest }
}
