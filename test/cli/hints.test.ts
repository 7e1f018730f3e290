import { expect, test } from 'vitest'
import { VERSION } from '../../src/cli/commands/version.ts'
import { runHere } from './command-line.ts'

test.each([
  [['faults', 'remove', 'fault_1'], 'paytwin faults clear'],
  [['faults', 'rm'], 'paytwin faults clear'],
  [['snapshots', 'create', 'x'], 'paytwin snapshots save'],
  [['keys', 'ls'], 'paytwin keys list'],
  [['customers', 'get', 'cus_x'], 'paytwin customers show'],
  [['clock', 'adv', '1d'], 'paytwin clock advance'],
  [['sub', 'list'], 'paytwin subscriptions'],
  [['payment-intents', 'list'], 'payment_intents'],
  [['rate-limit', '5'], 'paytwin serve --rate-limit or paytwin faults add rate_limit'],
  [['advance', '1mo'], 'paytwin clock advance'],
  [['show', 'in_x'], 'paytwin customers show, paytwin subscriptions show or paytwin invoices show'],
  [['products'], 'paytwin get products'],
])('%j is refused with a suggestion: exit 2', async (args, meant) => {
  const { status, stdout, stderr } = await runHere(args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^error: unknown command '\S+'\n\(Did you mean [^\n]*\?\)\n/)
  expect(stderr).toContain(meant)
})

test('a negative duration is refused with the alternatives: exit 2', async () => {
  const { status, stdout, stderr } = await runHere(['clock', 'advance', '-1d'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(
    /^error: '-1d' is negative, and a clock only moves forward: use 'paytwin clock advance 1d', or 'paytwin reset' to start again\n/,
  )
})

test('a word that is like nothing gets no suggestion', async () => {
  const { status, stderr } = await runHere(['faults', 'xyzzyx'])
  expect(status).toBe(2)
  expect(stderr).not.toContain('Did you mean')
})

test.each([['version'], ['-v'], ['-V'], ['--version']])('%s prints the version', async (arg) => {
  expect(await runHere([arg])).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' })
})
