import { describe, expect, test } from 'vitest'
import { textOf } from './dockerfile.ts'

type Entry = {
  readonly optional?: true
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const COMPAT = 'test/compat/package.json'
/** What a fresh clone may install: 173 when this was written, of which Ink has 28, vitest 36 and better-sqlite3 33. */
const MOST_PACKAGES = 275

const packagesOf = (lock: string): [string, Entry][] => Object.entries(JSON.parse(textOf(lock)).packages)

const isForThis = ({ os, cpu, libc }: Entry): boolean =>
  (os?.includes('linux') ?? true) && (cpu?.includes('x64') ?? true) && (libc?.includes('glibc') ?? true)

describe('npm ci in the root', () => {
  test('installs few packages', () => {
    const installed = packagesOf('package-lock.json').filter(
      ([path, entry]) => path !== '' && isForThis(entry),
    )
    expect(installed.length).toBeLessThan(MOST_PACKAGES)
  })

  test('does not install what only the compatibility tests need', () => {
    const { workspaces, devDependencies } = JSON.parse(textOf('package.json'))
    const others = Object.keys(JSON.parse(textOf(COMPAT)).devDependencies)
    expect(workspaces).toBeUndefined()
    // The generator of clients needs the compiler of TypeScript 5, and all need the types of Node. The compiler checks what
    // merchants with Stripe's API present against the types of Stripe's SDK.
    expect(others.filter((name) => name in devDependencies)).toEqual([
      '@types/node',
      'react',
      'stripe',
      'typescript',
    ])
  })
})

test.each(['package-lock.json', 'test/compat/package-lock.json'])(
  '%s has the parts of every package for all platforms',
  (lock) => {
    const entries = packagesOf(lock)
    const names = new Set(entries.map(([path]) => path.split('node_modules/').at(-1)))
    const needed = entries.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies))
    expect(needed.length).toBeGreaterThan(20)
    expect(needed.filter((name) => !names.has(name))).toEqual([])
  },
)
