import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scripts } from '../../package.json'
import { VERBS } from '../cli/command-tree.ts'
import { paytwin, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { type Block, blocksIn, DOCUMENTS, deadLinks, matchesDocument, textOf } from './blocks.ts'
import { runBlocks } from './shell.ts'

const documents = DOCUMENTS.map((document) => ({ document, blocks: blocksIn(textOf(document)) }))
const run = documents
  .map(({ document, blocks }) => ({ document, blocks: blocks.filter(({ way }) => way !== 'elsewhere') }))
  .filter(({ blocks }) => blocks.length > 0)

test('the documents are found, and have something to run', () => {
  expect(DOCUMENTS).toContain('README.md')
  expect(run.map(({ document }) => document)).toEqual(expect.arrayContaining(['README.md', 'docs/tour.md']))
})

test.each(DOCUMENTS)('all links of %s resolve', (document) => {
  expect(deadLinks(document)).toEqual([])
})

describe.each(run)('$document', ({ blocks }) => {
  test('do and print what the documents say', { timeout: 240_000 }, async () => {
    const { shown, onTerminal } = await runBlocks(blocks)
    expect(shown).toHaveLength(blocks.length)
    if (!onTerminal) return
    for (const { block, output } of shown) {
      if (block.shows !== undefined && !matchesDocument(output, block.shows)) expect(output).toBe(block.shows)
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

/** Returns the commands of a block as words, without comments. */
const commandsIn = ({ text }: Pick<Block, 'text'>): string[][] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s)#.*/, '').split(/&&|[|;]/))
    .map((command) => command.trim().replace(/^npx /, '').split(/\s+/))
    .filter(([first]) => first !== '')

/** Commands that npm itself has. */
const OF_NPM = ['ci', 'install']

test.each(elsewhere)('$document:$line uses commands and routes that exist', (block) => {
  const commands = commandsIn(block)
  expect(commands.length).toBeGreaterThan(0)
  for (const [program, ...words] of commands) {
    if (program === 'npm') {
      const script = words[0] === 'run' ? words[1] : words[0]
      expect([...OF_NPM, ...Object.keys(scripts)]).toContain(script)
      continue
    }
    expect(program).toBe('paytwin')
    // The rest of the words belongs to another program.
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
    const { command } = VERBS.find(({ path }) => path.every((word, index) => own[index] === word)) ?? {}
    const known = command?.createHelp().visibleOptions(command) ?? []
    expect(known.map(({ long }) => long)).toEqual(
      expect.arrayContaining(own.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])),
    )
    expect(command).toBeDefined()
  }
})
