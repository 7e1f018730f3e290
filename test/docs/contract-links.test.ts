import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { blocksIn, deadLinks, exists, ROOT, textOf } from './blocks.ts'

const FOLDER = 'docs/contract'
const PAGES = readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`)

/** All files that can refer to the contract, by path in the project. */
const FILES = [
  ...['src', 'test', 'bin', 'docs', '.github'].flatMap(filesIn).filter((path) => !path.startsWith(FOLDER)),
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
]

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return []
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesIn(path)
    return /\.(tsx?|js|md|sh|yml)$/.test(entry.name) ? [path] : []
  })
}

/** Returns the references to missing pages or headings of the contract. */
function deadReferences(text: string): string[] {
  const references = [...text.matchAll(/docs\/contract\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([found]) => found)
  return references.filter((reference) => {
    const [path = '', anchor] = reference.split('#')
    return !exists(path, anchor)
  })
}

/** Returns citations of documents outside the project. A page of the contract can have the same name. */
const citationsIn = (text: string): string[] =>
  [...text.matchAll(/(?<!contract\/)\b(?:interface|operator|state-machines|timelines|decisions)\.md\b/g)].map(
    ([found]) => found,
  )

/** Returns the findings of a check, by path; files without findings are left out. */
const findings = (check: (text: string) => string[]): Record<string, string[]> =>
  Object.fromEntries(
    FILES.map((path) => [path, check(readFileSync(join(ROOT, path), 'utf8'))] as const).filter(
      ([, found]) => found.length > 0,
    ),
  )

describe.each(PAGES)('%s', (page) => {
  test('links to existing headings', () => {
    expect(deadLinks(page)).toEqual([])
  })

  test('has no commands to run: these belong to the guides', () => {
    expect(blocksIn(textOf(page))).toEqual([])
  })
})

test('the index lists every page', () => {
  const index = textOf(`${FOLDER}/README.md`)
  const unlisted = PAGES.filter((page) => !index.includes(`| [${page.slice(FOLDER.length + 1)}](`))
  expect(unlisted).toEqual([`${FOLDER}/README.md`])
})

test('code and documents refer to existing headings of the contract', () => {
  expect(findings(deadReferences)).toEqual({})
})

test('a reference to a missing page or heading is found', () => {
  const page = `${FOLDER}/invoices.md`
  const missing = [`${page}#no-such-rule`, `${FOLDER}/no-such-page.md`]
  expect(deadReferences(`See ${page}#retry-schedule. See ${missing[0]}, ${page} and ${missing[1]}.`)).toEqual(
    missing,
  )
})

test('no comment cites a document outside the project', () => {
  expect(findings(citationsIn)).toEqual({})
})

test('a citation of a document outside the project is found', () => {
  const name = ['interface', 'md'].join('.')
  expect(citationsIn(`Source: ${name} 3.1. See docs/contract/operator.md#run.`)).toEqual([name])
})
