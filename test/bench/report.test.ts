import { expect, test } from 'vitest'
import { tableOf } from './report.ts'
import { atLeast, atMost, ratioAtLeast } from './result.ts'

test('the table aligns the measurements, and marks unknown ones', () => {
  const table = tableOf([
    {
      part: 'intents',
      seconds: 60,
      othersPercent: 12.4,
      measurements: [
        {
          what: 'POST',
          unit: '/s',
          paytwin: [11_000, 12_345, 13_000],
          floor: [20_000, 10_000, 20_000],
          goals: [atLeast(10_000), ratioAtLeast(0.8)],
        },
        { what: 'disk', unit: 'bytes', paytwin: [1.2345], goals: [] },
      ],
    },
    {
      part: 'year',
      seconds: 60,
      othersPercent: null,
      measurements: [{ what: 'memory', unit: 'MB', paytwin: [], goals: [atMost(300)] }],
    },
  ])
  expect(table.split('\n')).toEqual([
    'part     what    paytwin                    floor                      ratio              goal                 met  others',
    '───────  ──────  ─────────────────────────  ─────────────────────────  ─────────────────  ───────────────────  ───  ───────',
    'intents  POST    12,345 /s (11,000–13,000)  20,000 /s (10,000–20,000)  0.65× (0.55–1.23)  ≥ 10,000 /s, ≥ 0.8×  NO   12 %',
    '         disk    1.23 bytes                 –                          –                  –                    –',
    'year     memory  unknown                    –                          –                  ≤ 300 MB             –    unknown',
  ])
})
