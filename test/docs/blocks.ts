import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorOf } from '../../src/text/markdown.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** All that is written for people, by their paths in the project. */
export const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].toSorted()

export const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8')

/**
 * A block of shell commands. How it is run, its fence says beside the language: `sh` runs to its end; `sh background` stays, as a
 * daemon does; `sh elsewhere` needs a network, minutes, or something that only its reader has, and is not run.
 */
export type Block = {
  readonly way: 'here' | 'background' | 'elsewhere'
  readonly text: string
  /** What it shows, where the document says so by a block of text directly below; a line of … is any number of lines. */
  readonly shows: string | undefined
  readonly line: number
}

const WAYS: Readonly<Record<string, Block['way']>> = {
  '': 'here',
  background: 'background',
  elsewhere: 'elsewhere',
}

/** @throws {Error} for a way that there is none of */
export function blocksIn(text: string): Block[] {
  const fences = /^```sh(?<words>[^\n]*)\n(?<commands>.*?)^```\n(?:\n*```text\n(?<shows>.*?)^```$)?/gms
  return [...text.matchAll(fences)].map((match) => {
    const { words = '', commands = '', shows } = match.groups ?? {}
    const way = WAYS[words.trim()]
    if (way === undefined) throw new Error(`there is no way '${words.trim()}' to run a block`)
    return { way, text: commands, shows, line: text.slice(0, match.index).split('\n').length }
  })
}

/** The paths of the project that a document's links name, and do not exist. */
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

/** Whether a file of the project exists, and has the heading that an anchor names. */
export const exists = (path: string, anchor?: string): boolean =>
  existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(path).has(anchor))

const anchors = new Map<string, ReadonlySet<string>>()

/** What a document's headings can be reached by. It is asked for by each link. */
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
    // GitHub numbers the headings of a document that have the same words.
    let copies = 0
    while (found.has(copies === 0 ? anchor : `${anchor}-${copies}`)) copies += 1
    found.add(copies === 0 ? anchor : `${anchor}-${copies}`)
  }
  return found
}

/** Whether what was shown is what the document says. Ends of lines do not count. */
export function isAsTold(shown: string, told: string): boolean {
  const lines = (text: string) => text.split('\n').map((line) => line.trimEnd())
  const pattern = lines(told.trimEnd()).map((line) =>
    line === '…' ? '(?:.*\n)*?' : `${line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\n`,
  )
  return new RegExp(`^${pattern.join('')}$`).test(`${lines(shown.trimEnd()).join('\n')}\n`)
}
