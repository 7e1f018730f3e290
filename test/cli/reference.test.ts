import { describe, expect, test } from 'vitest'
import { commandReference } from '../../src/cli/reference.ts'
import { serveOptions } from '../../src/cli/serve-options.ts'
import { anchorsIn, deadLinksIn, documentText, sectionOf } from '../reference.ts'
import { NOUNS, nameOf, VERBS } from './command-tree.ts'

const TEXT = documentText('commands.md')

const sectionOfCommand = (name: string): string => sectionOf(TEXT, `paytwin ${name}`)

test('docs/commands.md is up to date', async () => {
  expect(TEXT, 'run npm run references').toBe(await commandReference())
})

describe('The reference of the commands', () => {
  test.each(VERBS.map((verb) => [nameOf(verb), verb] as const))(
    'tells of %s what its help does',
    (name, verb) => {
      const section = sectionOfCommand(name)
      const { command, path } = verb
      expect(section).toContain(`paytwin ${path.join(' ')} ${command.usage()}`)
      for (const argument of command.registeredArguments) expect(section).toContain(argument.name())
      const options = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '')
      expect(options.filter((long) => !new RegExp(`^- .*${long}[ ,\`]`, 'm').test(section))).toEqual([])
      const lines = section.split('\n').filter((line) => line.startsWith(`paytwin ${name}`))
      expect(lines).toHaveLength(1 + verb.examples.length)
    },
  )

  test.each(NOUNS.map((noun) => [nameOf(noun), noun] as const))(
    'tells what there is below %s',
    (name, noun) => {
      const links = noun.command.commands.map((verb) => `](#paytwin-${name}-${verb.name()})`)
      expect(links.filter((link) => !sectionOfCommand(name).includes(link))).toEqual([])
    },
  )

  test('has all commands in the order of the help', () => {
    const headings = [...TEXT.matchAll(/^#+ paytwin (?<name>.+)$/gm)].map(({ groups }) => groups?.name ?? '')
    const known = [...NOUNS, ...VERBS].map(nameOf)
    expect(headings.toSorted()).toEqual([...known, 'help'].toSorted())
    expect(headings.indexOf('serve')).toBeLessThan(headings.indexOf('clock'))
    expect(headings.indexOf('clock')).toBeLessThan(headings.indexOf('snapshots'))
  })

  test('has defaults and required options', () => {
    expect(sectionOfCommand('logs')).toContain(
      '`-n, --limit <N>`: how many of the last lines to show (default 100).',
    )
    expect(sectionOfCommand('apps create')).toContain('(required).')
    expect(sectionOfCommand('completion')).toContain('`<SHELL>`: the shell: `bash`, `zsh`, `fish`.')
  })

  test('describes the options in which run differs', () => {
    expect(sectionOfCommand('run')).toContain('except `--data` and `--ephemeral`')
    expect(sectionOfCommand('run')).toContain('`--log-level <LEVEL>`: the log level: trace, debug,')
  })

  test('has the variable of each option of serve', () => {
    const read = new Set<string>()
    const env = new Proxy({}, { get: (_, name) => void read.add(String(name)) })
    serveOptions({}, { env })
    const lines = sectionOfCommand('serve')
      .split('\n')
      .filter((line) => line.startsWith('- `--'))
    const named = lines.map((line) => /Variable: `(\w+)`/.exec(line)?.[1] ?? line)
    expect(named.filter((name) => !read.has(name))).toEqual([])
    expect(named).toHaveLength(18)
  })

  test('has unique headings and valid links', () => {
    const anchors = anchorsIn(TEXT)
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
    expect(deadLinksIn(TEXT)).toEqual([])
  })
})

test('every argument of a command has a description', () => {
  const silent = VERBS.filter(({ command }) =>
    command.registeredArguments.some(({ description }) => description === ''),
  )
  expect(silent.map(nameOf)).toEqual([])
})
