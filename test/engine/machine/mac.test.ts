import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { MacKey } from '../../../src/engine/machine/mac.ts'

const TEXTS = [
  '',
  'a',
  'client_secret/1/pi_000001',
  'é€😀',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(5_000),
]
const KEYS = ['', 'seed', 'ü', 'k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'k'.repeat(1_000)]

test.each(KEYS)('equals HMAC-SHA256 with the key "%s"', (key) => {
  const mac = new MacKey(key)
  for (const text of [...TEXTS, ...TEXTS]) {
    expect(mac.sign(text)).toBe(createHmac('sha256', key).update(text).digest('binary'))
  }
})
