import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorOf } from '../../src/text/markdown.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** All documents for people, by path in the project. */
export const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].toSorted()

export const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8')

/**
 * A block of shell commands. Its fence says how it runs: `sh` runs to its end. `sh background` keeps running, like a daemon.
 * `sh elsewhere` is not run, because it needs a network, minutes, or something that only the reader has.
 */
export type Block = {
  readonly way: 'here' | 'background' | 'elsewhere'
  readonly text: string
  /** The expected output, from a text block directly below. A line of … stands for any number of lines. */
  readonly shows: string | undefined
  readonly line: number
}

const WAYS: Readonly<Record<string, Block['way']>> = {
  '': 'here',
  background: 'background',
  elsewhere: 'elsewhere',
}

/** @throws {Error} for an unknown kind of block */
export function blocksIn(text: string): Block[] {
  const fences = /^```sh(?<words>[^\n]*)\n(?<commands>.*?)^```\n(?:\n*```text\n(?<shows>.*?)^```$)?/gms
  return [...text.matchAll(fences)].map((match) => {
    const { words = '', commands = '', shows } = match.groups ?? {}
    const way = WAYS[words.trim()]
    if (way === undefined) throw new Error(`there is no way '${words.trim()}' to run a block`)
    return { way, text: commands, shows, line: text.slice(0, match.index).split('\n').length }
  })
}

/** Returns the broken links of a document. */
export function deadLinks(document: string): string[] {
  const links = [...textOf(document).matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(
    ({ groups }) => groups?.target ?? '',
  )
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    return !exists(path === '' ? document : join(dirname(document), path), anchor)
  })
}

/** Returns whether a file of the project exists and has the heading of an anchor. */
export const exists = (path: string, anchor?: string): boolean =>
  existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(path).has(anchor))

const anchors = new Map<string, ReadonlySet<string>>()

/** Returns the anchors of a document's headings. Called for each link. */
function anchorsOf(document: string): ReadonlySet<string> {
  const known = anchors.get(document) ?? anchorsIn(textOf(document))
  anchors.set(document, known)
  return known
}

function anchorsIn(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ +(?<heading>.+)$/gm)
  const found = new Set<string>()
  for (const { groups } of headings) {
    const anchor = anchorOf(groups?.heading ?? '')
    // GitHub numbers equal headings of a document.
    let copies = 0
    while (found.has(copies === 0 ? anchor : `${anchor}-${copies}`)) copies += 1
    found.add(copies === 0 ? anchor : `${anchor}-${copies}`)
  }
  return found
}

/** Returns whether output matches that of the document, except for line ends. */
export function matchesDocument(shown: string, documented: string): boolean {
  const lines = (text: string) => text.split('\n').map((line) => line.trimEnd())
  const pattern = lines(documented.trimEnd()).map((line) =>
    line === '…' ? '(?:.*\n)*?' : `${line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\n`,
  )
  return new RegExp(`^${pattern.join('')}$`).test(`${lines(shown.trimEnd()).join('\n')}\n`)
}
