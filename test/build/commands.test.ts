import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandReference } from '../../src/build/commands.ts'
import { daemonOptions } from '../../src/cli/commands/serve.ts'
import { serveOptions } from '../../src/cli/daemon/serve-options.ts'
import { NOUNS, nameOf, VERBS } from '../cli/command-tree.ts'
import { anchorsIn, deadLinksIn, documentText, sectionOf } from '../reference.ts'

const TEXT = documentText('commands.md')

const sectionOfCommand = (name: string): string => sectionOf(TEXT, `paytwin ${name}`)

test('docs/commands.md is up to date', async () => {
  expect(TEXT, 'run npm run references').toBe(await commandReference(TEXT))
})

test('a document without the line that begins the generated part is refused', async () => {
  await expect(commandReference('# The command line')).rejects.toThrow('has no line <!--')
})

describe('The reference of the commands', () => {
  test.each(VERBS.map((verb) => [nameOf(verb), verb] as const))(
    'has the usage, options and examples of %s',
    (name, { command, examples }) => {
      const section = sectionOfCommand(name)
      expect(section).toContain(`Usage: paytwin ${name} ${command.usage()}`)
      for (const argument of command.registeredArguments) expect(section).toContain(argument.name())
      const options = command.options.filter(({ hidden }) => !hidden).map(({ flags }) => flags)
      expect(options.filter((flags) => !section.includes(`  ${flags}`))).toEqual([])
      expect(section.split('\n').filter((line) => line.startsWith('  $ paytwin '))).toHaveLength(
        examples.length,
      )
    },
  )

  test('links to all commands, in the order of the help', () => {
    const headings = [...TEXT.matchAll(/^#+ paytwin (?<name>.+)$/gm)].map(({ groups }) => groups?.name ?? '')
    const known = [...NOUNS, ...VERBS].map(nameOf)
    expect(headings.toSorted()).toEqual(known.toSorted())
    expect(headings.indexOf('serve')).toBeLessThan(headings.indexOf('clock'))
    expect(headings.indexOf('clock')).toBeLessThan(headings.indexOf('snapshots'))
    const unlinked = headings.filter((name) => !TEXT.includes(`](#paytwin-${name.replaceAll(' ', '-')})`))
    expect(unlinked).toEqual([])
  })

  test('has defaults and required options', () => {
    expect(sectionOfCommand('logs')).toMatch(
      /-n, --limit <N> +how many of the last lines to show \(default 100\)/,
    )
    expect(sectionOfCommand('apps create')).toContain('(required)')
  })

  test('has unique headings and valid links', () => {
    const anchors = anchorsIn(TEXT)
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
    expect(deadLinksIn(TEXT)).toEqual([])
  })
})

test('every option of serve has a variable of its name', () => {
  const read = new Set<string>()
  const env = new Proxy({}, { get: (_, name) => void read.add(String(name)) })
  serveOptions({}, { env })
  const options = daemonOptions(new Command()).options.map(({ long }) => long ?? '')
  const variables = options.map((long) => `PAYTWIN_${long.slice(2).replaceAll('-', '_').toUpperCase()}`)
  expect(variables.filter((name) => !read.has(name))).toEqual([])
})

test('every argument of a command has a description', () => {
  const silent = VERBS.filter(({ command }) =>
    command.registeredArguments.some(({ description }) => description === ''),
  )
  expect(silent.map(nameOf)).toEqual([])
})
