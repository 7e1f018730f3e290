import { expect, test } from 'vitest'
import { withInstants } from '../../src/http/html/time.tsx'

test.each([
  [
    'At 2026-05-31T10:00:00Z, it renews until 2026-06-30T10:00:00Z.',
    'At 2026-05-31 10:00, it renews until 2026-06-30 10:00.',
  ],
  ['draft until 2026-02-28T11:00:07Z', 'draft until 2026-02-28 11:00:07'],
  ['renewal 49.00 USD on 2026-02-28', 'renewal 49.00 USD on 2026-02-28'],
])('instants in the text %j are shown as on the rest of the page', (text, shown) => {
  expect(withInstants(text)).toBe(shown)
})
