import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXECUTABLE } from './executable.ts'

const DIST = join(EXECUTABLE, '../../dist')
const textOf = (file: string) => readFileSync(join(DIST, file), 'utf8')
const named = (file: string, pattern: RegExp) =>
  [...textOf(file).matchAll(pattern)].map(([, name = '']) => name)

/** The files of the build that are loaded before a file does anything. */
function loadedWith(file: string, known: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  if (known.has(file)) return known
  const next = named(file, /(?:from|import)\s*"\.\/([^"]+)"/g)
  return next.reduce<ReadonlySet<string>>(
    (loaded, name) => loadedWith(name, loaded),
    new Set([...known, file]),
  )
}

const hasInk = (file: string) => textOf(file).includes('yoga')
const loadedLater = named('main.js', /import\("\.\/([^"]+)"\)/g)

test('Ink, which takes longer to load than a command may take, comes with the terminal UI alone', () => {
  expect([...loadedWith('main.js')].filter(hasInk)).toEqual([])
  expect(loadedLater.filter((file) => [...loadedWith(file)].some(hasInk))).toEqual([
    expect.stringMatching(/^watch-/),
  ])
  expect(loadedLater.length).toBeGreaterThan(1)
})
