import { afterEach, expect, test } from 'vitest'
import { forOwnerOnly, withUmask } from '../../src/cli/umask.ts'
import { runHere } from './command-line.ts'

const before = process.umask()
afterEach(() => {
  process.umask(before)
})

test.each([
  ['serve', ['serve', '--fixtures', '/no/such/file.json']],
  ['run', ['run', '--fixtures', '/no/such/file.json', '--', 'true']],
])('%s restores the umask of its process', async (_name, args) => {
  process.umask(0o022)
  expect((await runHere(args)).status).not.toBe(0)
  expect(process.umask()).toBe(0o022)
})

test('work that needs the previous umask gets it, and what follows is for its owner again', async () => {
  process.umask(0o027)
  const masks: number[] = []
  await forOwnerOnly(async (umask) => {
    masks.push(process.umask())
    withUmask(umask, () => masks.push(process.umask()))
    masks.push(process.umask())
  })
  masks.push(process.umask())
  expect(masks).toEqual([0o077, 0o027, 0o077, 0o027])
})
