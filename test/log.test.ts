import { expect, test } from 'vitest'
import { createLog } from '../src/log.ts'

function recorded({ level = 'info', secrets = [] as string[] } = {}) {
  const { logger, add } = createLog({ level, secrets: () => secrets })
  const lines: string[] = []
  add({ write: (line) => lines.push(line) })
  return { logger, lines }
}

test('a record is a JSON line with its level and time', () => {
  const { logger, lines } = recorded()
  logger.info({ jobs: 3 }, 'done')
  logger.debug('too much')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/\n$/)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    jobs: 3,
    msg: 'done',
  })
})

test.each([
  ['sk_test_4eC39HqLyjWDarjtT1zdp7dc', 'sk_test_…'],
  ['pk_test_4eC39HqLyjWDarjtT1zdp7dc', 'pk_test_…'],
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'sk_live_…'],
  ['oat_test_abcdefgh', 'oat_test_…'],
  ['ort_test_abcdefgh', 'ort_test_…'],
  ['oac_test_abcdefgh', 'oac_test_…'],
  ['ocs_test_abcdefgh', 'ocs_test_…'],
  ['pi_000001abc_secret_abcdefgh', 'pi_000001abc_secret_…'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=', 'whsec_…'],
  ['the-admin-token-of-this-daemon', '…'],
])('%s is never written, wherever it comes from', (secret, masked) => {
  const { logger, lines } = recorded({ secrets: ['the-admin-token-of-this-daemon'] })
  const error = Object.assign(new Error(`bad ${secret}`), { packet: { header: `Bearer ${secret}` } })
  logger.error({ err: error, [secret]: secret }, `about ${secret}.`)
  expect(lines.join('')).not.toContain(secret)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: `about ${masked}.`, [masked]: masked })
})

test('words that only look a little like secrets stay', () => {
  const { logger, lines } = recorded()
  logger.info('key_123 sk_test: risk_test_1 cus_1')
  expect(JSON.parse(lines[0] ?? '').msg).toBe('key_123 sk_test: risk_test_1 cus_1')
})
