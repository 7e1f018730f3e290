import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Project } from '../library/installed.ts'

/** The example of docs/test-library.md for jest. */
const EXAMPLE = 'retry.test.cjs'
const JEST = join(import.meta.dirname, 'node_modules/jest/bin/jest.js')

// It packs what `npm run build` has left in dist.
let project: Project
beforeAll(async () => {
  project = await newProject()
}, 60_000)
afterAll(() => project.remove())

describe('the package', () => {
  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: project.installed, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('resolves with its types in every module resolution mode', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(project.tarball)))
    if (analysis.types === false) throw new Error('it has no types')
    const problems = analysis.problems.map((problem) => ({
      kind: problem.kind,
      entry: 'entrypoint' in problem ? problem.entrypoint : null,
      way: 'resolutionKind' in problem ? problem.resolutionKind : null,
    }))
    // vitest itself can neither be required nor be found by the oldest way.
    expect(problems).toEqual([
      { kind: 'NoResolution', entry: './vitest', way: 'node10' },
      { kind: 'CJSResolvesToESM', entry: './vitest', way: 'node16-cjs' },
      { kind: 'NoResolution', entry: './stripe-js', way: 'node10' },
      { kind: 'NoResolution', entry: './stripe-js/pure', way: 'node10' },
      // It has no exports to import.
      { kind: 'NoResolution', entry: './stripe-preload', way: 'node10' },
    ])
  }, 60_000)
})

test('it works with jest, with several files in one process', async () => {
  const again = EXAMPLE.replace('.test.', '-again.test.')
  const pattern = ['--testMatch', '**/*.test.cjs', '--rootDir', '.', '--detectOpenHandles']
  const copied = `require('node:fs').copyFileSync('${EXAMPLE}', '${again}')`
  await project.node('-e', copied)
  const { output, status } = await project.node(JEST, '--runInBand', ...pattern)
  expect(output).toMatch('Tests:       5 passed, 5 total')
  expect(output).not.toMatch('open handle')
  expect(status).toBe(0)
}, 60_000)
