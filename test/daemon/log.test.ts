import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog, onStderr } from '../../src/daemon/log.ts'

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

test('an admin token with characters that JSON or a URL escapes is masked', () => {
  const token = String.raw`the-admin"token\of-this%daemon`
  const { logger, lines } = recorded({ secrets: [token] })
  logger.warn(
    { params: `${token}, x`, err: new Error(token) },
    `/v1/${encodeURIComponent(token)} about ${token}`,
  )
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ params: '…, x', msg: '/v1/… about …' })
  expect(lines[0]).not.toMatch(/the-admin|of-this/)
})

test('masking a token beside escaped characters leaves valid JSON', () => {
  const token = String.raw`\the-admin"token\\`
  const { logger, lines } = recorded({ secrets: [token] })
  for (const around of ['\\', '"', '\\"', '\n']) logger.warn(`${around}${token}${around}`)
  expect(lines.map((line) => JSON.parse(line).msg.replace(/[\\"\n]/g, ''))).toEqual(Array(4).fill('…'))
})

test.each(['', 'x'.repeat(9_000)])(
  'a percent-encoded text behind an escape of JSON leaves valid JSON',
  (more) => {
    const { logger, lines } = recorded()
    logger.warn({ params: `\n%6b_test_abc${more}`, '\u001b%73k_test_abc': 1 }, '\ud800%73k_test_abc')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      params: expect.stringMatching(/^\n%6b_test_abc/),
      '\u001b…': 1,
      msg: '\ud800…',
    })
  },
)

test('words that only resemble secrets are kept', () => {
  const { logger, lines } = recorded()
  logger.info('key_123 sk_test: risk_test_1 cus_1')
  expect(JSON.parse(lines[0] ?? '').msg).toBe('key_123 sk_test: risk_test_1 cus_1')
})

/** What steers a terminal, ends a line or turns its order round; and the line that a forger would like to see. */
const HOSTILE =
  '\u001b]0;x\u0007 \u009b31m \u007f \u202e \u2066 \u2028 \r\n2026-01-31T10:00:00.000Z WARN  forged=1'
const STEERING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

test('control characters in a line of JSON are escaped, with the same meaning', () => {
  const { logger, lines } = recorded()
  logger.warn({ params: HOSTILE, err: new Error(HOSTILE) }, HOSTILE)
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toMatch(STEERING)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: HOSTILE,
    params: HOSTILE,
    err: { message: HOSTILE },
  })
})

test.each([{ json: true }, { json: false }])('on stderr neither: %j', ({ json }) => {
  const { logger, add } = createLog({ level: 'info', secrets: () => [] })
  let written = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text
    return true
  })
  add(onStderr({ json }))
  logger.warn({ params: HOSTILE, err: new Error(HOSTILE) }, HOSTILE)
  write.mockRestore()
  const [first = '', ...stack] = written.trimEnd().split('\n')
  expect(first).toMatch(json ? /^\{/ : /^\S+Z WARN {2}\\u001b\]0;x\\u0007 .* params=\\u001b/)
  expect([first, ...stack].filter((line) => STEERING.test(line))).toEqual([])
  // No line of a stack, in which an error's message is, looks like one of the log.
  expect(stack.filter((line) => !line.startsWith('  '))).toEqual([])
})

test('lines are lost while much waits for the reader of stderr, and counted', () => {
  const { write } = onStderr({ json: true })
  const line = (msg: string) => `${JSON.stringify({ level: 'info', time: '2026-01-31T10:00:00Z', msg })}\n`
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const waiting = vi.spyOn(process.stderr, 'writableLength', 'get').mockReturnValue(262_145)
  onTestFinished(() => void vi.restoreAllMocks())
  write(line('first'))
  write(line('second'))
  expect(written).not.toHaveBeenCalled()
  waiting.mockReturnValue(0)
  write(line('third'))
  const [text] = written.mock.calls[0] ?? []
  expect(String(text)).toMatch(/2 earlier lines of the log could not be written.*\n.*third/)
})

test.each<[string, object, string]>([
  ['a long message', {}, 'x'.repeat(100_000)],
  ['a long detail', { path: 'x'.repeat(100_000) }, 'x'],
  ['a long error', { err: new Error('x'.repeat(100_000)) }, 'x'],
  ['many details', Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`n${n}`, n])), 'x'],
  ['many long details', { list: Array.from({ length: 100 }, () => 'x'.repeat(1_000)) }, 'x'],
])('%s is cut, and the line is still JSON', (_, details, text) => {
  const { logger, lines } = recorded()
  logger.warn(details, text)
  expect(lines[0]?.length).toBeLessThan(8_500)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: expect.stringMatching(/^x/) })
})

test('a secret is masked where a long text is truncated', () => {
  const { logger, lines } = recorded()
  logger.warn(`${'x'.repeat(2_030)} sk_test_4eC39HqLyjWDarjtT1zdp7dc ${'x'.repeat(10_000)}`)
  expect(lines[0]).not.toContain('sk_test_4')
})
